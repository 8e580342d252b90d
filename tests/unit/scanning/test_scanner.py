"""Files that are scanned together are scanned as each by itself, and every offset is right."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.scanning import as_array, scanner, xor

from vyre_dialect.runtime.errors import OutOfMemoryError
from vyre_dialect.runtime.scanning.arrays import Offsets
from vyre_dialect.runtime.scanning.chain import parse_chain
from vyre_dialect.runtime.scanning.device_programs import Text
from vyre_dialect.runtime.scanning.errors import FileError
from vyre_dialect.runtime.scanning.scanner import Matches

KEY, OTHER_KEY = b"key", b"\x5a\xff"
LITERALS = (b"ab", b"b", b"aab")


def in_lines(text: bytes, width: int, end: bytes = b"\n") -> bytes:
    return b"".join(text[place : place + width] + end for place in range(0, len(text), width))


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data,
    "base64": lambda data: in_lines(base64.b64encode(data), 76),
    "base64url": lambda data: base64.urlsafe_b64encode(data).rstrip(b"="),
    "hex": lambda data: in_lines(data.hex().encode(), 60, b"\r\n"),
    "xor:key": lambda data: xor(data, KEY),
    "base64,xor:key": lambda data: in_lines(base64.b64encode(xor(data, KEY)), 8),
    "hex,xor:key,xor-hex:5aff": lambda data: xor(xor(data, OTHER_KEY), KEY).hex().encode(),
    "base64,hex": lambda data: base64.b64encode(in_lines(data.hex().encode(), 10)),
    "base64,base64": lambda data: base64.encodebytes(base64.encodebytes(data)),
    "base64,xor:key,hex": lambda data: base64.b64encode(xor(data.hex().encode(), KEY)),
}
FILES = st.lists(st.lists(st.sampled_from([b"a", b"b", b"\n", b"\0"]), max_size=90).map(b"".join))


def found_by_python(data: bytes) -> list[tuple[int, int]]:
    return sorted(
        (match.start(), number)
        for number, literal in enumerate(LITERALS)
        for match in re.finditer(b"(?=" + re.escape(literal) + b")", data)
    )


def places_of_digits(text: bytes) -> list[int]:
    return [place for place, byte in enumerate(text) if not bytes([byte]).isspace()]


@pytest.mark.parametrize("chain", ENCODERS)
@given(FILES)
def test_each_file_has_its_own_matches(chain: str, files: list[bytes]):
    scans, _ = scanner(parse_chain(chain), *LITERALS)
    found = scans.scan([as_array(ENCODERS[chain](data)) for data in files])
    for data, matches in zip(files, found, strict=True):
        assert isinstance(matches, Matches)
        pairs = list(zip(matches.decoded.tolist(), matches.which.tolist(), strict=True))
        assert pairs == found_by_python(data)
        assert matches.text == (data if pairs else b"")


@given(FILES, st.sampled_from([4, 8, 20, 76]), st.sampled_from([b"\n", b"\r\n", b" \n\t", b""]))
def test_an_encoded_offset_is_that_of_the_first_digit(files: list[bytes], width: int, end: bytes):
    encoded = [in_lines(base64.b64encode(data), width, end) for data in files]
    scans, _ = scanner(parse_chain("base64"), *LITERALS)
    for text, matches in zip(encoded, scans.scan(list(map(as_array, encoded))), strict=True):
        assert isinstance(matches, Matches)
        digits = places_of_digits(text)
        decoded: list[int] = matches.decoded.tolist()
        expected = [digits[place * 4 // 3] for place in decoded]
        assert matches.encoded.tolist() == expected


def test_an_encoded_offset_goes_back_through_all_stages():
    inner = in_lines(b"..ab".hex().encode(), 3)
    outer = in_lines(base64.b64encode(inner), 5)
    scans, _ = scanner(parse_chain("base64,hex"), b"ab")
    (found,) = scans.scan([as_array(outer)])
    assert isinstance(found, Matches)
    byte = places_of_digits(inner)[2 * len(b"..")]
    assert found.encoded.tolist() == [places_of_digits(outer)[byte * 4 // 3]]


def test_no_match_spans_two_files():
    scans, runs = scanner((), b"ab")
    found = scans.scan([as_array(b"xa"), as_array(b"bx"), as_array(b"ab")])
    assert [len(each.decoded) for each in found if isinstance(each, Matches)] == [0, 0, 1]
    assert runs.located == 1


def test_what_fills_up_a_file_is_not_found():
    scans, _ = scanner(parse_chain("base64"), b"\0")
    found = scans.scan([as_array(base64.b64encode(data)) for data in (b"a", b"\0", b"")])
    assert [len(each.decoded) for each in found if isinstance(each, Matches)] == [0, 1, 0]


WRONG = {
    "a byte": (b"YW*h", "invalid base64: byte 0x2a at offset 2"),
    "a byte behind line breaks": (b"YWFh\nYW*h\n", "invalid base64: byte 0x2a at offset 7"),
    "padding in the middle": (b"YQ==YWFh", "invalid base64: byte 0x3d at offset 2"),
    "padding and nothing else": (b"====", "invalid base64: byte 0x3d at offset 0"),
    "a length": (b"YWFhY", "invalid base64: expected groups of 4 digits, got 5"),
    "bytes of all kinds": (bytes(range(256)), "invalid base64: byte 0x00 at offset 0"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_does_not_keep_others_from_being_scanned(case: str):
    text, message = WRONG[case]
    good = as_array(base64.b64encode(b"ab"))
    scans, runs = scanner(parse_chain("base64"), b"ab")
    first, wrong, last = scans.scan([good, as_array(text), good])
    assert isinstance(wrong, FileError)
    assert message in str(wrong)
    assert isinstance(first, Matches) and isinstance(last, Matches)
    assert first.decoded.tolist() == last.decoded.tolist() == [0]
    assert runs.decoded <= 2


def test_many_wrong_files_take_no_run_each():
    scans, runs = scanner(parse_chain("hex"), b"ab")
    found = scans.scan([as_array(b"no")] * 500)
    assert all(isinstance(each, FileError) for each in found)
    assert runs.decoded <= 2


def test_an_error_of_a_later_stage_has_its_place_in_the_file():
    text = in_lines(base64.b64encode(b"6162*1"), 3)
    scans, _ = scanner(parse_chain("base64,hex"), b"ab")
    (found,) = scans.scan([as_array(text)])
    assert str(found) == "invalid hex: byte 0x2a at offset 6"


def test_whitespace_in_lines_of_several_lengths_does_not_count():
    scans, _ = scanner(parse_chain("base64"), b"ab")
    (found,) = scans.scan([as_array(b"Y W\nF\n\nh YW I=\n \n")])
    assert isinstance(found, Matches)
    assert found.decoded.tolist() == [3]
    assert found.encoded.tolist() == [9]


@pytest.mark.parametrize("error", [OutOfMemoryError("no room"), MemoryError("no room")])
def test_a_file_that_does_not_fit_the_memory_does_not_keep_others_from_being_scanned(
    error: Exception, monkeypatch: pytest.MonkeyPatch
):
    scans, runs = scanner((), b"ab")
    locate = runs.locate

    def little_memory(text: Text) -> tuple[Offsets, Offsets]:
        if b"large" in runs.fetch(text).tobytes():
            raise error
        return locate(text)

    monkeypatch.setattr(runs, "locate", little_memory)
    first, large, last = scans.scan([as_array(each) for each in (b"ab", b"large", b".ab")])
    assert isinstance(first, Matches) and isinstance(last, Matches)
    assert (first.decoded.tolist(), last.decoded.tolist()) == ([0], [1])
    assert str(large) == "does not fit the memory: no room"
