"""A message about bad input shows the byte, and what to do about it."""

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerType, i8, i16, i32, i64

from vyre_dialect.builder import program
from vyre_dialect.ops.columns import DictionaryOp
from vyre_dialect.ops.decode import Base64Op, XorOp
from vyre_dialect.ops.packed import BitUnpackBlocksOp
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.interpreter.traps import TrapError


def failure(text: bytes, *, skip_whitespace: bool = False, chained: bool = False) -> str:
    with program("p") as p:
        encoded = source = p.buffer("encoded", i8)
        decoded, errors = p.buffer("decoded", i8), p.buffer("errors", i32, 1, fill=-1)
        if chained:
            source = p.buffer("between", i8)
            XorOp(encoded, source, b"\0")
        Base64Op(source, decoded, errors, skip_whitespace=skip_whitespace)
    with pytest.raises(TrapError) as raised:
        run_module(p.module, {"encoded": text}, device="reference")
    return str(raised.value)


def test_whitespace_names_the_option() -> None:
    assert failure(b"QUJD\nQUJ") == (
        "'p': invalid base64 input at offset 4: byte 0x0a ('\\n'); 'skip_whitespace' on "
        "'vyre.decode.base64' skips whitespace"
    )


def test_another_byte_is_shown() -> None:
    assert failure(b"QU-D") == "'p': invalid base64 input at offset 2: byte 0x2d ('-')"


def test_the_end_has_no_byte() -> None:
    assert failure(b"QUJ") == "'p': invalid base64 input at offset 3: the input ends there"


@pytest.mark.slow
def test_offsets_that_are_not_those_of_the_input_are_left_alone() -> None:
    assert failure(b"QU J-", skip_whitespace=True) == "'p': invalid base64 input at offset 3"
    assert failure(b"QU-D", chained=True) == "'p': invalid base64 input at offset 2"


@pytest.mark.parametrize(
    ("type", "code", "shown"),
    [(i8, -1, ": byte 0xff ('ÿ')"), (i16, 300, ""), (i32, -1, ""), (i32, 2**31 - 1, "")],
)
def test_only_bytes_are_shown(type: IntegerType, code: int, shown: str) -> None:
    with program("p") as p:
        codes, table = p.buffer("codes", type), p.buffer("table", i32)
        values, errors = p.buffer("values", i32), p.buffer("errors", i32, 1, fill=-1)
        DictionaryOp(codes, values, table, errors)
    width = type.width.data // 8
    given = {
        "codes": np.array([0, code], np.dtype(f"i{width}")),
        "table": np.arange(5, dtype=np.int32),
    }
    with pytest.raises(TrapError) as raised:
        run_module(p.module, given, device="reference")
    assert str(raised.value) == f"'p': invalid dictionary code at offset 1{shown}"


def test_the_number_of_a_block_is_no_place_of_a_byte() -> None:
    with program("p") as p:
        packed, blocks = p.buffer("packed", i8), p.buffer("blocks", i64)
        values, errors = p.buffer("values", i32), p.buffer("errors", i32, 1, fill=-1)
        BitUnpackBlocksOp(packed, values, blocks, 128, errors)
    given = {"packed": bytes(64), "blocks": np.array([0, 99, 0], np.int64)}
    with pytest.raises(TrapError) as raised:
        run_module(p.module, given, device="reference")
    assert str(raised.value) == "'p': invalid block of packed integers at offset 0"
