"""Which arms stay scalar where vectors are asked for, and why."""

from __future__ import annotations

from dataclasses import replace

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr
from xdsl.passes import ModulePass

from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.loop.vectorization.refusal import NOT_VECTORIZED, Reason
from vyre_dialect.passes.loop.vectorize import VectorizePass
from vyre_dialect.runtime.program.observers import Observer

_AS_MEANT = frozenset(
    {
        Reason.COOPERATIVE,
        Reason.COARSENED,
        Reason.VECTORS,
        Reason.TOO_FEW,
        Reason.NEIGHBOUR,
        Reason.TURNS_IN_LOOPS,
    }
)
"""Reasons of arms that are written so: nothing is to be gained."""


class VectorRecord(Observer):
    """Why arms stay scalar: the same proofs, over a copy of what each run is given."""

    def __init__(self) -> None:
        self.scalar: dict[str, tuple[RegionOp, str, str]] = {}
        """By its generator, each arm that a last run refused, with the reason and its detail."""
        self._given: ModuleOp | None = None

    def begins(self, module_pass: ModulePass, module: ModuleOp) -> None:
        if isinstance(module_pass, VectorizePass):
            self._given = module.clone()

    def ran(self, module_pass: ModulePass, module: ModuleOp) -> None:
        if not isinstance(module_pass, VectorizePass) or self._given is None:
            return
        replace(module_pass, annotate=True).apply(Context(), self._given)
        self.scalar = {}
        for arm in self._given.walk():
            if isinstance(arm, RegionOp):
                self._note(arm)

    def _note(self, arm: RegionOp) -> None:
        stated = arm.attributes.get(NOT_VECTORIZED)
        if not isinstance(stated, DictionaryAttr):
            return
        reason, detail = stated.data["reason"], stated.data["detail"]
        assert isinstance(reason, StringAttr) and isinstance(detail, StringAttr)
        if Reason(reason.data) not in _AS_MEANT:
            self.scalar[arm.generator.data] = (arm, reason.data, detail.data)
