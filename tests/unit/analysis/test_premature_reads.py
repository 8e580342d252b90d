"""Buffers that are read before anything can have written them."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp, i32

from vyre_dialect.analysis.premature_reads import premature_reads
from vyre_dialect.builder import arm, program
from vyre_dialect.ir.types import Access, Initial
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.runtime.compiled import load_source
from vyre_dialect.runtime.interpreter.programs import find_program

LENGTH = 8


def written(arms: str, initial: Initial | None = Initial.UNDEFINED) -> ModuleOp:
    """Arms that write 'between' (w), read it (r), do both (u), or ask for its length (l)."""
    with program("p") as p:
        source = p.buffer("source", i32, LENGTH, access=Access.READ_ONLY)
        between = p.buffer("between", i32, LENGTH, initial=initial)
        result = p.buffer("result", i32, LENGTH, live_out=True)
        for number, kind in enumerate(arms):
            with arm(f"{kind}{number}", LENGTH) as i:
                if kind in "wu":
                    between[i] = source[i]
                if kind in "ru":
                    result[i] = between[i]
                if kind == "l":
                    result[i] = between.length.to(i32)
    return p.module


def found(module: ModuleOp) -> list[tuple[str, str | None]]:
    def name(step: object) -> str:
        assert isinstance(step, RegionOp)
        return step.generator.data

    return [
        (name(read.reader), read.writer and name(read.writer))
        for read in premature_reads(find_program(module))
    ]


@pytest.mark.parametrize(
    ("arms", "reads"),
    [
        ("wr", []),
        ("ur", []),
        ("lwr", []),
        ("l", []),
        ("rw", [("r0", "w1")]),
        ("lrlw", [("r1", "w3")]),
        ("rru", [("r0", "u2")]),
        ("r", [("r0", None)]),
    ],
)
def test_the_first_that_touches_a_buffer_writes_it(
    arms: str, reads: list[tuple[str, str | None]]
) -> None:
    assert found(written(arms)) == reads


def test_what_the_host_fills_is_there_from_the_start() -> None:
    assert found(written("rw", initial=None)) == []


def test_the_user_is_told() -> None:
    with pytest.warns(UserWarning, match=r"^arm 'r0' \(.+:\d+\) reads 'between' before") as told:
        load_source(written("rw"), None)
    (warning,) = told
    assert str(warning.message).rpartition(": ")[2].startswith("move it behind arm 'w1' (")


def test_a_buffer_that_nothing_writes_is_no_input() -> None:
    with pytest.warns(UserWarning, match="nothing writes it: leave out 'initial undefined' to"):
        load_source(written("r"), None)
