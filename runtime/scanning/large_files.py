"""Files that are too large for one run."""

from __future__ import annotations

from collections.abc import Sequence

from vyre_dialect.runtime.scanning.chain import Stage
from vyre_dialect.runtime.scanning.device_programs import Runs
from vyre_dialect.runtime.scanning.results import Result
from vyre_dialect.runtime.scanning.walk import Problem


def scan_large(refused: Problem, chain: Sequence[Stage], runs: Sequence[Runs]) -> Result:
    """
    What is in a file that was `refused`, as its `TooLargeError` says, decoded by `chain`; `runs`
    are what it may be scanned by. As programs are not cut along their input here, the refusal.
    """
    return refused
