"""Programs of every kind, with options to fuse them with and data to run them on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from support.generated import several, variations
from support.generated.cases import Case
from support.generated.drawing import ShownAsText, any_of
from support.generated.glances import glanced_at
from support.generated.library import Library, libraries
from support.generated.one_arm import OneArm, one_arms
from support.generated.pairs import is_possible, pairs
from support.generated.pictures import Picture, pictures
from vyre_dialect.passes.fusion.tiling.options import (
    CACHE_BUDGET,
    DEFAULT_BUDGET,
    LocalMemory,
    Options,
    Strategy,
)
from vyre_dialect.runtime.interpreter.arrays import Array

Plan: TypeAlias = Case | OneArm | Library | Picture
"""A program as plain data."""
STRATEGIES: tuple[Strategy, ...] = ("auto", "workgroup", "private")


@dataclass(frozen=True)
class Sample(ShownAsText):
    """A program, the options to fuse it with, and what draws its data; shows itself as text."""

    plan: Plan
    options: Options
    seed: int = 0

    @cached_property
    def module(self) -> ModuleOp:
        """The program before fusion, which nobody may change."""
        return self.plan.module()

    @cached_property
    def inputs(self) -> dict[str, Array]:
        """Contents for every buffer that the host supplies."""
        return self.plan.inputs(self.seed)

    def __repr__(self) -> str:
        given = "\n".join(f"// {name} = {array.tolist()}" for name, array in self.inputs.items())
        return f"\n// {self.options}\n{given}\n{self.module}\n"


@st.composite
def samples(draw: st.DrawFn, plans: st.SearchStrategy[Plan]) -> Sample:
    """Programs with options, often the defaults, and data."""
    return Sample(draw(plans), draw(options()), draw(st.integers(0, 1000)))


@st.composite
def options(draw: st.DrawFn) -> Options:
    """A strategy with budgets, a tile and steps, often the defaults; tiles in a cache are small."""
    strategy = draw(st.sampled_from(STRATEGIES))
    memories: tuple[LocalMemory, ...] = ("dedicated", "dedicated", "global")
    local_memory = draw(st.sampled_from(memories))
    budget = draw(any_of(DEFAULT_BUDGET, DEFAULT_BUDGET, DEFAULT_BUDGET, 64, 24))
    cache_budget = draw(any_of(CACHE_BUDGET, 64, 256))
    tile = draw(any_of(0, 0, 0, 4, 8, 12))
    steps = draw(any_of(1, 2, 3, 5))
    return Options(
        strategy,
        budget,
        0 if strategy == "private" else tile,
        local_memory,
        steps=1 if strategy == "workgroup" else steps,
        cache_budget=cache_budget,
    )


_CASES: dict[str, st.SearchStrategy[Case]] = {
    "pair": pairs(),
    "chain": several.chains(),
    "fan-out": several.fan_outs(),
    "two handoffs": several.two_handoffs(),
    "two producers": several.two_producers(),
    "two ways": several.two_ways(),
    "dependent consumers": several.dependent_consumers(),
    "arm between": several.arms_between(),
    "cooperative": variations.cooperative(),
    "steered": variations.steered(),
    "log again": variations.log_again(),
    "colliding": variations.colliding(),
    "host value": variations.with_host_value(),
    "clamped halo": variations.clamped_halos(),
    "branches": variations.branching(),
    "wrapping": variations.wrapping(),
    "glanced at": glanced_at(),
}
KINDS: dict[str, st.SearchStrategy[Plan]] = {
    **{name: cases.filter(is_possible) for name, cases in _CASES.items()},
    "one arm": one_arms(),
    "library": libraries(),
    "picture": pictures(),
}
"""What draws programs, by kind."""


def programs(*, library: bool = True) -> st.SearchStrategy[Sample]:
    """Any program; without those of the `library` if so asked."""
    kinds = [kind for kind in KINDS if library or kind != "library"]
    return samples(st.sampled_from([*kinds, "pair", "one arm"]).flatmap(KINDS.__getitem__))


def programs_of(kind: str) -> st.SearchStrategy[Sample]:
    """Programs of one of the `KINDS`."""
    return samples(KINDS[kind])
