"""OpenCL devices, and programs that run on them."""
