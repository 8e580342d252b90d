"""Lowering of vyre kernels to OpenCL C."""
