"""A line for each occurrence or file, for people and for tools that split lines."""

from __future__ import annotations

import sys

from vyre_dialect.runtime.errors import on_one_line
from vyre_dialect.runtime.scanning.reports.report import LinesReport, escaped_name
from vyre_dialect.runtime.scanning.results import FileMatches, Match
from vyre_dialect.runtime.scanning.walk import Problem


class TextReport(LinesReport):
    """`file:decoded offset:encoded offset:text`, `file:count` or `file`; problems apart."""

    def match(self, file: FileMatches, match: Match) -> None:
        place = f"{match.decoded}:{match.encoded}"
        print(f"{self._name(file)}:{place}:{self.shown_text(file, match)}", file=self.out)

    def count(self, file: FileMatches) -> None:
        print(f"{self._name(file)}:{file.line_count}", file=self.out)

    def name(self, file: FileMatches) -> None:
        print(self._name(file), file=self.out)

    def problem(self, problem: Problem) -> None:
        self.out.flush()
        line = f"vyre: {escaped_name(problem.name)}: {problem.error}"
        print(on_one_line(line), file=sys.stderr)

    def _name(self, file: FileMatches) -> str:
        return escaped_name(file.source.name)
