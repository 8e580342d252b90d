"""What a Dask worker holds for vyre: one session of a device, and the programs compiled for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, cast

from distributed import Worker, WorkerPlugin, get_worker

from vyre_dialect.runtime.distributed.held_programs import HeldPrograms
from vyre_dialect.runtime.distributed.parts import Part, Trapped
from vyre_dialect.runtime.distributed.shards import Shard, ShardedProgram, run_shard
from vyre_dialect.runtime.errors import DeviceError, VyreError
from vyre_dialect.runtime.opencl.kernel_cache import vyre_version
from vyre_dialect.runtime.opencl.results import REFERENCE_DEVICE
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.tuning.mode import Mode

if TYPE_CHECKING:
    from vyre_dialect.passes.schedule.optimize import OptimizePass
    from vyre_dialect.runtime.scanning.chain import Stage
    from vyre_dialect.runtime.scanning.scanner import Scanner


@dataclass(frozen=True)
class Wishes:
    """How programs are compiled and run on every worker."""

    device: str | None = None
    """The name of a device, or `reference`."""
    optimize: OptimizePass | None = None
    timeout: float | None = None
    """Of a run on a shard, in seconds."""
    takes_decisions: bool = True
    """Whether programs are compiled by what tuning has decided."""

    @classmethod
    def of(
        cls,
        device: str | None,
        optimize: OptimizePass | None = None,
        timeout: float | None = None,
    ) -> Wishes:
        """Those of somebody here, whose environment may say to take no decisions."""
        return cls(device, optimize, timeout, Mode.from_environment() != Mode.OFF)

    @property
    def passes(self) -> Passes:
        """What turns programs into kernels."""
        return Passes(optimize=self.optimize)

    @property
    def plugin_name(self) -> str:
        """The name of the plugin that fulfils them, so that others are held beside it."""
        digest = blake2b(f"{vyre_version()} {self}".encode(), digest_size=8)
        return f"vyre-{digest.hexdigest()}"


class VyrePlugin(WorkerPlugin):
    """Holds a session and its programs on each worker, also on one that joins later."""

    idempotent = True  # what workers have compiled stays with them

    def __init__(self, wishes: Wishes):
        self.wishes = wishes
        self.name = wishes.plugin_name
        self._version = vyre_version()

    def setup(self, worker: Worker) -> None:
        """Begin with nothing compiled; the device is looked for when the first task comes."""
        del worker
        self.lock = Lock()
        self._scanners: dict[tuple[object, object], Scanner] = {}

    def teardown(self, worker: Worker) -> None:
        """Let go of the session."""
        del worker
        self.forget()

    def forget(self) -> None:
        """Compile anew what comes next; what runs now goes on."""
        self.__dict__.pop("programs", None)
        self._scanners.clear()

    @cached_property
    def programs(self) -> HeldPrograms:
        """
        The session. Raises a DeviceError where the worker has no such device, and a VyreError where
        it has another version of vyre.
        """
        if self._version != vyre_version():
            raise VyreError(
                f"a worker has vyre {vyre_version()}, and is asked by {self._version}: install the "
                "same version everywhere"
            )
        wishes = self.wishes
        tuner = Mode.CACHED if wishes.takes_decisions else Mode.OFF
        return HeldPrograms(wishes.device, wishes.passes, wishes.timeout, tuner)

    def scanner(self, chain: tuple[Stage, ...], literals: tuple[bytes, ...]) -> Scanner:
        """What scans files for literals, made ready once. Raises a DeviceError."""
        key = chain, literals
        if key not in self._scanners:
            from vyre_dialect.runtime.scanning.device_programs import runs_on
            from vyre_dialect.runtime.scanning.scanner import Scanner

            self._scanners.clear()  # it holds memory of the device
            self._scanners[key] = Scanner(chain, runs_on(self.wishes.device, literals))
        return self._scanners[key]


def plugin_of(name: str) -> VyrePlugin:
    """What the worker holds that runs this task."""
    plugin = get_worker().plugins[name]
    return cast("VyrePlugin", plugin)


def programs_of(name: str) -> HeldPrograms:
    """The programs that the worker holds under the name of a plugin, made ready once."""
    plugin = plugin_of(name)
    with plugin.lock:
        try:
            return plugin.programs
        except DeviceError as error:
            raise DeviceError(f"worker {get_worker().address}: {error}") from error


# Tasks: functions of values that travel.


def shard_task(
    shard: Shard, program: ShardedProgram, plugin: str, others: Part | Trapped | None = None
) -> Part | Trapped:
    """Run a program on a shard; on the last one behind what all `others` have come to."""
    if isinstance(others, Trapped):
        return replace(others, begin=shard.number, end=shard.number + 1)
    return run_shard(program, shard, programs_of(plugin), others)


def device_task(plugin: str) -> DeviceInfo | None:
    """The device of a worker; None for the interpreter."""
    held = plugin_of(plugin)
    if held.wishes.device == REFERENCE_DEVICE:
        return None
    return programs_of(plugin).device
