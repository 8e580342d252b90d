"""A message about bad input shows the byte, and what to do about it."""

import pytest
from xdsl.dialects.builtin import i8, i32

from vyre_dialect.builder import program
from vyre_dialect.ops.decode import Base64Op, XorOp
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
    assert failure(b"QUJ") == "'p': invalid base64 input at offset 3"


def test_offsets_that_are_not_those_of_the_input_are_left_alone() -> None:
    assert failure(b"QU J-", skip_whitespace=True) == "'p': invalid base64 input at offset 3"
    assert failure(b"QU-D", chained=True) == "'p': invalid base64 input at offset 2"
