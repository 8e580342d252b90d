"""Passes that let arms share launches which have nothing to do with each other."""
