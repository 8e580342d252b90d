"""What runs of a program add to the hot-path table of their device."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from blake3 import blake3

from vyre_dialect.ir.canonical_text import structural_hash
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.runtime.opencl.results import RunResult
from vyre_dialect.runtime.program.compiled_program import CompiledProgram
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.tuning.hot_path_file import HotPathFile
from vyre_dialect.runtime.tuning.hot_paths import HotPathTable


def keep_times(
    device: DeviceInfo, source: ProgramOp, compiled: CompiledProgram, runs: Iterable[RunResult]
) -> None:
    """Add the times of `runs` to what is kept for `device`, if anything is kept."""
    kept = HotPathFile.of(device)
    if kept is None:
        return
    table = HotPathTable()
    recorder = Recorder(table, source, compiled)
    for run in runs:
        recorder.record(run)
    kept.add(table)


class Recorder:
    """Records runs of a program: each arm under its generator, and all of it under its entry."""

    def __init__(self, table: HotPathTable, source: ProgramOp, compiled: CompiledProgram):
        self._table = table
        self._hashes = arm_hashes(compiled)
        entry = source.entry_op_id
        self._entry = None if entry is None else entry.data
        self._source_hash = structural_hash(source, choices=False)

    def record(self, run: RunResult) -> None:
        """Add the samples of a run. An arm that did not run, or in no time, has given none."""
        for arm in run.arms:
            if arm.kernel_ns is not None and arm.kernel_ns > 0:
                structural = self._hashes.get(arm.generator, "")
                self._table.record(arm.generator, arm.kernel_ns, arm.bytes, structural)
        times = [arm.kernel_ns or 0 for arm in run.arms]
        if self._entry is not None and any(times):
            touched = sum(arm.bytes for arm in run.arms)
            self._table.record(self._entry, sum(times), touched, self._source_hash)


def arm_hashes(compiled: CompiledProgram) -> Mapping[str, str]:
    """The structural hash of the kernels that the arms of each generator have become."""
    digests = dict[str, blake3]()
    for kernel in compiled.kernels.values():
        digest = digests.setdefault(kernel.generator, blake3())
        digest.update(kernel.structural_hash.encode())
    return {generator: digest.hexdigest() for generator, digest in digests.items()}
