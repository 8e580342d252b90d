"""Packs buffers with known lives into one arena: lives and sizes in, offsets out."""
