"""Runs a program on a device, on pieces of an input that may be larger than memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from time import perf_counter_ns
from typing import NamedTuple

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.runtime.driver.program_cache import NOTHING_KEPT, ProgramCache
from vyre_dialect.runtime.errors import UsageError
from vyre_dialect.runtime.interpreter.arrays import (
    Array,
    Bytes,
    as_elements,
    element_dtype,
    element_size,
)
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.interpreter.traps import explained_traps
from vyre_dialect.runtime.opencl.devices import Device, choose_device
from vyre_dialect.runtime.opencl.flight import Contents, RunInFlight
from vyre_dialect.runtime.opencl.results import RunResult
from vyre_dialect.runtime.opencl.session import DeviceArray, Session
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.progress import Progress, no_progress
from vyre_dialect.runtime.streams.feeding import Feed, MappedFeed, PipeFeed, Reader, ReadPiece
from vyre_dialect.runtime.streams.joining import Joined, SinkOf, kept_in_memory
from vyre_dialect.runtime.streams.limits import DEFAULT_MEMORY
from vyre_dialect.runtime.streams.piece_executors import PieceExecutors, arms_of
from vyre_dialect.runtime.streams.pieces import Pieces
from vyre_dialect.runtime.streams.sizes import SLOTS, own_units
from vyre_dialect.runtime.streams.sources import MappedSource, Source
from vyre_dialect.runtime.streams.staging import Slot, Staging
from vyre_dialect.runtime.streams.traffic import Traffic
from vyre_dialect.runtime.tuning.decisions import byte_count

IN_FLIGHT = 2
"""Pieces that the device has to do at once, so that it is never without one."""


SENT_AHEAD = 2
"""Pieces that threads send while the device works on others, so that they are never without one."""


class _Sent(NamedTuple):
    """A piece on its way to the device."""

    piece: ReadPiece
    slot: Slot
    """Where it lies for it."""


class _Flight(NamedTuple):
    """A piece that the device works on."""

    sent: _Sent
    run: RunInFlight


def run_stream(
    module: ModuleOp,
    inputs: Mapping[str, Array | Bytes | Source],
    *,
    along: str = "",
    device: Device | str | None = None,
    passes: Passes | None = None,
    memory: int = DEFAULT_MEMORY,
    timeout: float | None = None,
    sink_of: SinkOf = kept_in_memory,
    context: Context,
    programs: ProgramCache = NOTHING_KEPT,
    progress: Progress = no_progress,
) -> RunResult:
    """
    Run the program of `module` on pieces of the input `along`, or of the largest that can be cut,
    in about `memory` bytes. That input may be a pipe, or many files. Of an output of which each
    piece has a part, the parts go to its sink, where it has one. `timeout` is for each piece, in
    seconds.

    Raises a RefusedStreamError where an op forbids to cut the program, and what `run_module` does.
    """
    begin = perf_counter_ns()
    passes = passes or Passes()
    check_passes(passes)
    chosen = device if isinstance(device, Device) else choose_device(device)
    session = Session(chosen, timeout)
    arms = arms_of(module, passes, context, session.device.info)
    pieces = Pieces(arms, context, along or largest(inputs))
    pieces.check_names(inputs)
    executors = PieceExecutors(pieces, session, passes, context, programs, progress)
    given = {name: each for name, each in inputs.items() if not isinstance(each, Source)}
    with explained_traps(find_program(module), given):
        run = StreamRun(pieces, executors, session, inputs, memory, sink_of, progress)
        return run.result(perf_counter_ns() - begin)


def check_passes(passes: Passes) -> None:
    """Raise a UsageError for passes that are no schedule."""
    if passes.pipeline is not None or passes.edits:
        raise UsageError("a program is cut between passes of a schedule: name no passes with it")


def largest(inputs: Mapping[str, Array | Bytes | Source]) -> str:
    """The input that is read from a pipe, or else the one of the most bytes."""
    sizes = dict[str, int]()
    for name, each in inputs.items():
        if isinstance(each, Source):
            return name
        sizes[name] = byte_count(each)
    return max(sizes, key=lambda name: sizes[name]) if sizes else ""


class StreamRun:
    """One run on all pieces of an input."""

    def __init__(
        self,
        pieces: Pieces,
        executors: PieceExecutors,
        session: Session,
        inputs: Mapping[str, Array | Bytes | Source],
        memory: int,
        sink_of: SinkOf,
        progress: Progress,
    ):
        self._pieces = pieces
        self._executors = executors
        self._session = session
        self._staging = Staging(session)
        types = pieces.inputs.types
        self._fixed = {
            name: as_elements(name, types[name], each)
            for name, each in inputs.items()
            if not isinstance(each, Source)
        }
        main, type = inputs[pieces.main], types[pieces.main]
        self._dtype = element_dtype(type)
        is_sent = not (self._staging.is_of_host or isinstance(main, Source))
        self._ahead = SENT_AHEAD if is_sent else 0
        slots = self._ahead + SLOTS
        own = own_units(pieces, element_size(type), memory, self._staging.most_bytes, slots)
        feed = self._feed(main, own)
        self._most_bytes = feed.most_units * feed.cutting.unit * element_size(type)
        self._reader = Reader(feed, slots)
        self._joined = Joined(pieces, sink_of)
        self._handed_on: dict[str, Contents] = {}
        self._spare = deque[Slot]()
        elements = None if isinstance(main, Source) else len(self._fixed[pieces.main])
        total = None if elements is None else elements * element_size(type)
        self._traffic = Traffic(pieces.name, total, progress)
        self._policy: str | None = None

    def _feed(self, main: Array | Bytes | Source, own: int) -> Feed:
        cutting = self._pieces.cutting
        if isinstance(main, Source):
            return PipeFeed(
                cutting, own, main, lambda count: self._staging.to_read(count, self._dtype)
            )
        return MappedFeed(cutting, own, MappedSource(self._fixed[self._pieces.main]))

    def result(self, planning_ns: int) -> RunResult:
        """Run on all pieces, after a time that was taken to plan that."""
        begin = perf_counter_ns()
        sent, flights = deque[_Sent](), deque[_Flight]()
        try:
            for piece in self._reader:
                sent.append(self._send(piece))
                if len(sent) > self._ahead:
                    self._work_on(sent.popleft(), flights)
            while sent:
                self._work_on(sent.popleft(), flights)
            while flights:
                self.finish(flights.popleft())
        finally:
            self._reader.close()
        compile_ns = self._executors.compile_ns
        total = perf_counter_ns() - begin - compile_ns
        return self._joined.result(total, planning_ns + compile_ns, self._policy)

    def _send(self, piece: ReadPiece) -> _Sent:
        """Begin to let the device have a piece."""
        slot = piece.slot or self._slot()
        slot.send(piece.contents)
        return _Sent(piece, slot)

    def _slot(self) -> Slot:
        """Where a piece lies for the device that lies in memory."""
        if self._staging.is_of_host:
            return Slot(np.empty(0))
        if self._spare:
            return self._spare.popleft()
        return self._staging.to_send(min(self._most_bytes, self._fixed[self._pieces.main].nbytes))

    def _work_on(self, sent: _Sent, flights: deque[_Flight]) -> None:
        """Let the device work on a piece, and finish the one before those it has to do."""
        flights.append(self.start(sent))
        if len(flights) >= IN_FLIGHT:
            self.finish(flights.popleft())

    def start(self, sent: _Sent) -> _Flight:
        """Run the program on a piece, with what the one before hands on."""
        pieces, window = self._pieces, sent.piece.window
        given: dict[str, Contents] = dict(self._fixed)
        for name in pieces.cut_inputs.keys() & self._fixed.keys():
            given[name] = self._fixed[name][pieces.slice_of(name, window)]
        given[pieces.main] = sent.piece.contents
        arrays = {name: each for name, each in given.items() if not isinstance(each, DeviceArray)}
        found = self._executors.of(pieces.kind_of(window), arrays)
        self._policy = found.policy
        given[pieces.main] = sent.slot.taken()
        given |= self._handed_on
        if found.place is not None:
            given[found.place] = pieces.place(window)
        is_last = window.end is None
        resident = () if is_last else tuple(pieces.kept)
        run = found.executor.start(found.taken(given), resident=resident)
        self._handed_on = dict(run.resident)
        return _Flight(sent, run)

    def finish(self, flight: _Flight) -> None:
        """Wait for a piece, and take what it has come to."""
        piece, slot = flight.sent
        run = flight.run.result()
        self._joined.add(self._pieces.own_parts(piece.window, run.outputs), run)
        if piece.slot is None:
            self._spare.append(slot)
        self._traffic.add(piece.contents.nbytes)
        self._reader.done(piece)
