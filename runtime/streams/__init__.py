"""Runs programs on pieces of their input, one after the other, so that it needs not fit memory."""
