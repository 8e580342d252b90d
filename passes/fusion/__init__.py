"""Proofs and rewrites that join a decoder and a scanner."""
