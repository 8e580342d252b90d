"""Fuse generated programs, and compare all that can be seen of them before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from unittest import mock

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from xdsl.dialects.arith import AndIOp
from xdsl.dialects.builtin import ModuleOp

from support.batches import prefixed
from support.generated.drawing import ShownAsText
from support.generated.programs import Sample
from support.proof_checks import checked_proofs
from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.fusion.decode_scan_fuse import fuse_program
from vyre_dialect.passes.fusion.tiling.options import Options
from vyre_dialect.passes.fusion.tiling.outcome import Outcome
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter import (
    Input,
    Interpretation,
    Interpreter,
    ObservedAccess,
    Observer,
    Observers,
    RaceChecker,
    UndefinedReadChecker,
    interpret,
)
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.inputs import remaining_inputs

GARBAGE = (0xCD, 0x32)
"""What memory that nobody has written is filled with: two bytes of which no bit is equal."""


def fused(module: ModuleOp, options: Options) -> tuple[ModuleOp, Outcome]:
    """A fused copy of a module of one program, and what was done to it."""
    copy = module.clone()
    outcome = fuse_program(program_of(copy), options)
    copy.verify()
    return copy, outcome


def program_of(module: ModuleOp) -> ProgramOp:
    """The program that comes first in a module."""
    found = module.body.block.first_op
    assert isinstance(found, ProgramOp)
    return found


def _global_buffers(module: ModuleOp) -> dict[str, BufferOp]:
    buffers = (op for op in module.walk() if isinstance(op, BufferOp))
    return {op.sym_name.data: op for op in buffers if op.type.space == MemorySpace.GLOBAL}


def _accessed(module: ModuleOp) -> tuple[set[str], set[str]]:
    """The names of the global buffers that arms store to, and of those that they load from."""
    stored, loaded = set[str](), set[str]()
    for name, buffer in _global_buffers(module).items():
        users = [use.operation for use in buffer.buffer.uses]
        if any(isinstance(user, StoreOp) for user in users):
            stored.add(name)
        if any(isinstance(user, LoadOp) for user in users):
            loaded.add(name)
    return stored, loaded


class UnmaskedReads(UndefinedReadChecker):
    """
    Finds reads of undefined elements, but for those of words of tiles that only masks use: what
    these keep must not depend on the rest, which `run_with_any_garbage` shows.
    """

    def access(self, access: ObservedAccess) -> None:
        if isinstance(access.op, LoadOp) and access.buffer.type.space != MemorySpace.GLOBAL:
            users = [use.operation for use in access.op.value.uses]
            if users and all(isinstance(user, AndIOp) for user in users):
                return
        super().access(access)


@contextmanager
def _garbage(byte: int) -> Generator[None]:
    """Memory that nobody has written is full of `byte`."""
    package = "vyre_dialect.runtime.interpreter"
    with (
        mock.patch(f"{package}.storage.GARBAGE", byte),
        mock.patch(f"{package}.run.GARBAGE", byte),
    ):
        yield


def run_with_any_garbage(
    interpreter: Interpreter, inputs: Mapping[str, Input], *, observer: Observer
) -> Interpretation:
    """The run of a program; fails if its results depend on memory that nobody has written."""
    with _garbage(GARBAGE[0]):
        first = interpreter.run(inputs, observer=observer)
    with _garbage(GARBAGE[1]):
        second = interpreter.run(inputs)
    require_equal(second.outputs, first.outputs)
    return first


def require_equal(got: Mapping[str, Array], expected: Mapping[str, Array]) -> None:
    """Fail unless two runs gave the same."""
    assert got.keys() == expected.keys()
    for name, values in expected.items():
        np.testing.assert_array_equal(got[name], values, err_msg=name)


def is_defined(module: ModuleOp, inputs: Mapping[str, Input]) -> bool:
    """Whether the program accepts its input, and neither reads what nobody wrote nor races."""
    races, undefined = RaceChecker(), UndefinedReadChecker()
    try:
        interpret(module, inputs, observer=Observers(races, undefined))
    except VyreError:
        return False
    return not races.races and not undefined.reads


@dataclass(frozen=True)
class FusibleProgram(ShownAsText):
    """A program before and after fusion, and its inputs; shows itself as text."""

    sample: Sample
    after: ModuleOp

    @property
    def before(self) -> ModuleOp:
        """The program as it was."""
        return self.sample.module

    @property
    def inputs(self) -> Mapping[str, Array]:
        """The inputs before fusion."""
        return self.sample.inputs

    @property
    def inputs_after(self) -> Mapping[str, Array]:
        """The inputs that are left after fusion: one that nobody reads may become a tile."""
        return remaining_inputs(program_of(self.after), self.inputs)

    def __repr__(self) -> str:
        return f"{self.sample}// fused:\n{self.after}\n"


@st.composite
def fusible(draw: st.DrawFn, samples: st.SearchStrategy[Sample]) -> FusibleProgram:
    """Those of the programs that fuse, accept their input and read nothing undefined."""
    sample = draw(samples)
    after, outcome = fused(sample.module, sample.options)
    assume(outcome.promoted and is_defined(sample.module, sample.inputs))
    return FusibleProgram(sample, after)


def require_outputs(program: FusibleProgram, outputs: Mapping[str, Array], *keys: str) -> None:
    """Fail unless a batch gave, under each of `keys`, what the interpreter gives before fusion."""
    expected = interpret(program.before, program.inputs).outputs
    for key in keys:
        require_equal({name: outputs[prefixed(key, name)] for name in expected}, expected)


@dataclass(frozen=True)
class Meaning:
    """What a program computes, or how it rejects its input."""

    error: str | None
    outputs: Mapping[str, Array]


def require_same_meaning(
    before: ModuleOp, after: ModuleOp, inputs: Mapping[str, Array]
) -> Meaning | None:
    """
    Fail unless both mean the same, and what the ops of `after` say of themselves holds; that
    meaning. None where `before` has none: what a program computes that races, or reads what nobody
    wrote, is up to the device.
    """
    races, undefined = RaceChecker(), UnmaskedReads()
    meaning = _meaning(partial(interpret, before), inputs, Observers(races, undefined))
    if races.races or undefined.reads:
        return None
    left = remaining_inputs(program_of(after), inputs)
    with checked_proofs() as proofs:
        run = partial(run_with_any_garbage, Interpreter(after))
        got = _meaning(run, left, Observers(races, undefined))
    assert not proofs.wrong, proofs.wrong[0]
    races.verify()
    undefined.verify()
    assert got.error == meaning.error
    require_equal(got.outputs, meaning.outputs)
    return meaning


@dataclass
class Seen:
    """What the programs of a test showed, so that the test can say how much that was."""

    programs: int = 0
    fused: int = 0
    """Programs of which at least one handoff was promoted."""
    handoffs: int = 0
    compared: int = 0
    """Fused programs that have a meaning, and kept it."""
    rejecting: int = 0
    """Of these, programs that reject their input, in the same words before and after."""
    refusals: Counter[str] = field(default_factory=Counter[str])
    """By reason."""

    def check(self, sample: Sample) -> None:
        """Fuse a program, and compare all that can be seen of it."""
        before = sample.module
        after, outcome = fused(before, sample.options)
        promoted = promoted_handoffs(before, after)
        assert outcome.promoted == promoted
        _require_reasons(before, after, outcome)
        self.programs += 1
        self.refusals.update(str(refusal.reason) for refusal in outcome.refusals)
        if not promoted:
            assert after.is_structurally_equivalent(before)
            return
        self.fused += 1
        self.handoffs += len(promoted)
        self._compare(before, after, sample.inputs)

    def _compare(self, before: ModuleOp, after: ModuleOp, inputs: Mapping[str, Array]) -> None:
        """Fail unless both mean the same, if `before` has a meaning."""
        if (meaning := require_same_meaning(before, after, inputs)) is not None:
            self.compared += 1
            self.rejecting += meaning.error is not None

    def __str__(self) -> str:
        return (
            f"{self.programs} programs, {self.fused} fused ({self.handoffs} handoffs), "
            f"{self.compared} compared ({self.rejecting} reject their input), "
            f"refusals {dict(self.refusals.most_common())}"
        )


def promoted_handoffs(before: ModuleOp, after: ModuleOp) -> dict[str, int | None]:
    """The buffers that were in global memory and are no longer, with their element counts."""
    left = _global_buffers(after)
    gone = {name: op for name, op in _global_buffers(before).items() if name not in left}
    return {name: op.type.static_count for name, op in gone.items()}


def _require_reasons(before: ModuleOp, after: ModuleOp, outcome: Outcome) -> None:
    """Fail unless every buffer that arms store to and load from left, or was refused."""
    stored, loaded = _accessed(before)
    left = set(_global_buffers(after))
    refused = {refusal.handoff.sym_name.data for refusal in outcome.refusals}
    assert refused <= left
    assert all(refusal.detail for refusal in outcome.refusals)
    scratch = {name for name, op in _global_buffers(before).items() if op.live_out is None}
    assert stored & loaded & left & scratch <= refused


def _meaning(
    run: Callable[..., Interpretation],
    inputs: Mapping[str, Array],
    observer: Observer,
) -> Meaning:
    try:
        return Meaning(None, run(inputs, observer=observer).outputs)
    except VyreError as error:
        return Meaning(str(error), {})
