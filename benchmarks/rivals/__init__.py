"""What people use in place of vyre, on the same workloads: libraries, each in a good form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TypeAlias

from benchmarks.workloads import Workload
from examples.encodings import Array

Answers: TypeAlias = Mapping[str, Array]
Rival: TypeAlias = Callable[[], Answers]
"""Computes the answers of one workload; buffers are its own, and the same each time."""

RIVALS = {
    "numpy": "whole_buffers",
    "numba": "fused_loops",
    "halide": "tiled_stages",
    "pybase64 + hyperscan": "decoded_chunks",
}
"""The module of each, which has `FORMS`, by workload, and says `WHY_NOT` of those without one."""
LITERALS = range(4, 65)
"""Bytes of the literals that rivals look for: they compare words, and chunks overlap by few."""


class LeftOut(Exception):
    """Why a rival does not take part in a workload, in one line."""


def make_rival(name: str, workload: Workload) -> Rival:
    """
    The form that the libraries of `name` have for a workload, on its encoded input.

    Raises LeftOut where a library is not installed, or where there is no such form.
    """
    literal = workload.literal
    if literal and (len(literal) not in LITERALS or 0 in literal):
        raise LeftOut(f"expected a literal of 4 to 64 bytes without zeros, got {literal!r}")
    try:
        module = import_module(f"{__name__}.{RIVALS[name]}")
    except ImportError as error:
        raise LeftOut(f"{error}: pip install '.[bench]'") from error
    forms: Mapping[str, Callable[[Workload], Rival]] = module.FORMS
    if workload.name not in forms:
        raise LeftOut(str(module.WHY_NOT))
    return forms[workload.name](workload)
