"""What `vyre compile` tells another host of a program, however its sizes are computed."""

from __future__ import annotations

from typing import Any

import pytest

from vyre_dialect.runtime.program.compilation import compile_module, make_context, parse_module
from vyre_dialect.runtime.program.description import MOST_PARTS, describe


def described_sizes(ops: int, name: str) -> object:
    """How the size of a buffer is told that so many ops make, each of the one before."""
    steps = [f"%v{n} = arith.{name} %v{n - 1}, %v{n - 1} : index" for n in range(1, ops + 1)]
    text = f"""vyre.program @a {{
        %i = vyre.buffer @i : !vyre.buffer<?xi8, read_only>
        %v0 = vyre.buf_len %i : !vyre.buffer<?xi8, read_only>
        {" ".join(steps)}
        %o = vyre.buffer @o[%v{ops}] live_out : !vyre.buffer<?xi8, read_write>
    }}"""
    context = make_context()
    module = parse_module(text, context)
    described: Any = describe(compile_module(module, context=context))
    return described["buffers"][1]["count"]


def test_a_size_is_an_expression() -> None:
    length = ["length", "i"]
    assert described_sizes(1, "muli") == ["muli", length, length]


@pytest.mark.parametrize("ops", [8, 40, 1000])
def test_an_expression_that_shares_its_parts_is_not_told_whole(ops: int) -> None:
    assert 2**8 > MOST_PARTS
    assert described_sizes(ops, "addi") == ["..."]
