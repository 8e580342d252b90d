"""What is said of an error that somebody else raised."""

import pytest

from vyre_dialect.runtime.errors import first_line, on_one_line


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("\n  one \n two", "one"),
        ("one", "one"),
        (" \n", "ValueError"),
        ("does not verify:\nexpected i1\nthree", "does not verify: expected i1"),
        ("nothing behind:", "nothing behind:"),
    ],
)
def test_the_first_line_that_says_something(message: str, line: str) -> None:
    assert first_line(ValueError(message)) == line


def test_a_line_has_three_hundred_characters_at_the_most() -> None:
    assert on_one_line("a" * 300) == "a" * 300
    line = on_one_line(f"expected {'9' * 5000}: advice")
    assert len(line) == 300
    assert line.startswith("expected 999")
    assert "9…9" in line
    assert line.endswith("9: advice")
    assert len(on_one_line("\0" * 299)) == 300


def test_what_would_end_a_line_is_written_out() -> None:
    assert on_one_line("a\nb\x1b[0m\udcff") == r"a\nb\x1b[0m\udcff"
