"""Passes on what single invocations compute."""
