"""Lowering of vyre kernels to source text; no device is needed."""
