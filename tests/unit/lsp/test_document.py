"""Texts as editors see them: places in any case of a file, in linear time."""

from __future__ import annotations

import pytest
from support.mutations import patience

from vyre_dialect.runtime.lsp.document import Document

CASES = 2000


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "text",
    ["a" * 100_000, "a." * 50_000, "a.b " + " " * 100_000, "@" * 100_000],
    ids=["word", "dots", "spaces", "signs"],
)
def test_symbols_take_linear_time(text: str) -> None:
    with patience():
        assert Document(text).symbols() == {}


def test_cases_take_linear_time() -> None:
    with patience():
        document = Document("%a\n// -----\n" * CASES)
    assert len(document.problems) >= CASES


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("builtin.module {}\n$", [(2, 1)]),
        ("builtin.module {}\n// -----\n$", [(3, 1)]),
        ("builtin.module {}\n// ----- $", [(2, 10)]),
        ("$\n// ----- $\n// -----\n\n  $", [(1, 1), (2, 10), (5, 3)]),
        ("%a = x.y\n// -----\n%a = x.y", [(1, 6), (3, 6)]),
    ],
)
def test_places_of_errors_are_those_in_the_whole_text(
    text: str, places: list[tuple[int, int]]
) -> None:
    problems = Document(text).problems
    assert [(each.line, each.column) for each in problems] == places


def test_definitions_are_those_of_the_case() -> None:
    case = "%x = arith.constant 1 : i32\n%y = arith.addi %x, %x : i32\n"
    document = Document(f"{case}// -----{case}")
    second = len(f"{case}// -----")
    assert {each.definition for each in document.names if each.start >= second} == {
        (second, second + 2),
        (second + 28, second + 30),
    }


@pytest.mark.parametrize(
    ("offset", "word"), [(0, "a.b"), (1, "a.b"), (3, "a.b"), (4, "cd"), (5, "cd"), (6, "cd")]
)
def test_a_word_is_found_from_any_of_its_letters_and_from_its_end(offset: int, word: str) -> None:
    text = "a.b cd"
    start, end = Document(text).word_at(offset)
    assert text[start:end] == word


def test_between_spaces_there_is_no_word() -> None:
    assert Document("a   b").word_at(2) == (2, 2)
