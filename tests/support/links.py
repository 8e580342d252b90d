"""The links and images of a page of Markdown, and whether they lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_FENCED = re.compile(r"^(```+)[^\n]*\n.*?^\1$", re.DOTALL | re.MULTILINE)
_TARGET = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s[^)]*)?\)")
"""What stands behind the text of a link or an image, without a title."""
_SOURCE = re.compile(r'\bsrc(?:set)?="([^"\s]+)')
"""What an image of HTML shows."""
_ELSEWHERE = re.compile(r"[a-z]+:")


def targets_of(page: Path) -> list[str]:
    """Where the links and images of a page lead, those to other sites aside."""
    text = re.sub(r"`[^`\n]+`", "`code`", _FENCED.sub("", page.read_text()))
    targets = [*_TARGET.findall(text), *_SOURCE.findall(text)]
    return [target for target in targets if not _ELSEWHERE.match(target)]


def broken_links(page: Path) -> list[str]:
    """The targets of a page that are no file, or no heading of a page."""
    return [target for target in targets_of(page) if not _exists(page, target)]


def _exists(page: Path, target: str) -> bool:
    path, _, fragment = target.partition("#")
    file = page.parent / path if path else page
    if not file.exists():
        return False
    return not fragment or (file.suffix == ".md" and fragment in set(fragments_of(file)))


def fragments_of(page: Path) -> Iterator[str]:
    """
    The fragments by which GitHub knows the headings of a page: words in lower case, without
    punctuation, joined by `-`; the second of a kind ends in `-1`.
    """
    seen = dict[str, int]()
    text = _FENCED.sub("", page.read_text())
    for heading in re.findall(r"^#{1,6} +(.*?)(?: +#+)? *$", text, re.MULTILINE):
        shown = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        count = seen[slug] = seen.get(slug, -1) + 1
        yield f"{slug}-{count}" if count else slug
