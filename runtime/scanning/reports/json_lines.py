"""An object of JSON on a line for each occurrence or file, and for each problem."""

from __future__ import annotations

import json

from vyre_dialect.runtime.scanning.reports.report import LinesReport, escaped
from vyre_dialect.runtime.scanning.results import FileMatches, Match
from vyre_dialect.runtime.scanning.walk import Problem


class JsonLines(LinesReport):
    """Names of files are as Python has them: a byte that is no UTF-8 is a lone surrogate."""

    def match(self, file: FileMatches, match: Match) -> None:
        self._write(
            file=file.source.name,
            decoded_offset=match.decoded,
            encoded_offset=match.encoded,
            literal=escaped(self.literals[match.literal]),
            line=file.line_numbers[match.number],
            text=self.shown_text(file, match),
        )

    def count(self, file: FileMatches) -> None:
        self._write(file=file.source.name, lines=file.line_count, matches=file.count)

    def name(self, file: FileMatches) -> None:
        self._write(file=file.source.name)

    def problem(self, problem: Problem) -> None:
        error = problem.error
        self._write(file=problem.name, error=error.message, offset=error.offset)

    def _write(self, **values: object) -> None:
        print(json.dumps(values), file=self.out)
