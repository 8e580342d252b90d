"""Mistakes in what a package says of its ops, told with the op, the part and the package."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import ismethod
from types import FunctionType, MethodType
from typing import Any

from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.ir.python_lines import mistake_of


class DescriptionError(DiagnosticException):
    """A mistake in what a package says of an op of its own."""


_MISTAKES = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError),
    *(NameError, TypeError, ValueError),
)
"""What a mistake in Python raises; anything else is meant for whoever asks."""
_RESULTS = {
    "range": {"Range"},
    "signed_range": {"Range"},
    "expression": {"Expression"},
    "affine": {"PwAff", "NoneType"},
    "linear": {"LinearForm", "NoneType"},
    "narrow": {"Form", "NoneType"},
}
"""The classes of what some parts give, by name, since they are of layers above."""


def watched(op: type[Operation], facet: str, part: Any) -> Any:
    """
    What a class says of `op` in one respect. Where that is a method, a mistake in it, or in a
    function that it returns, is a DescriptionError, and so is a result of another class.
    """
    if not ismethod(part):
        return part
    return _watched(part, f"'{facet}' of '{op.name}', as '{part.__module__}' describes it,", facet)


def _watched(part: Callable[..., Any], where: str, facet: str | None) -> Callable[..., Any]:
    classes = _RESULTS.get(facet or "")

    @wraps(part)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            result = part(*arguments, **named)
        except _MISTAKES as error:
            raise DescriptionError(f"{where} failed: {mistake_of(error)}") from error
        if classes is not None and not classes & {each.__name__ for each in type(result).__mro__}:
            expected = " or ".join(f"'{each}'" for each in sorted(classes))
            raise DescriptionError(f"{where} gave {result!r}, expected {expected}")
        if isinstance(result, FunctionType | MethodType):
            return _watched(result, where, None)
        return result

    return call
