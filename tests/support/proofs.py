"""Claims of numbers of so many bits, as z3 proves them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

z3: Any = import_module("z3")
"""Without types."""


def require_always(claim: Any) -> None:
    """Fail with a counterexample unless z3 proves the claim, within a minute."""
    solver = z3.Solver()
    solver.set("timeout", 60_000)
    solver.add(z3.Not(claim))
    assert solver.check() == z3.unsat, solver
