"""
isl, which is imported where something is proved for the first time: programs that prove nothing
start without it, and where it is not installed (Python in a browser), nothing is proved.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import islpy as isl
else:

    class _WhenAsked:
        """The names of islpy, all of them once one was asked for."""

        def __getattr__(self, name: str) -> Any:
            import islpy

            names = vars(islpy).items()
            self.__dict__.update({each: value for each, value in names if each[:2] != "__"})
            return getattr(islpy, name)

    isl = _WhenAsked()

__all__ = ["MISSING", "is_installed", "isl"]

MISSING = "islpy is not installed, so nothing can be proved; 'pip install islpy' brings it"


def is_installed() -> bool:
    """Whether anything can be proved here."""
    return find_spec("islpy") is not None
