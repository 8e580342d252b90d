"""Passes on accesses to buffers."""
