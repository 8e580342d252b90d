"""Rewrites and analyses of vyre programs, one file per pass."""
