"""What a run on pieces is limited to unless somebody says otherwise."""

DEFAULT_MEMORY = 512 << 20
"""Bytes of memory that it may take."""
