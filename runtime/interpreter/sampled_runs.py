"""
How often the invocations of a launch run each op of a kernel, as a sample of them says.

A kernel's shares, guards and tails make counts that no short formula has, but sizes decide them: so
some invocations are followed, each through one iteration of every loop that is drawn, and what they
run counts as often as they stand for others. Source: Knuth, "Estimating the efficiency of backtrack
programs", whose estimate has no bias. How often conditions on data hold is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt, prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.likelihood import Likelihoods
from vyre_dialect.analysis.program_facts import ASSUMED_TRIPS
from vyre_dialect.ir.interfaces import accesses_of
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ops.invocation import (
    InvocationIdOp,
    LocalIdOp,
    SubgroupIdOp,
    SubgroupLaneOp,
    WorkgroupIdOp,
)
from vyre_dialect.ops.kernel import KernelOp
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.machine import NUMPY

Numbers: TypeAlias = NDArray[Any]
"""A number for each invocation of a sample."""

MOST_GROUPS, MOST_MEMBERS = 24, 16
"""Workgroups of a sample, and invocations of each, but for the two that stand at either end."""


class Known(NamedTuple):
    """What is known of a scalar in each invocation."""

    numbers: Numbers
    is_known: Numbers
    """Where it does not depend on data."""


@dataclass(frozen=True)
class OpRuns:
    """How often an op is run, and where its accesses go."""

    count: float
    """Runs by all invocations."""
    undecided: float = 0.0
    """How many of a condition's runs are decided by data, those that are easy to guess for less."""
    gathered: float = 0.0
    """How many of an access's runs are at an index that is data."""
    stride: float | None = None
    """Elements from where an invocation accesses a buffer to where its neighbour does."""


