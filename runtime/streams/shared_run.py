"""
Runs a program on pieces of an input that several devices share: each takes the next one when it is
done with the last, and those of a device that fails go to the others.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from queue import SimpleQueue
from time import perf_counter_ns
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.runtime.driver.program_cache import NOTHING_KEPT, ProgramCache
from vyre_dialect.runtime.driver.sharing import WINDOW, shared
from vyre_dialect.runtime.errors import DeviceError, UsageError
from vyre_dialect.runtime.interpreter.arrays import (
    Array,
    Bytes,
    as_elements,
    element_dtype,
    element_size,
)
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.interpreter.traps import TrapError, explained_traps
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.flight import Contents
from vyre_dialect.runtime.opencl.results import RunResult
from vyre_dialect.runtime.opencl.session import DeviceArray, Session
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.progress import Progress, no_progress
from vyre_dialect.runtime.streams.cutting import Cutting, Window
from vyre_dialect.runtime.streams.feeding import Feed, MappedFeed, PipeFeed, ReadPiece
from vyre_dialect.runtime.streams.joining import Joined, SinkOf, kept_in_memory
from vyre_dialect.runtime.streams.limits import DEFAULT_MEMORY
from vyre_dialect.runtime.streams.merging import Merges
from vyre_dialect.runtime.streams.piece_executors import PieceExecutors, arms_of
from vyre_dialect.runtime.streams.pieces import Pieces
from vyre_dialect.runtime.streams.sending import Sizes
from vyre_dialect.runtime.streams.sizes import own_units
from vyre_dialect.runtime.streams.sources import MappedSource, Source
from vyre_dialect.runtime.streams.staging import SentSlot, Slot, Staging, aligned
from vyre_dialect.runtime.streams.stream_run import check_passes, largest
from vyre_dialect.runtime.streams.traffic import Traffic

SHARDS_EACH = 8
"""Pieces that each of the devices would get, at least, if all were as fast: the slowest ends late
by no more than one of them."""
SENT_AT_ONCE = 2
"""Pieces that a device with memory of its own is given at once: it works on one while another is
on its way. A device of the host would only have them wait for each other."""


class _Task(NamedTuple):
    """A piece that is to be run on."""

    piece: ReadPiece
    handed_on: Mapping[str, Array]
    """What it begins with of buffers that pieces hand on."""


class _Done(NamedTuple):
    """What a piece has come to."""

    kept: Mapping[str, Array]
    parts: Mapping[str, Array]
    run: RunResult


class _Worker:
    """Runs a program on pieces on one of the devices, as that cuts it."""

    def __init__(self, pieces: Pieces, executors: PieceExecutors, session: Session, sizes: Sizes):
        self.pieces = pieces
        self.executors = executors
        self.name = session.device.info.label
        self.has_failed = False
        self._staging = Staging(session, sizes)
        self.at_once = 1 if self._staging.is_of_host else SENT_AT_ONCE
        """How many threads may let it run on pieces."""
        self._free: SimpleQueue[SentSlot | None] = SimpleQueue()
        """For each thread one, and None for one that is still to be made."""
        for _ in range(self.at_once):
            self._free.put(None)

    @property
    def most_bytes(self) -> int:
        """How large pieces help it."""
        return self._staging.most_bytes

    def run(self, task: _Task, common: Cutting, fixed: Mapping[str, Array]) -> _Done | TrapError:
        """
        Run on a piece of `common`; `fixed` are inputs that are not cut along. Raises a DeviceError
        where the device fails.
        """
        try:
            return self._run(task, common, fixed)
        except TrapError as error:  # of the first piece that has one, the error is raised
            return error
        except DeviceError:
            self.has_failed = True
            raise

    def _run(self, task: _Task, common: Cutting, fixed: Mapping[str, Array]) -> _Done:
        pieces, piece = self.pieces, task.piece
        window = pieces.cutting.same(common, piece.window)
        given: dict[str, Contents] = {
            name: array[pieces.slice_of(name, window)] if name in pieces.cut_inputs else array
            for name, array in fixed.items()
        }
        contents = piece.contents[_part(pieces.cutting, window, common, piece.window)]
        given |= {pieces.main: contents, **task.handed_on}
        arrays = {name: each for name, each in given.items() if not isinstance(each, DeviceArray)}
        found = self.executors.of(pieces.kind_of(window), arrays)
        if found.place is not None:
            given[found.place] = pieces.place(window)
        with self._sent(contents) as given[pieces.main]:
            run = found.executor.run(found.taken(given))
        kept = {name: run.outputs[name] for name in pieces.kept if name in run.outputs}
        return _Done(kept, pieces.own_parts(window, run.outputs), run)

    @contextmanager
    def _sent(self, contents: Array) -> Generator[Contents]:
        """What the device takes a piece from, which stays there meanwhile."""
        if self._staging.is_of_host:
            yield contents
            return
        slot = self._free.get()
        try:
            if slot is None or slot.size < contents.nbytes:
                slot = self._staging.to_send(contents.nbytes)
            slot.send(contents)
            yield slot.taken()
        finally:
            self._free.put(slot)


def _part(own: Cutting, window: Window, common: Cutting, taken: Window) -> slice:
    """Where what a piece takes stands in what was read for it."""
    begin = taken.first * common.unit
    end = None if window.last is None else window.last * own.unit - begin
    return slice(window.first * own.unit - begin, end)


def run_shared(
    module: ModuleOp,
    inputs: Mapping[str, Array | Bytes | Source],
    *,
    devices: Sequence[Device],
    along: str = "",
    passes: Passes | None = None,
    memory: int = DEFAULT_MEMORY,
    timeout: float | None = None,
    sink_of: SinkOf = kept_in_memory,
    context: Context,
    programs: ProgramCache = NOTHING_KEPT,
    progress: Progress = no_progress,
) -> RunResult:
    """
    As `run_stream`, on several devices at once; parts of what pieces hand on are combined by the
    atomics that are proven for them.

    Raises a RefusedStreamError, too, where they do not combine, a UsageError where devices keep
    other buffers, and a DeviceError where all devices have failed.
    """
    begin = perf_counter_ns()
    passes = passes or Passes()
    check_passes(passes)
    main = along or largest(inputs)
    workers = list[_Worker]()
    sizes = Sizes(threads=max(1, Sizes().threads // len(devices)))
    for device in devices:
        session = Session(device, timeout)
        pieces = Pieces(arms_of(module, passes, context, device.info), context, main)
        pieces.check_names(inputs)
        executors = PieceExecutors(pieces, session, passes, context, programs, no_progress)
        workers.append(_Worker(pieces, executors, session, sizes))
    given = {name: each for name, each in inputs.items() if not isinstance(each, Source)}
    with explained_traps(find_program(module), given):
        run = _SharedRun(workers, inputs, memory, sink_of, progress)
        return run.result(perf_counter_ns() - begin)


def _merges_of_all(workers: Sequence[_Worker]) -> Merges:
    """How what pieces hand on combines, which is to be the same on all devices."""
    first = workers[0]
    for other in workers[1:]:
        alike = first.pieces.joined.keys() == other.pieces.joined.keys()
        if not alike or first.pieces.merges.kinds != other.pieces.merges.kinds:
            raise UsageError(
                f"{first.name} and {other.name} run '{first.pieces.name}' in forms that keep other "
                "buffers: name devices of one kind"
            )
    return first.pieces.merges


class _SharedRun:
    """One run on all pieces of an input."""

    def __init__(
        self,
        workers: Sequence[_Worker],
        inputs: Mapping[str, Array | Bytes | Source],
        memory: int,
        sink_of: SinkOf,
        progress: Progress,
    ):
        self._workers = workers
        pieces = self._pieces = workers[0].pieces
        self._merges = _merges_of_all(workers)
        types = pieces.inputs.types
        self._fixed = {
            name: as_elements(name, types[name], each)
            for name, each in inputs.items()
            if not isinstance(each, Source)
        }
        self._common = Cutting.common([each.pieces.cutting for each in workers])
        self._dtype = element_dtype(types[pieces.main])
        size = element_size(types[pieces.main])
        main = inputs[pieces.main]
        elements = None if isinstance(main, Source) else len(self._fixed[pieces.main])
        own = self._own_units(memory, elements, size)
        self._feed = self._feed_of(main, own)
        self._joined = Joined(pieces, sink_of)
        total = None if elements is None else elements * size
        self._traffic = Traffic(pieces.name, total, progress)
        self._kept: Mapping[str, Array] | None = None
        self._last: ReadPiece | None = None

    def _own_units(self, memory: int, elements: int | None, size: int) -> int:
        """Units of a piece of its own, so that they fit memory and there are enough of them."""
        units = min(
            own_units(worker.pieces, size, memory, worker.most_bytes, shares=self._at_once)
            * worker.pieces.cutting.unit
            for worker in self._workers
        )
        if elements is not None:
            units = min(units, elements // (SHARDS_EACH * self._at_once))
        return max(1, units // self._common.unit)

    @property
    def _at_once(self) -> int:
        """Pieces that devices run on or are sent at once."""
        return sum(worker.at_once for worker in self._workers)

    def _feed_of(self, main: Array | Bytes | Source, own: int) -> Feed:
        if not isinstance(main, Source):
            return MappedFeed(self._common, own, MappedSource(self._fixed[self._pieces.main]))
        # One more than may be open: who reads never waits for a slot, which others would wait for.
        slots = WINDOW * self._at_once + 1
        return PipeFeed(self._common, own, main, self._slot, slots)

    def _slot(self, count: int) -> Slot:
        return Slot(aligned(count, self._dtype))

    def result(self, planning_ns: int) -> RunResult:
        """Run on all pieces, the last by itself, after a time that was taken to plan that."""
        begin = perf_counter_ns()
        self._run(self._all_but_last())
        assert self._last is not None
        self._run(iter([_Task(self._last, self._kept or {})]))
        compile_ns = max(each.executors.compile_ns for each in self._workers)
        total = perf_counter_ns() - begin - compile_ns
        run = self._joined.result(total, planning_ns + compile_ns, None)
        return run._replace(device=", ".join(each.name for each in self._workers))

    def _all_but_last(self) -> Iterator[_Task]:
        """The last piece takes what all others have come to, so that it is kept for later."""
        for piece in self._feed.pieces():
            if piece.window.end is None:
                self._last = piece
                return
            yield _Task(piece, self._merges.begin_with if piece.window.begin else {})

    def _run(self, tasks: Iterator[_Task]) -> None:
        """Let those devices that work run on pieces. Raises the error of a piece."""
        workers = [each for each in self._workers if not each.has_failed]
        makers = [maker for each in workers for maker in [self._maker(each)] * each.at_once]
        names = [each.name for each in workers for _ in range(each.at_once)]
        for task, done in shared(tasks, makers, names):
            if isinstance(done, TrapError):
                raise done
            self._take(task, done)

    def _maker(self, worker: _Worker) -> Callable[[], Callable[[_Task], _Done | TrapError]]:
        return lambda: lambda task: self._run_on(worker, task)

    def _run_on(self, worker: _Worker, task: _Task) -> _Done | TrapError:
        """A piece that begins nothing takes nothing of what the host supplies to the first one."""
        main = self._pieces.main
        without = {main, *self._merges.kinds} if task.piece.window.begin else {main}
        fixed = {name: each for name, each in self._fixed.items() if name not in without}
        return worker.run(task, self._common, fixed)

    def _take(self, task: _Task, done: _Done) -> None:
        """Add what a piece has come to to what others have."""
        self._joined.add(done.parts, done.run)
        if task.piece.window.end is not None:
            known = self._kept
            self._kept = done.kept if known is None else self._merges.combined(known, done.kept)
        self._traffic.add(task.piece.contents.nbytes)
        self._feed.done(task.piece)
