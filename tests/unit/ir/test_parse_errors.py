"""What is wrong with the syntax of a text is told in words for people, at the place of it."""

from __future__ import annotations

import pytest
from support.schedules import CONTEXT

from vyre_dialect.ir.reading import ReadError, read_module

BUFFER = "%text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>"
TYPES = "!vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>"
SAME = "!vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_only>"
BYTES = "!vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>"


def program(*lines: str) -> str:
    return "\n".join(("vyre.program @p {", f"  {BUFFER}", *lines, "}"))


WRONG = {
    "nothing": ("", "1:1: expected a program, got an empty text"),
    "a comment": ("// later\n", "2:1: expected a program, got an empty text"),
    "something else": ("42", "1:1: expected an op, got '42'"),
    "a brace too many": (program() + "\n}", "4:1: expected an op, got '}'"),
    "a brace too few": (
        f"vyre.program @p {{\n  {BUFFER}\n",
        "3:1: expected '}', got the end of the text: 'vyre.program' of line 1 is not closed",
    ),
    "an inner brace too few": (
        program('  vyre.region "r" invocations [8] {', "    %i = vyre.invocation_id x"),
        "5:2: expected '}', got the end of the text: 'vyre.program' of line 1 is not closed",
    ),
    "a name with a hyphen": (
        "vyre.schedule @s profile(release) {\n  vyre.request @vyre-unroll\n}",
        "2:21: expected an op or '}', got '-'",
    ),
    "a misspelt value": (
        program(f'  vyre.decode.xor %txt to %text key "k" : {SAME}'),
        "3:19: '%txt' is used but not defined: did you mean '%text'?",
    ),
    "a value from nowhere": (
        program("  %n = arith.addi %zebra, %zebra : index"),
        "3:19: '%zebra' is used but not defined: define it, as '%zebra = …', before",
    ),
    "values of another result": (
        program("  %n = arith.addi %m#1, %m#1 : index"),
        "3:19: '%m' is used but not defined",
    ),
    "no type before another op": (
        program("  %n = vyre.buf_len %text  ", "  %m = arith.constant 1 : index"),
        "3:26: expected ':', got the end of the line: types stand at the end of an op, behind ':'",
    ),
    "no type before a call without results": (
        program("  %n = vyre.buf_len %text", "", '  vyre.region "r" invocations [8] {', "  }"),
        "3:26: expected ':', got the end of the line: types stand at the end of an op, behind ':'",
    ),
    "no type at the end of a region": (
        program("  %n = vyre.buf_len %text"),
        "3:26: expected ':', got the end of the line: types stand at the end of an op, behind ':'",
    ),
    "no buffer for errors": (
        program(f"  vyre.decode.base64 %text to %text : {BYTES}"),
        "expected 'errors', got ':': the clauses of 'vyre.decode.base64' are in this order: to, ",
    ),
    "text without quotes": (
        program(f"  vyre.scan.literal self in %text count %text : {TYPES}"),
        "3:21: expected an attribute, got 'self': text stands in quotes",
    ),
    "a number for a text": (
        program(f"  vyre.decode.xor %text to %text key 42 : {BYTES}"),
        "expected a type of numbers, as i32, behind a number: text stands in quotes",
    ),
    "an escape that there is none of": (
        program(rf'  vyre.decode.xor %text to %text key "\xab" : {BYTES}'),
        "3:38: malformed text: expected '\"' at its end, in the same line, and after each '\\' two "
        "hexadecimal digits, or one of '\"', '\\', 'n', 't'",
    ),
    "a text that does not end": (
        program('  vyre.decode.xor %text to %text key "secret : i8'),
        "3:38: malformed text: expected '\"' at its end",
    ),
    "a keyword that is missing": (
        program(f"  vyre.decode.xor %text to %text : {BYTES}"),
        "3:34: expected 'key', got ':'",
    ),
    "a clause that is misspelt": (
        "vyre.program @p {\n  %t = vyre.buffer @t liveout : !vyre.buffer<1xi8, read_write>\n}",
        "2:23: expected ':', got 'liveout': did you mean 'live_out'?",
    ),
    "a clause in another place": (
        program(f'  vyre.decode.xor %text to %text key "k" lanes 4 key "l" : {BYTES}'),
        "3:50: expected ':', got 'key': the clauses of 'vyre.decode.xor' are in this order: "
        "to, key, lanes",
    ),
    "a predicate that there is none of": (
        program(
            '  vyre.region "r" invocations [8] {',
            "    %i = vyre.invocation_id x",
            "    %b = arith.cmpi lt, %i, %i : index",
            "  }",
        ),
        "5:5: unknown predicate 'lt': integers have eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge",
    ),
    "a word that is no clause": (
        program(f'  vyre.decode.xor %text to %text key "k" zebra : {BYTES}'),
        "3:42: expected ':', got 'zebra'",
    ),
    "an op of which there is none, at the end of a line": (
        program("  vyre.barier"),
        "3:3: unknown operation 'vyre.barier': did you mean 'vyre.barrier'?",
    ),
    "an op of which there is none, in quotes": (
        program('  %n = "arith.constent"() : () -> index'),
        "3:9: unknown operation 'arith.constent': did you mean 'arith.constant'?",
    ),
    "a bracket that is missing": (
        program('  vyre.region "r" invocations 8 {', "  }"),
        "3:31: expected '[', got '8'",
    ),
    "a symbol that is missing": (
        "vyre.program p {\n}",
        "1:14: expected a symbol name, as '@name', got 'p'",
    ),
    "a word that is none of several": (
        "vyre.program @p {\n  %t = vyre.buffer @t : !vyre.buffer<?xi8, readonly>\n}",
        "2:44: expected 'read_only', 'write_only', 'read_write', or 'uniform', got 'readonly'",
    ),
    "a value of two types": (
        program("  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_write>"),
        "3:21: '%text' is used with type !vyre.buffer<?xi8, read_write>, and is of "
        "type !vyre.buffer<?xi8, read_only>, by line 2",
    ),
    "a number without a type": (
        program("  %key = arith.constant 32\n  %sum = arith.addi %key, %key : i8"),
        "4:21: '%key' is used with type i8, and is an i64, as no type is stated in line 3: "
        "'arith.constant 32 : i8'",
    ),
    "a number with another type": (
        program("  %key = arith.constant 32 : i64\n  %sum = arith.addi %key, %key : i8"),
        "4:21: '%key' is used with type i8, and is of type i64, by line 3",
    ),
    "a type that there is none of": (
        "vyre.program @p {\n  %t = vyre.buffer @t : !vyre.bufer<?xi8, read_only>\n}",
        "unknown type or attribute 'vyre.bufer': did you mean 'vyre.buffer'?",
    ),
    "a type of another family": (
        "vyre.program @p {\n  %t = vyre.buffer @t : !acme.tape\n}",
        "unknown type or attribute 'acme.tape': no dialect that is installed has it",
    ),
    "a type without its mark": (
        "vyre.program @p {\n  %t = vyre.buffer @t : vyre.buffer<?xi8, read_only>\n}",
        "2:25: expected a type, as i32 or !vyre.token, got 'vyre.buffer'",
    ),
    "a count that is missing": (
        "vyre.program @p {\n  %t = vyre.buffer @t : !vyre.buffer<xi8, read_only>\n}",
        "2:38: expected either integer literal or '?' in shape dimension, got 'xi8'",
    ),
    "a page of text": ("# vyre", "1:1: expected a name behind '#'"),
    "a quote of another kind": (program("  vyre.region 'r'"), "3:15: unexpected character: '"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said(name: str) -> None:
    text, expected = WRONG[name]
    with pytest.raises(ReadError) as raised:
        read_module(text, CONTEXT, "p.mlir")
    assert expected in str(raised.value)
    assert "\n" not in str(raised.value)


def test_of_several_ops_the_one_that_is_told_of_is_shown() -> None:
    text = f"builtin.module {{\n  {BUFFER}\n  vyre.barrier\n}}"
    with pytest.raises(ReadError, match=r"^p\.mlir:2: 'vyre.buffer' expects parent op") as raised:
        read_module(text, CONTEXT, "p.mlir")
    assert raised.value.place == (2, 3)
