"""Clusters of Dask on this machine, and programs whose shards run apart on them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import numpy as np
from distributed import Client, LocalCluster
from xdsl.dialects.builtin import ModuleOp, i8, i32, i64

from vyre_dialect.builder import arm, if_, index, program
from vyre_dialect.ir.types import Access, AtomicKind
from vyre_dialect.runtime.interpreter.arrays import Array


@contextmanager
def cluster_here(workers: int) -> Generator[Any]:
    """A client of a cluster within this process, which others reach by TCP."""
    settings = {"processes": False, "protocol": "tcp", "host": "127.0.0.1"}
    with local_cluster(workers, settings) as local, Client(local, set_as_default=False) as client:
        yield client


def local_cluster(workers: int, settings: dict[str, Any] | None = None) -> Any:
    """A cluster of workers with one thread each, which are processes unless settings say else."""
    make: Any = LocalCluster
    settings = settings or {}
    return make(n_workers=workers, threads_per_worker=1, dashboard_address=None, **settings)


def peaks() -> ModuleOp:
    """Counts bytes larger than both neighbours, keeps the last place, and marks each of them."""
    with program("peaks") as p:
        text = p.buffer("text", i8, access=Access.READ_ONLY)
        count = p.buffer("count", i32, 1, live_out=True)
        last = p.buffer("last", i64, 1, live_out=True, fill=-1)
        marks = p.buffer("marks", i8, text.length, live_out=True)
        with arm("scan", text.length) as i:
            own = text[i].to(i32) & 255
            is_peak = (own > (text[i - 1].to(i32) & 255)) & (own > (text[i + 1].to(i32) & 255))
            marks[i] = is_peak.to(i8)
            with if_(is_peak):
                count.atomic(AtomicKind.ADDI, 1)
                last.atomic(AtomicKind.MAXS, i.to(i64))
    return p.module


def expected_peaks(text: Array) -> dict[str, Array]:
    """What `peaks` gives, by NumPy."""
    padded = np.concatenate([[0], text.astype(np.int32), [0]])
    marks = (padded[1:-1] > padded[:-2]) & (padded[1:-1] > padded[2:])
    places = np.flatnonzero(marks)
    return {
        "count": np.array([places.size], np.int32),
        "last": np.array([places[-1] if places.size else -1], np.int64),
        "marks": marks.astype(np.uint8),
    }


def doubled_sum() -> ModuleOp:
    """A sum, and an arm behind that needs all of it."""
    with program("doubled") as p:
        text = p.buffer("text", i32, access=Access.READ_ONLY)
        total = p.buffer("total", i32, 1)
        twice = p.buffer("twice", i32, 1, live_out=True)
        with arm("sum", text.length) as i:
            total.atomic(AtomicKind.ADDI, text[i])
        with arm("end", 1) as i:
            twice[i] = total[i] * 2
    return p.module


def appended() -> ModuleOp:
    """Places in a list, in an order that shards do not keep."""
    with program("appended") as p:
        text = p.buffer("text", i8, access=Access.READ_ONLY)
        count = p.buffer("count", i32, 1, live_out=True)
        places = p.buffer("places", i64, 64, live_out=True)
        with arm("scan", text.length) as i:
            places[count.atomic(AtomicKind.ADDI, 1).to(index)] = i.to(i64)
    return p.module
