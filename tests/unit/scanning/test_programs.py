"""The programs of scans are what the chain and the literals ask for."""

from __future__ import annotations

import pytest

from vyre_dialect.ops.literals import LocateOp
from vyre_dialect.runtime.scanning.chain import parse_chain
from vyre_dialect.runtime.scanning.programs import decoding, locating


@pytest.mark.parametrize(
    ("chain", "decoders"),
    [
        ("base64", ["vyre.decode.base64"]),
        ("hex,xor:a,xor:b", ["vyre.decode.hex", "vyre.decode.xor", "vyre.decode.xor"]),
        ("xor:a", ["vyre.decode.xor"]),
    ],
)
def test_a_stage_is_its_decoders_one_after_the_other(chain: str, decoders: list[str]):
    (stage,) = parse_chain(chain)
    built = decoding(stage)
    built.module.verify()
    ops = [op for op in built.op.body.block.ops if op.name.startswith("vyre.decode")]
    assert [op.name for op in ops] == decoders
    live = [each.sym_name.data for each in built.op.buffers() if each.live_out is not None]
    assert live == ["decoded"]


@pytest.mark.parametrize(("literals", "prefilter"), [((b"a", b"bc"), "none"), ((b"ab",), None)])
def test_single_bytes_are_not_looked_for_first(literals: tuple[bytes, ...], prefilter: str | None):
    built = locating(literals)
    built.module.verify()
    (op,) = [op for op in built.op.body.block.ops if isinstance(op, LocateOp)]
    assert op.patterns == literals
    assert op.chosen("prefilter") == prefilter
