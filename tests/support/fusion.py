"""Fuse generated programs, and compare all that can be seen of them before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from random import Random

import numpy as np
from xdsl.context import Context
from xdsl.dialects.arith import AndIOp, Arith
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.scf import Scf
from xdsl.parser import Parser
from xdsl.printer import Printer

from support.batches import prefixed
from support.pairs import Case
from support.random_arms import OneArm
from support.random_pairs import random_program, random_program_of
from vyre_dialect.dialect import Vyre
from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.ops.program import BufferOp, ProgramOp
from vyre_dialect.passes.fusion.decode_scan_fuse import (
    Outcome,
    candidate_handoffs,
    count_opportunities,
    fuse_program,
)
from vyre_dialect.passes.fusion.tiling.options import DEFAULT_BUDGET, Options, Strategy
from vyre_dialect.runtime.interpreter import (
    Input,
    ObservedAccess,
    Observers,
    RaceChecker,
    UndefinedReadChecker,
    interpret,
)
from vyre_dialect.runtime.program.arrays import Array
from vyre_dialect.runtime.program.inputs import remaining_inputs
from vyre_dialect.types import MemorySpace

STRATEGIES: tuple[Strategy, ...] = ("auto", "workgroup", "private")


def random_options(random: Random) -> Options:
    """A strategy with a budget and a tile, often the defaults."""
    strategy = random.choice(STRATEGIES)
    budget = random.choice((DEFAULT_BUDGET, DEFAULT_BUDGET, 64, 24))
    tile = random.choice((0, 0, 0, 4, 8, 12))
    return Options(strategy, budget, 0 if strategy == "private" else tile)


def fused(module: ModuleOp, options: Options) -> tuple[ModuleOp, Outcome]:
    """A fused copy of a module of one program, and what was done to it."""
    copy = module.clone()
    outcome = fuse_program(_program(copy), options)
    copy.verify()
    return copy, outcome


def _program(module: ModuleOp) -> ProgramOp:
    found = module.body.block.first_op
    assert isinstance(found, ProgramOp)
    return found


def _spaces(module: ModuleOp) -> dict[str, MemorySpace]:
    return {op.sym_name.data: op.type.space for op in module.walk() if isinstance(op, BufferOp)}


def _reparsed(module: ModuleOp) -> ModuleOp:
    context = Context()
    for dialect in (Builtin, Arith, Scf, Vyre):
        context.load_dialect(dialect)
    text = StringIO()
    Printer(text).print_op(module)
    return Parser(context, text.getvalue()).parse_module()


class _DefinedReads(UndefinedReadChecker):
    """
    Finds reads of undefined elements, but for those of words of which a mask keeps only what
    is defined.
    """

    def access(self, access: ObservedAccess) -> None:
        if isinstance(access.op, LoadOp) and access.buffer.type.space != MemorySpace.GLOBAL:
            users = [use.operation for use in access.op.value.uses]
            if users and all(isinstance(user, AndIOp) for user in users):
                return
        super().access(access)


def is_defined(module: ModuleOp, inputs: Mapping[str, Input]) -> bool:
    """Whether no element is read that nobody has written, and no two invocations race."""
    races, undefined = RaceChecker(), UndefinedReadChecker()
    interpret(module, inputs, observer=Observers(races, undefined))
    return not races.races and not undefined.reads


@dataclass(frozen=True)
class FusibleProgram:
    """A program before and after fusion, and its inputs."""

    key: str
    before: ModuleOp
    after: ModuleOp
    inputs: Mapping[str, Array]

    @property
    def inputs_after(self) -> Mapping[str, Array]:
        """The inputs that are left after fusion: one that nobody reads may become a tile."""
        return remaining_inputs(_program(self.after), self.inputs)


def fusible_programs(seed: int) -> Iterator[FusibleProgram]:
    """Programs that fuse and read nothing undefined, without end; keyed by seed, from `seed` on."""
    while True:
        random = Random(seed)
        case, options = random_program(random), random_options(random)
        before, inputs = case.module(), case.inputs(seed)
        after, outcome = fused(before, options)
        if outcome.promoted and is_defined(before, inputs):
            yield FusibleProgram(f"s{seed}", before, after, inputs)
        seed += 1


def require_outputs(program: FusibleProgram, outputs: Mapping[str, Array], *keys: str) -> None:
    """Fail unless a batch gave, under each of `keys`, what the interpreter gives before fusion."""
    for name, values in interpret(program.before, program.inputs).outputs.items():
        for key in keys:
            output = outputs[prefixed(key, name)]
            np.testing.assert_array_equal(output, values, err_msg=f"{key}: {name}")


@dataclass(frozen=True)
class Checked:
    """What fusion did to a program, and whether its results could be compared."""

    outcome: Outcome
    is_compared: bool
    """Whether something was promoted, and the program had a meaning before."""


def _has_same_meaning(case: Case | OneArm, before: ModuleOp, after: ModuleOp, seed: int) -> bool:
    """Fail unless both mean the same; False if that cannot be said, as `before` has no meaning."""
    inputs = case.inputs(seed)
    races, undefined = RaceChecker(), _DefinedReads()
    expected = interpret(before, inputs, observer=Observers(races, undefined))
    if races.races or undefined.reads:
        return False  # What such a program computes is up to the device.
    got = interpret(after, inputs, observer=Observers(races, undefined))
    races.verify()
    undefined.verify()
    assert expected.outputs.keys() == got.outputs.keys()
    for name, values in expected.outputs.items():
        np.testing.assert_array_equal(got.outputs[name], values, err_msg=name)
    return True


def check(seed: int) -> Outcome:
    """Fuse the program of a seed, and compare all that can be seen of it."""
    random = Random(seed)
    case, options = random_program(random), random_options(random)
    return _check(case, options, seed).outcome


def check_of(maker: str, seed: int) -> Checked:
    """The same with a program of the kind that one of the `MAKERS` makes."""
    random = Random(seed)
    case, options = random_program_of(random, maker), random_options(random)
    return _check(case, options, seed)


def _check(case: Case | OneArm, options: Options, seed: int) -> Checked:
    before = case.module()
    after, outcome = fused(before, options)
    promoted = set(outcome.promoted)
    left = {name for name, space in _spaces(after).items() if space == MemorySpace.GLOBAL}
    assert promoted == {n for n, s in _spaces(before).items() if s == MemorySpace.GLOBAL} - left
    assert candidate_handoffs(_program(before), options) == outcome.promoted
    assert count_opportunities(_program(before), options) == len(promoted)
    assert {each.handoff.sym_name.data for each in outcome.refusals}.isdisjoint(promoted)
    assert after.is_structurally_equivalent(_reparsed(after))
    if promoted:
        return Checked(outcome, _has_same_meaning(case, before, after, seed))
    assert after.is_structurally_equivalent(before)
    return Checked(outcome, is_compared=False)
