"""Each guarantee of the page on security names tests, and these exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text()
NAMED = re.findall(r"`(tests/[^`]*)`", PAGE)


def test_the_page_names_tests() -> None:
    assert len(NAMED) > 5


@pytest.mark.parametrize("named", sorted(set(NAMED)))
def test_the_test_is_there(named: str) -> None:
    file, separator, name = named.partition("::")
    text = (ROOT / file).read_text()
    assert not separator or re.search(rf"^def {re.escape(name)}\(", text, re.MULTILINE)
