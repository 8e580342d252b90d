"""Compares what a page shows with what a command prints on another machine, on another day."""

from __future__ import annotations

import re

UNIT = r"(?:ns|µs|ms|s|GB/s)"
NUMBER = r"\d+(?:\.\d+)?"
TIMING = re.compile(rf"(?<![\w.]){NUMBER}(?= (?:{UNIT}|times as fast)(?!\w))")
"""A number with a unit of time, or what follows from times."""
HEADING = re.compile(rf"(?<=[ ]){UNIT}(?=  |$)")
"""The end of the heading of a column of times."""
DEVICE = re.compile(
    r"(?<= on ).+ \((?:Intel\(R\) OpenCL|Portable Computing Language|NVIDIA CUDA)\)(?=$|, policy )"
    r"|(?<=^hot paths of ).+$"
)


def same_but_for_machine(shown: str, printed: str) -> bool:
    """
    Whether two texts are equal line by line, but for timings, names of devices and padding. Where
    the last line shown is `...`, more may be printed.
    """
    expected, found = without_machine(shown), without_machine(printed)
    if expected[-1:] == ["..."]:
        expected.pop()
        found = found[: len(expected)]
    return expected == found


def without_machine(text: str) -> list[str]:
    """The lines of a text in which timings and names of devices are replaced by what they are."""
    lines = list[str]()
    ends: frozenset[int] = frozenset()
    for line in text.splitlines():
        # A table is indented; each of its columns of numbers ends where its heading does.
        if not line.startswith("  "):
            ends = frozenset[int]()
        cells = _without_times(line, ends)
        ends |= {heading.end() for heading in HEADING.finditer(line)}
        named = DEVICE.sub("DEVICE", TIMING.sub("TIME", cells))
        lines.append(re.sub(r"(?<=\S) {2,}", "  ", named).rstrip())
    return lines


def _without_times(line: str, ends: frozenset[int]) -> str:
    """The row of a table without the numbers and spreads that end where columns of times do."""
    return re.sub(
        rf"(?<= ){NUMBER}(?:–{NUMBER})?(?= |$)",
        lambda number: "TIME" if number.end() in ends else number[0],
        line,
    )
