"""Decode -> scan fusion: how arms share tiles, why they may, and the rewrite that makes them."""
