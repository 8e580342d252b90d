"""What tuning has decided, handed to every worker: those of the same device take it."""

from __future__ import annotations

from collections.abc import Sequence

from distributed import Worker, WorkerPlugin

from vyre_dialect.runtime.distributed.cluster import Cluster
from vyre_dialect.runtime.distributed.shards import Shard, ShardedProgram, inputs_of
from vyre_dialect.runtime.distributed.worker import VyrePlugin, programs_of
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.tuning.decisions import DecisionFile, KeptDecision


class DecisionsPlugin(WorkerPlugin):
    """Keeps decisions on each worker's machine, also on that of one that joins later."""

    name = "vyre-decisions"

    def __init__(self, device: DeviceInfo, kept: Sequence[KeptDecision]):
        self._device, self._kept = device, kept

    def setup(self, worker: Worker) -> None:
        """Keep them, and let go of programs that were compiled without."""
        if not keep(self._device, self._kept):
            return
        for plugin in worker.plugins.values():
            if isinstance(plugin, VyrePlugin):
                plugin.forget()


def keep(device: DeviceInfo, kept: Sequence[KeptDecision]) -> int:
    """Keep what was decided elsewhere, where this machine has not decided; how many that are."""
    file = DecisionFile.of(device)
    if file is None:
        return 0
    known = file.all()
    new = [each for each in kept if each.key not in known]
    for key, decision in new:
        file.put(key, decision)
    return len(new)


def broadcast(cluster: Cluster, tuned: Sequence[KeptDecision] = ()) -> None:
    """Hand workers what this machine has kept for their device, and what was `tuned` now."""
    device = cluster.device
    if device is None or not cluster.wishes.takes_decisions:
        return
    file = DecisionFile.of(device)
    known = {} if file is None else file.all()
    kept = [*(KeptDecision(key, decision) for key, decision in known.items()), *tuned]
    if kept:
        cluster.client.register_plugin(DecisionsPlugin(device, kept))


def tune_task(shard: Shard, program: ShardedProgram, plugin: str) -> list[KeptDecision]:
    """Find the fastest form of the program for a shard, unless the machine knows it."""
    text = program.texts[shard.piece].text
    decision = programs_of(plugin).tune(text, inputs_of(program, shard))
    return [] if decision is None else [decision]
