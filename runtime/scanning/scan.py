"""A whole scan: from what was found in folders to what was found in files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from vyre_dialect.runtime.scanning.batches import Batch, Reader
from vyre_dialect.runtime.scanning.chain import Stage
from vyre_dialect.runtime.scanning.device_programs import Runs, runs_on, runs_on_each
from vyre_dialect.runtime.scanning.results import Result, results_of
from vyre_dialect.runtime.scanning.scanner import Found, Scanner
from vyre_dialect.runtime.scanning.walk import Problem, Source


def scan(
    found: Iterable[Source | Problem],
    chain: Sequence[Stage],
    literals: Sequence[bytes],
    device: str | None = None,
    *,
    devices: str | None = None,
    skips_binary: bool = False,
) -> Iterator[Result]:
    """
    What is in the files that were found, in their order, decoded by `chain`: on a device, or, as
    `runs_on_each` has it, on several that share the work.

    Raises a VyreError where there is no such device, or where it fails.
    """
    if devices is not None:
        yield from _scan_shared(found, chain, runs_on_each(devices, literals), skips_binary)
        return
    runs = runs_on(device, literals)
    scanner, reader = Scanner(chain, runs), Reader(runs.most_bytes, skips_binary)
    for batch in reader.batches(found):
        yield from results_of(batch, scanner.scan(batch.contents))


def _scan_shared(
    found: Iterable[Source | Problem],
    chain: Sequence[Stage],
    each: Sequence[Runs],
    skips_binary: bool,
) -> Iterator[Result]:
    """As `scan`, by several devices at once."""
    from vyre_dialect.runtime.driver.sharing import shared

    reader = Reader(min(runs.most_bytes for runs in each), skips_binary)
    makers = [partial(_prepared, chain, runs) for runs in each]
    names = [runs.name for runs in each]
    for batch, of_batch in shared(reader.batches(found), makers, names):
        yield from results_of(batch, of_batch)


def _prepared(chain: Sequence[Stage], runs: Runs) -> Callable[[Batch], list[Found]]:
    """What scans batches, and takes none before it can start with it."""
    runs.prepare(chain)
    scanner = Scanner(chain, runs)
    return lambda batch: scanner.scan(batch.contents)
