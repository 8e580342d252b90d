"""Passes on the loops of arms, and on what invocations do in loops."""
