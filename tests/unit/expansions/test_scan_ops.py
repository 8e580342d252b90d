"""What the ops of the scan library say about themselves."""

import pytest
from xdsl.dialects.builtin import BytesAttr, StringAttr, i8, i32, i64
from xdsl.ir import Operation
from xdsl.traits import MemoryEffectKind, get_effects

from vyre_dialect.builder import Program, program
from vyre_dialect.ir.byte_strings import (
    byte_string_attr,
    bytes_of,
)
from vyre_dialect.ops.literals import LiteralOp, LiteralsOp
from vyre_dialect.ops.scan import FilterOp, HistogramOp, PrefixSumOp


def scanners(p: Program) -> list[Operation]:
    """One op of each kind, with all its operands."""
    text, values = p.buffer("text", i8), p.buffer("values", i32)
    count, total = p.buffer("count", i32, 1), p.buffer("sum", i64, 1)
    positions = p.buffer("positions", i64, 4, fill=-1)
    matches, bins = p.buffer("matches", i32, 2), p.buffer("bins", i32, 256)
    sums = p.buffer("sums", i64, 64)
    return [
        LiteralOp(b"a\xff", text.ssa, count.ssa, positions.ssa),
        LiteralsOp(["import", b"\0"], text.ssa, matches.ssa, chunk=32),
        HistogramOp(text.ssa, bins.ssa),
        FilterOp(values.ssa, -5, 7, count.ssa, total.ssa),
        PrefixSumOp(values.ssa, sums.ssa),
    ]


def test_sources_are_only_read():
    with program("p") as p:
        ops = scanners(p)
    for op in ops:
        effects = get_effects(op)
        assert effects is not None
        source = op.operands[0]
        assert {effect.kind for effect in effects if effect.value is source} == {
            MemoryEffectKind.READ
        }


def test_results_are_written_and_read_unless_they_are_replaced():
    with program("p") as p:
        ops = scanners(p)
    for op in ops:
        effects = get_effects(op)
        assert effects is not None
        for result in op.operands[1:]:
            kinds = {effect.kind for effect in effects if effect.value is result}
            replaced = isinstance(op, PrefixSumOp)
            updated = {MemoryEffectKind.READ, MemoryEffectKind.WRITE}
            assert kinds == ({MemoryEffectKind.WRITE} if replaced else updated)


def test_ops_built_from_python_verify_and_print_alike():
    with program("p") as p:
        ops = scanners(p)
    p.module.verify()
    assert [str(op).split(" : ")[0] for op in ops] == [
        'vyre.scan.literal "a\\FF" in %text count %count positions %positions',
        'vyre.scan.literals ["import", "\\00"] in %text matches %matches chunk 32',
        "vyre.scan.histogram %text bins %bins",
        "vyre.scan.filter %values in [-5, 7) count %count sum %sum",
        "vyre.scan.prefix_sum %values to %sums",
    ]


@pytest.mark.parametrize("data", [b"", b"import", b"a\0\n\x7f", b"\x80", "é".encode(), bytes(256)])
def test_byte_strings_survive(data: bytes):
    assert bytes_of(byte_string_attr(data)) == data


def test_a_string_stands_for_its_utf8_bytes():
    assert byte_string_attr("ab") == StringAttr("ab")
    assert byte_string_attr("é") == BytesAttr(b"\xc3\xa9")
    assert bytes_of(StringAttr("é")) == b"\xc3\xa9"
