"""Packs buffers with known live ranges into one arena: lives and sizes in, offsets out."""
