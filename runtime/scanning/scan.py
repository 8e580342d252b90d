"""A whole scan: from what was found in folders to what was found in files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from vyre_dialect.runtime.scanning.batches import Reader
from vyre_dialect.runtime.scanning.chain import Stage
from vyre_dialect.runtime.scanning.device_programs import runs_on
from vyre_dialect.runtime.scanning.results import Result, results_of
from vyre_dialect.runtime.scanning.scanner import Scanner
from vyre_dialect.runtime.scanning.walk import Problem, Source


def scan(
    found: Iterable[Source | Problem],
    chain: Sequence[Stage],
    literals: Sequence[bytes],
    device: str | None = None,
    *,
    skips_binary: bool = False,
) -> Iterator[Result]:
    """
    What is in the files that were found, in their order, decoded by `chain`.

    Raises a VyreError where there is no such device, or where it fails.
    """
    runs = runs_on(device, literals)
    scanner, reader = Scanner(chain, runs), Reader(runs.most_bytes, skips_binary)
    for batch in reader.batches(found):
        yield from results_of(batch, scanner.scan(batch.contents))