class SampledRuns:
    """
    The runs of a launch of `kernel` over a grid of workgroups; `sizes` has the number that the host
    passes for each argument that is none of a buffer. With `taken`, every path that data decides is
    taken as often as that, which bounds what the likely ones give.
    """

    def __init__(
        self,
        kernel: KernelOp,
        grid: Sequence[int],
        sizes: Sequence[int | None],
        taken: float | None = None,
    ):
        self.runs: dict[Operation, OpRuns] = {}
        """Of each op that is run at all."""
        self.has_open_loops = False
        """Whether data decides how often a loop is run."""
        self._kernel, self._taken = kernel, taken
        self._sample = _Sample(kernel, grid)
        self._known: dict[SSAValue, Known] = {}
        self._weights: dict[Block, Numbers] = {kernel.body.block: self._sample.weights}
        """By which number of runs each invocation of the sample stands in a block."""
        self._of_invocations: dict[Operation, Numbers] = {}
        self._likelihoods = Likelihoods(Integers())
        self._loops = 0
        for argument, size in zip(kernel.body.block.args, sizes, strict=True):
            if size is not None:
                self._learn(argument, np.int64(size))
        with np.errstate(all="ignore"):
            for op in ops_inside(kernel.body):
                self._visit(op)

    def _visit(self, op: Operation) -> None:
        """Count the runs of an op, find its results, and how often its regions are run."""
        assert op.parent is not None
        weights = self._weights[op.parent]
        match op:
            case scf.ForOp():
                undecided = self._enter_loop(op, weights)
            case scf.IfOp():
                undecided = self._enter_branches(op, weights)
            case scf.YieldOp() if isinstance(branch := op.parent_op(), scf.IfOp):
                self._merge(branch, op)
                return
            case _:
                undecided = 0.0
                self._enter_others(op, weights)
                self._evaluate(op)
        if count := float(weights.sum()):
            self._of_invocations[op] = weights
            self.runs[op] = self._of_access(op, weights, OpRuns(count, undecided))

    def most(self, amounts: Mapping[Operation, float]) -> float:
        """The most that an invocation has of something of which ops have these amounts per run."""
        whole = np.zeros_like(self._sample.weights)
        for op, weights in self._of_invocations.items():
            if amount := amounts.get(op):
                whole += amount * weights
        return float((whole / self._sample.weights).max())

    # Control flow.

    def _enter_loop(self, op: scf.ForOp, weights: Numbers) -> float:
        bounds = [self._known.get(bound) for bound in (op.lb, op.ub, op.step)]
        begin, end, step = bounds
        if end is None and (lanes := self._likelihoods.set_bits(op.ub, self._taken)) is not None:
            return self._enter_lanes(op, weights, lanes)
        if begin is None or end is None or step is None:
            return self._enter_open_loop(op, weights, weights)
        known = begin.is_known & end.is_known & step.is_known
        trips = np.maximum(0, -((begin.numbers - end.numbers) // np.maximum(1, step.numbers)))
        drawn = np.floor(self._sample.draw(self._loops) * trips).astype(np.int64)
        self._loops += 1
        self._known[op.body.block.args[0]] = Known(begin.numbers + step.numbers * drawn, known)
        if np.any(weights[~known] > 0):
            self._enter_open_loop(op, weights, np.where(known, trips, ASSUMED_TRIPS) * weights)
        self._weights[op.body.block] = weights * np.where(known, trips, ASSUMED_TRIPS)
        return 0.0

    def _enter_lanes(self, op: scf.ForOp, weights: Numbers, lanes: float) -> float:
        """Enter a loop over the lanes of a mask that hold, of which their number is guessed."""
        self._weights[op.body.block] = weights * lanes
        return float(weights.sum()) if lanes > 1 else 0.0

    def _enter_open_loop(self, op: scf.ForOp, weights: Numbers, inside: Numbers) -> float:
        """Enter a loop of which data decides how often it is run."""
        self.has_open_loops |= bool(np.any(weights > 0))
        self._weights[op.body.block] = weights * ASSUMED_TRIPS if inside is weights else inside
        return 0.0

    def _enter_branches(self, op: scf.IfOp, weights: Numbers) -> float:
        """Enter both branches, each as often as it is taken."""
        likely, condition = self._likely(op.cond), self._known.get(op.cond)
        if condition is None:
            taken, known = np.full(len(weights), likely), np.zeros(len(weights), np.bool_)
        else:
            known = condition.is_known
            taken = np.where(known, condition.numbers, likely)
        self._enter(op.true_region.blocks, weights * taken)
        not_taken = weights * (1 - taken)
        if self._taken is not None:
            not_taken = np.where(known, not_taken, weights * self._taken)
        self._enter(op.false_region.blocks, not_taken)
        guessed = 4 * likely * (1 - likely)
        return float(weights[~known].sum()) * guessed

    def _enter_others(self, op: Operation, weights: Numbers) -> None:
        """Enter the regions of any other op: cases, and loops until something holds, run once."""
        regions = [region for region in op.regions if region.blocks]
        if not regions:
            return
        is_loop = isinstance(op, scf.WhileOp)
        self.has_open_loops |= is_loop and bool(np.any(weights > 0))
        share = 1.0 if is_loop or self._taken is not None else 1 / len(regions)
        for region in regions:
            self._enter(region.blocks, weights * share)

    def _enter(self, blocks: Sequence[Block], weights: Numbers) -> None:
        for block in blocks:
            self._weights[block] = weights

    def _likely(self, condition: SSAValue) -> float:
        """How likely a condition holds that data decides."""
        return self._likelihoods.of(condition) if self._taken is None else self._taken

    def _merge(self, branch: scf.IfOp, end: scf.YieldOp) -> None:
        """The results of `branch` are those of the block that `end` ends, where that is taken."""
        condition = self._known.get(branch.cond)
        if condition is None:
            return
        is_true = end.parent in branch.true_region.blocks
        here = condition.is_known & (condition.numbers == is_true)
        for result, value in zip(branch.results, end.operands, strict=True):
            if (known := self._known.get(value)) is None:
                continue
            before = self._known.get(result) or Known(known.numbers, np.zeros_like(here))
            self._known[result] = Known(
                np.where(here, known.numbers, before.numbers),
                np.where(here, known.is_known, before.is_known),
            )

    # Values.

    def _learn(self, value: SSAValue, numbers: object) -> None:
        size = len(self._sample.weights)
        full = np.ascontiguousarray(np.broadcast_to(np.asarray(numbers), (size,)))
        self._known[value] = Known(full, np.ones(size, np.bool_))

    def _evaluate(self, op: Operation) -> None:
        """Find the result of an op on scalars, where that follows from sizes and ids."""
        if (ids := self._sample.ids(op)) is not None:
            self._learn(op.results[0], ids)
        if len(op.results) != 1 or op.regions or not _is_number(op.results[0].type):
            return
        operands = [self._known.get(operand) for operand in op.operands]
        found = [operand for operand in operands if operand is not None]
        if len(found) < len(operands) or accesses_of(op):
            return
        if (function := _function(op)) is None:
            return
        self._learn(op.results[0], function(*(each.numbers for each in found)))
        numbers, known = self._known[op.results[0]]
        for each in found:
            known = known & each.is_known
        self._known[op.results[0]] = Known(numbers, known)

    def _of_access(self, op: Operation, weights: Numbers, runs: OpRuns) -> OpRuns:
        """The runs of an op, with where its first access goes."""
        accesses = accesses_of(op)
        if not accesses or not isinstance(index := accesses[0].index, SSAValue):
            return runs
        if (known := self._known.get(index)) is None:
            return OpRuns(runs.count, runs.undecided, gathered=runs.count)
        gathered = float(weights[~known.is_known].sum())
        return OpRuns(
            runs.count, runs.undecided, gathered, self._sample.stride(known.numbers, weights)
        )


class _Sample:
    """Invocations that stand for all of a launch, in pairs of neighbours."""

    def __init__(self, kernel: KernelOp, grid: Sequence[int]):
        self._kernel, self._size = kernel, kernel.workgroup
        self._grid = [*grid, 1, 1][:3]
        groups, of_groups = _chosen(prod(self._grid), MOST_GROUPS)
        members, of_members = _chosen(prod(self._size), MOST_MEMBERS)
        self.weights = np.outer(of_groups, of_members).ravel()
        """For how many invocations each stands."""
        self._group = _coordinates(np.repeat(groups, len(members)), self._grid)
        self._member = np.tile(members, len(groups))
        self._local = _coordinates(self._member, self._size)
        self._pairs = np.arange(len(self.weights)) // 2
        if len(members) % 2:
            self._pairs = np.arange(len(self.weights))

    def draw(self, number: int) -> Numbers:
        """
        A place between 0 and 1 for each invocation, the same for neighbours, evenly spread; another
        sequence for each number. Source: Kronecker's sequences, by roots of primes.
        """
        return (0.5 + self._pairs * _irrational(number)) % 1.0

    def ids(self, op: Operation) -> Numbers | None:
        """The id that an op is of; None for another op."""
        axes = "xyz"
        match op:
            case InvocationIdOp():
                axis = axes.index(op.axis.data)
                return self._group[axis] * self._size[axis] + self._local[axis]
            case WorkgroupIdOp():
                return self._group[axes.index(op.axis.data)]
            case LocalIdOp():
                return self._local[axes.index(op.axis.data)]
            case SubgroupLaneOp():
                return self._member % self._kernel.lanes
            case SubgroupIdOp():
                return self._member // self._kernel.lanes
            case _:
                return None

    def stride(self, index: Numbers, weights: Numbers) -> float | None:
        """By how many elements neighbours are apart, in the median; None where none are seen."""
        if len(self._pairs) < 2 or self._pairs[1] == 1:
            return None
        pairs = len(index) // 2 * 2
        first, second = index[:pairs:2], index[1:pairs:2]
        are_run = weights[:pairs:2] > 0
        apart = (second - first)[are_run]
        return float(np.median(np.abs(apart))) if len(apart) else None


def _chosen(count: int, most: int) -> tuple[Numbers, Numbers]:
    """Some of so many, or all, in pairs of neighbours, with how many each stands for."""
    if count <= most + 2:
        return np.arange(count), np.ones(count)
    inner = count - 4
    pairs = most // 2 - 1
    first = 2 + (np.arange(pairs) * 2 + 1) * (inner - 1) // (2 * pairs)
    middle = np.stack([first, first + 1], axis=1).ravel()
    chosen = np.concatenate([[0, 1], middle, [count - 2, count - 1]])
    weights = np.full(len(chosen), inner / len(middle))
    weights[:2] = weights[-2:] = 1
    return chosen, weights


def _coordinates(linear: Numbers, extents: Sequence[int]) -> list[Numbers]:
    width, height, _ = extents
    return [linear % width, linear // width % height, linear // (width * height)]


def _irrational(number: int) -> float:
    """The fraction of the root of a prime, another for each number."""
    primes = [n for n in range(2, 400) if all(n % d for d in range(2, isqrt(n) + 1))]
    return primes[number % len(primes)] ** 0.5 % 1


def _is_number(type: Attribute) -> bool:
    return isinstance(type, IndexType | IntegerType)


def _function(op: Operation) -> Callable[..., Any] | None:
    """What an op computes of arrays, if it is said."""
    try:
        meaning = NUMPY.of(type(op))
        return None if meaning is None else meaning(op)
    except (VyreError, DiagnosticException):
        return None
