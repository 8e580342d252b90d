"""Neighbouring invocations as lanes: values, accesses, branches, and what is refused."""
