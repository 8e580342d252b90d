"""Passes on what orders the accesses of a workgroup."""
