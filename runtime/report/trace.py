"""
A run as trace events, which Perfetto and Chromium's `about:tracing` show.

Source: "Trace Event Format", complete events (`X`) with times in µs.
"""

from __future__ import annotations

import json

from vyre_dialect.runtime.opencl.results import RunResult, spans

_PROCESS = 1


def trace_of(run: RunResult) -> str:
    """The arms of a run, by the clock of the device, as JSON."""
    names = [_metadata("process_name", run.device), _metadata("thread_name", run.program)]
    events = [
        {
            **{"name": span.name, "cat": "kernel", "ph": "X", "pid": _PROCESS, "tid": _PROCESS},
            **{"ts": span.begin / 1e3, "dur": span.taken / 1e3},
            "args": {"bytes": arm.bytes},
        }
        for span, arm in zip(spans(run.arms), run.arms, strict=True)
    ]
    return json.dumps({"traceEvents": [*names, *events], "displayTimeUnit": "ns"}, indent=1) + "\n"


def _metadata(kind: str, name: str) -> dict[str, object]:
    return {"name": kind, "ph": "M", "pid": _PROCESS, "tid": _PROCESS, "args": {"name": name}}
