"""SARIF 2.1.0 (OASIS), which code hosts and editors show: results at the bytes of encoded files."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from vyre_dialect.runtime.scanning.reports.report import Report, escaped
from vyre_dialect.runtime.scanning.results import FileMatches, Match
from vyre_dialect.runtime.scanning.walk import Problem

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


@dataclass(frozen=True)
class SarifReport(Report):
    """One log, which is written at the end."""

    _results: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _problems: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def match(self, file: FileMatches, match: Match) -> None:
        location = _location(file.source.name, match.encoded)
        self._results.append(
            {
                "ruleId": _rule_id(match.literal),
                "ruleIndex": match.literal,
                "message": {"text": self.shown_text(file, match)},
                "locations": [location],
                "properties": {
                    "decodedOffset": match.decoded,
                    "decodedLine": file.line_numbers[match.number],
                },
            }
        )

    def problem(self, problem: Problem) -> None:
        location = _location(problem.name, problem.error.offset)
        self._problems.append(
            {
                "level": "error",
                "message": {"text": problem.error.message},
                "locations": [location],
            }
        )

    def end(self) -> None:
        rules = [
            {"id": _rule_id(number), "shortDescription": {"text": escaped(literal)}}
            for number, literal in enumerate(self.literals)
        ]
        invocation = {
            "executionSuccessful": not self._problems,
            "toolExecutionNotifications": self._problems,
        }
        run = {
            "tool": {"driver": {"name": "vyre scan", "rules": rules}},
            "invocations": [invocation],
            "results": self._results,
        }
        print(json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}), file=self.out)


def _rule_id(literal: int) -> str:
    return f"literal-{literal + 1}"


def _location(name: str, offset: int | None) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": quote(os.fsencode(name))}}
    if offset is not None:
        location["region"] = {"byteOffset": offset}
    return {"physicalLocation": location}
