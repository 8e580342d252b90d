"""What is said of branches and loops that were split."""

INTERIOR = "vyre.interior"
"""
Attribute, a unit: of an `scf.if` whose condition tells the interior from the tail, and of an
`scf.for` all of whose iterations are of the interior.
"""
TAIL = "vyre.tail"
"""Attribute of an `scf.for`, a unit: the iterations behind those of the interior."""
MAX_OPS = 4096
"""Ops that may be there twice."""
