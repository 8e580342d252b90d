"""Packs buffers with known live ranges into one arena: live ranges and sizes in, offsets out."""
