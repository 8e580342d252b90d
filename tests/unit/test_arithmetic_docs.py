"""The table in `docs/dialect.md` of what every op gives says what the interpreter does."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from support.totals import TYPES, dtype_of, same_bits, stored

from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.run import interpret
from vyre_dialect.runtime.program.compilation import make_context, parse_module

PAGE = Path(__file__).parents[2] / "docs" / "dialect.md"
EXAMPLE = re.compile(
    r"`(?P<op>(?:arith|math)\.\w+) (?P<operands>[^`:]+) : (?P<type>\w+)(?: to (?P<to>\w+))?"
    r" = (?P<result>[^`]+)`"
)
EXAMPLES = list(EXAMPLE.finditer(PAGE.read_text()))
PROGRAM = """
vyre.program @p {{
  %a = vyre.buffer @a : !vyre.buffer<1x{type}, read_only>
  %b = vyre.buffer @b : !vyre.buffer<1x{type}, read_only>
  %o = vyre.buffer @o live_out : !vyre.buffer<1x{to}, read_write>
  vyre.region "r" invocations [1] {{
    %i = vyre.invocation_id x
    %x = vyre.load %a[%i] : !vyre.buffer<1x{type}, read_only> -> {type}
    %y = vyre.load %b[%i] : !vyre.buffer<1x{type}, read_only> -> {type}
    %z = {op} {values} : {signature}
    vyre.store %z, %o[%i] : {to}, !vyre.buffer<1x{to}, read_write>
  }}
}}
"""


def held(text: str, name: str) -> Array:
    """A number as a buffer of its type holds it."""
    dtype = dtype_of(stored(TYPES[name]))
    if dtype.kind == "f":
        return np.array([float(text)], dtype)
    return np.array([int(text) % 2 ** (1 if name == "i1" else 8 * dtype.itemsize)], dtype)


def test_there_are_examples_of_every_row() -> None:
    table = PAGE.read_text().partition("## What every op gives")[2].partition("## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 15
    assert all(EXAMPLE.search(row) for row in rows)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.group())
def test_examples_hold(example: re.Match[str]) -> None:
    type, to = example["type"], example["to"] or example["type"]
    operands = example["operands"].split(", ")
    text = PROGRAM.format(
        type=type,
        to=to,
        op=example["op"],
        values=", ".join(["%x", "%y"][: len(operands)]),
        signature=f"{type} to {to}" if example["to"] else type,
    )
    inputs = {name: held(number, type) for name, number in zip("ab", operands, strict=False)}
    outputs = interpret(parse_module(text, make_context()), inputs).outputs
    result = held(example["result"], to)
    assert same_bits(np.asarray(outputs["o"]).view(result.dtype), result)
