"""Tables as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows of text below their heads."""
    head = "".join(f"<th>{escape(each)}</th>" for each in heads)
    lines = ("".join(f"<td>{escape(each)}</td>" for each in row) for row in rows)
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"
