"""What is said of an error that somebody else raised."""

import pytest

from vyre_dialect.runtime.errors import first_line


@pytest.mark.parametrize(
    ("message", "line"), [("\n  one \n two", "one"), ("one", "one"), (" \n", "ValueError")]
)
def test_the_first_line_that_says_something(message: str, line: str) -> None:
    assert first_line(ValueError(message)) == line
