"""
Bounds on what isl spends, counted in its own operations, so that answers never depend on time.

Parametric integer programming is exponential in the worst case (Feautrier 1988), and the numbers
in its tableaux grow with every cut: a question that takes ten times the operations may take a
hundred times the time and memory. What is answered at all is answered with few.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from vyre_dialect.analysis.isl import isl

MAX_OPERATIONS = 300_000
"""
What isl may spend on one question before the answer is "unknown". Measured: at most 45,000 for any
call that answered, over 200 generated programs; 2 s and 200 MB for 300,000 on quantifiers that it
cannot eliminate.
"""


@contextmanager
def bounded(context: isl.Context) -> Generator[None]:
    """Bound what isl spends on each question asked inside; beyond it isl raises isl.Error."""
    outside = context.get_max_operations()
    context.reset_operations()
    context.set_max_operations(MAX_OPERATIONS)
    try:
        yield
    finally:
        context.set_max_operations(outside)
        context.reset_operations()


def next_question(context: isl.Context) -> None:
    """
    Begin another question, so that many easy ones together are not taken for a hard one. Raises
    isl.Error where isl gave up on the one before, and not all that it left undone was noticed.
    """
    isl.Space.params_alloc(context, 0)
    context.reset_operations()


def has_given_up(context: isl.Context) -> bool:
    """Whether the operations that isl was allowed are spent, so that it answers no more."""
    try:
        isl.Set.read_from_str(context, "{ [0] }")
    except isl.Error:
        return True
    return False
