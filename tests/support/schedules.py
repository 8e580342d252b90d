"""Schedules of passes that tests make up, and how they are run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar

import pytest
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i32
from xdsl.passes import ModulePass

from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase, Profile
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.ops.schedule import PassOp, ScheduleOp
from vyre_dialect.passes.schedule import registry
from vyre_dialect.runtime.program.compilation import make_context, parse_module

CONTEXT = make_context()
TINY = """
vyre.program @tiny {
  %out = vyre.buffer @out live_out : !vyre.buffer<1xi32, write_only>
  vyre.region "write" invocations [1] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : i32
    vyre.store %one, %out[%zero] : i32, !vyre.buffer<1xi32, write_only>
  }
}
"""
PLAIN = PassMetadata(Phase.KERNELS, Family.SCALAR)


def tiny(entry: str | None = None) -> ModuleOp:
    """A program of one arm that stores one number; `entry` is what telemetry knows it by."""
    said = "" if entry is None else f' entry_op_id "{entry}"'
    return parse_module(TINY.replace("@tiny", f"@tiny{said}"), CONTEXT)


def made_pass(
    name: str, does: Callable[[ModuleOp], object], metadata: PassMetadata = PLAIN
) -> type[ModulePass]:
    """A pass that does something to a module."""

    @dataclass(frozen=True)
    class MadePass(ModulePass):
        metadata: ClassVar[PassMetadata]

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            does(op)

    MadePass.name = name
    MadePass.metadata = metadata
    return MadePass


def install(monkeypatch: pytest.MonkeyPatch, *passes: type[ModulePass]) -> None:
    """Let `passes` be the only ones that are installed."""
    factories = {each.name: (lambda each=each: each) for each in passes}
    monkeypatch.setattr(registry, "installed_passes", lambda: factories)


def schedule_of(
    passes: Iterable[type[ModulePass]], profile: Profile = Profile.RELEASE
) -> ScheduleOp:
    """A schedule of made passes, in their order."""
    ops = [PassOp(each.name, getattr(each, "metadata", PLAIN)) for each in passes]
    return ScheduleOp("made", profile, ops)


def write_note(text: str) -> Callable[[ModuleOp], None]:
    """Sets an attribute of the module."""

    def write(module: ModuleOp) -> None:
        module.attributes["note"] = StringAttr(text)

    return write


def add_sum(module: ModuleOp) -> None:
    """Adds an addition that nobody needs to the first arm."""
    arm = next(op for op in module.walk() if isinstance(op, RegionOp))
    one = arith.ConstantOp(IntegerAttr(1, i32))
    arm.body.block.add_ops([one, arith.AddiOp(one, one)])


def fail(module: ModuleOp) -> None:
    """Changes the module, and fails."""
    write_note("failing")(module)
    raise RuntimeError("out of\nluck")


def break_ir(module: ModuleOp) -> None:
    """Leaves an arm of no generator, which its verifier refuses."""
    arm = next(op for op in module.walk() if isinstance(op, RegionOp))
    arm.generator = StringAttr("")
