"""
The lines of an ignore file: what each of them names, matched in about as many steps as a path and
the line have characters together, whoever has written them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_MOST_LENGTH = 4096
"""A line with more characters names no path that there is."""
_MOST_PARTS = 32
"""A line with `**` and more parts may be tried in too many ways on a path that was made for it."""
_ANY_FOLDERS = "**"
_TOKEN = re.compile(
    r"(?P<stars>\*+)|(?P<any>\?)|\[(?P<not>[!^]?)(?P<set>(?:\\.|[^\\])(?:\\.|[^]\\])*)\]"
    r"|\\(?P<escaped>.)|(?P<text>[^*?[\\]+)",
    re.DOTALL,
)
_RANGE = re.compile(r"(\\?.)(?:-(\\?.))?", re.DOTALL)
_SPECIAL = re.compile(r"[*?[\\]")


@dataclass(frozen=True)
class IgnorePattern:
    """What one line of an ignore file names."""

    names: str | re.Pattern[str]
    """A name or a path below the folder of the file: itself, or what it looks like."""
    is_path: bool
    """Whether that is a path; a name counts in all folders below."""
    folders_only: bool
    ignored: bool
    """What it decides: whether what it names is passed over."""

    def has(self, path: str, name: str, *, is_folder: bool) -> bool:
        """Whether it names the file or folder that has this path and name."""
        if self.folders_only and not is_folder:
            return False
        text = path if self.is_path else name
        if isinstance(self.names, str):
            return self.names == text
        return self.names.fullmatch(text) is not None


@dataclass(frozen=True)
class IgnorePatterns:
    """The lines of an ignore file."""

    patterns: Sequence[IgnorePattern]
    """The last one that has a path decides, so they are the other way round here."""

    @classmethod
    def of(cls, lines: Iterable[str]) -> IgnorePatterns:
        """The lines that say something; what makes no sense names nothing."""
        patterns = [each for line in lines if (each := _pattern(line)) is not None]
        return cls(patterns[::-1])

    def ignores(self, path: str, name: str, *, is_folder: bool) -> bool | None:
        """Whether a path below the folder is passed over; None where no line names it."""
        for pattern in self.patterns:
            if pattern.has(path, name, is_folder=is_folder):
                return pattern.ignored
        return None


def _pattern(line: str) -> IgnorePattern | None:
    text = _without_trailing_spaces(line.removesuffix("\r"))
    if text.startswith("#") or len(text) > _MOST_LENGTH:
        return None
    glob = text.removeprefix("!")
    body = glob.removesuffix("/")
    is_path = "/" in body
    parts = body.removeprefix("/").split("/")
    if not all(parts) or (_ANY_FOLDERS in parts and len(parts) > _MOST_PARTS):
        return None
    try:
        names = _names(parts, is_path=is_path)
    except ValueError:
        return None
    return IgnorePattern(names, is_path, folders_only=body != glob, ignored=glob == text)


def _without_trailing_spaces(line: str) -> str:
    """But for one behind a backslash."""
    text = line.rstrip(" ")
    is_escaped = (len(text) - len(text.rstrip("\\"))) % 2 == 1
    return f"{text} " if is_escaped and text != line else text


def _names(parts: Sequence[str], *, is_path: bool) -> str | re.Pattern[str]:
    """Raises a ValueError where a part makes no sense."""
    if not _SPECIAL.search("".join(parts)):
        return "/".join(parts)
    return re.compile(_path_regex(parts) if is_path else _part_regex(parts[0]), re.DOTALL)


def _path_regex(parts: Sequence[str]) -> str:
    """
    For parts between `**`, the first place where they fit will do, as it leaves the most for the
    others: nothing is tried again.
    """
    first, *others = _between_any_folders(parts)
    if not others:
        return "/".join(first)
    *middle, last = others
    texts = [_folders(first)]
    texts += [f"(?>(?:[^/]++/)*?{_folders(each)})" for each in middle if each]
    texts.append("(?:[^/]++/)*" + ("/".join(last) or "[^/]+"))
    return "".join(texts)


def _between_any_folders(parts: Sequence[str]) -> list[list[str]]:
    runs: list[list[str]] = [[]]
    for part in parts:
        if part == _ANY_FOLDERS:
            runs.append([])
        else:
            runs[-1].append(_part_regex(part))
    return runs


def _folders(regexes: Sequence[str]) -> str:
    return "".join(f"{regex}/" for regex in regexes)


def _part_regex(part: str) -> str:
    """As `_path_regex`, of what lies between stars in one part of a path."""
    first, *others = _between_stars(part)
    if not others:
        return first
    *middle, last = others
    return "".join([first, *(f"(?>[^/]*?{each})" for each in middle), "[^/]*", last])


def _between_stars(part: str) -> list[str]:
    texts = [""]
    for token in _tokens(part):
        if token["stars"]:
            texts.append("")
        else:
            texts[-1] += _one_regex(token)
    return texts


def _tokens(part: str) -> Iterator[re.Match[str]]:
    place = 0
    while place < len(part):
        token = _TOKEN.match(part, place)
        if token is None:
            raise ValueError("a bracket or a backslash has no end")
        yield token
        place = token.end()


def _one_regex(token: re.Match[str]) -> str:
    """Of a token that is no star; each character of it stands for one of a name."""
    if token["any"]:
        return "[^/]"
    if token["set"]:
        ranges = "".join(_range_regex(*each.groups()) for each in _RANGE.finditer(token["set"]))
        return f"(?!/)[{'^' if token['not'] else ''}{ranges}]"
    return re.escape(token["escaped"] or token["text"])


def _range_regex(first: str, last: str | None) -> str:
    begin = re.escape(first[-1])
    if last is None or last[-1] < first[-1]:
        return begin
    return f"{begin}-{re.escape(last[-1])}"
