"""
Finds out what a device takes for each kind of work: runs programs that have much of one, or of
several, and fits the model to what they take.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.program.compiled_program import CompiledProgram
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.program.program_work import LaunchWork, counts_of, program_work
from vyre_dialect.runtime.progress import Progress, no_progress
from vyre_dialect.runtime.tuning.calibration_programs import PROGRAMS, CalibrationProgram
from vyre_dialect.runtime.tuning.device_model import (
    AT_ONCE,
    Component,
    DeviceModel,
    built_in,
    component_of,
    counted,
    kinds_of,
)
from vyre_dialect.runtime.tuning.least_squares import non_negative_least_squares

Numbers: TypeAlias = NDArray[np.floating[Any]]
SIZES: Mapping[bool, Sequence[int]] = {
    False: (1 << 18, 1 << 21, 3 << 23),
    True: (1 << 20, 1 << 24, 1 << 27),
}
"""Bytes of input on GPUs, and on other devices: within caches, and far beyond them."""
ROUNDS = 6
UNFUSED = "dataflow"
"""The profile without the passes that fuse."""
CACHES = tuple(1 << bits for bits in range(20, 28))
"""Bytes of the last level of cache that are tried."""
FIT_ROUNDS = 20
PRIOR = 0.3
"""How much what is known of such devices counts, next to one of the programs."""
LEAST_RESIDUAL = 0.1
"""Errors below this share count by their squares; those above it by themselves."""
LEAST_RATIO = 0.02
"""Times that are predicted to be less than this share of what they are count as that."""


@dataclass(frozen=True)
class Observation:
    """A launch of a program, and what it took."""

    program: str
    form: str
    size: int
    """Bytes of input."""
    is_held_back: bool
    launch: LaunchWork
    ns: float


def observe(
    session: Session,
    programs: Sequence[CalibrationProgram] = PROGRAMS,
    sizes: Sequence[int] | None = None,
    progress: Progress = no_progress,
) -> list[Observation]:
    """What the launches of programs take on a device, by default and unfused, at several sizes."""
    sizes = sizes or SIZES[session.device.info.kind == "gpu"]
    found = list[Observation]()
    for number, program in enumerate(programs):
        progress(f"running '{program.name}'", number / len(programs))
        for form, compiled in _forms(program, session):
            found += _observed(program, form, compiled, session, sizes)
    return found


def _forms(program: CalibrationProgram, session: Session) -> Iterator[tuple[str, CompiledProgram]]:
    module, device = program.module, session.device.info
    default = compile_module(module, device=device)
    yield "default", default
    if default.is_fused:
        unfused = OptimizePass(profile=UNFUSED)
        yield "unfused", compile_module(module, optimize=unfused, device=device)


def _observed(
    program: CalibrationProgram,
    form: str,
    compiled: CompiledProgram,
    session: Session,
    sizes: Sequence[int],
) -> Iterator[Observation]:
    executor = Executor(compiled, session)
    for size in sizes:
        inputs = program.inputs(size)
        sizes_of = {name: each.nbytes for name, each in inputs.items()}
        work = program_work(compiled.program, counts_of(compiled.program, sizes_of))
        resident = {name: session.put(each) for name, each in inputs.items()}
        runs = [executor.run(resident).arms for _ in range(1 + ROUNDS)][1:]
        for launch, arms in zip(work, zip(*runs, strict=True), strict=True):
            # Whatever else goes on at the machine adds to what a launch takes.
            ns = min(arm.kernel_ns or 0 for arm in arms)
            if ns > 0 and launch.likely.launches:
                yield Observation(program.name, form, size, program.is_held_back, launch, ns)


def fitted(observed: Sequence[Observation], device: DeviceInfo) -> DeviceModel:
    """The model of a device by what was observed. Raises a VyreError if that is too little."""
    start = built_in(device)
    kinds = kinds_of(device.kind)
    used = [each for each in observed if not each.is_held_back]
    held_back = [each for each in observed if each.is_held_back]
    if len(used) < len(kinds) or not held_back:
        raise VyreError(f"expected at least {len(kinds)} launches to calibrate by, got {len(used)}")
    fits = [_Fit(used, kinds, cache, start.ns) for cache in CACHES]
    best = min(fits, key=lambda fit: fit.error)
    model = DeviceModel(dict(zip(kinds, map(float, best.found), strict=True)), best.cache, 0.0)
    own, others = median_error(model, used), median_error(model, held_back)
    details = {"launches": len(used), "fit_error": own, "held_back_launches": len(held_back)}
    return DeviceModel(model.ns, best.cache, others, is_calibrated=True, details=details)


def median_error(model: DeviceModel, observed: Sequence[Observation]) -> float:
    """By which share of what was measured predictions are wrong, in the median."""
    return median(abs(model.predict([each.launch]).ns / each.ns - 1) for each in observed)


class _Fit:
    """
    A fit of the coefficients for one size of cache, by relative error. Which part of a launch is
    the longest follows from the coefficients, and is found by turns with them.

    Source: Magnani and Boyd, "Convex piecewise-linear fitting".
    """

    def __init__(
        self,
        observed: Sequence[Observation],
        kinds: Sequence[str],
        cache: int,
        start: Mapping[str, float],
    ):
        self.cache = cache
        rows = [counted(each.launch.likely, cache) for each in observed]
        self._ns = np.array([each.ns for each in observed])
        self._counts = np.array([[row[kind] for kind in kinds] for row in rows])
        parts = np.array([component_of(kind) for kind in kinds])
        self._of = {part: parts == part for part in Component}
        self._prior = np.array([start[kind] for kind in kinds])
        self.found, self.error = self._prior, self._error(self._prior)
        self._improve()

    def _improve(self) -> None:
        weights, found = np.ones(len(self._ns)), self._prior
        for _ in range(FIT_ROUNDS):
            found = self._solve(self._bounding(found), weights)
            if (error := self._error(found)) < self.error:
                self.found, self.error = found, error
            weights = self._weights(found)

    def _weights(self, found: Numbers) -> Numbers:
        """
        How much each launch counts: to be wrong by some factor is as bad in either direction, and
        the errors count, not their squares.
        """
        ratio = np.maximum(self._predicted(found) / self._ns, LEAST_RATIO)
        residual = np.abs(np.log(ratio))
        return 1 / np.sqrt(ratio * np.maximum(residual, LEAST_RESIDUAL))

    def _solve(self, takes_part: NDArray[np.bool_], weights: Numbers) -> Numbers:
        """The coefficients, in units of what is known of such devices, which counts a little."""
        shares = self._counts * takes_part * self._prior / self._ns[:, None]
        matrix = np.vstack([shares * weights[:, None], PRIOR * np.eye(len(self._prior))])
        target = np.concatenate([weights, np.full(len(self._prior), PRIOR)])
        return non_negative_least_squares(matrix, target) * self._prior

    def _times(self, found: Numbers, part: Component) -> Numbers:
        """What a part of each launch takes."""
        own = self._of[part]
        return self._counts[:, own] @ found[own]

    def _bounding(self, found: Numbers) -> NDArray[np.bool_]:
        """Which kinds of work take part in what each launch takes: those of its longest part."""
        longest = np.argmax([self._times(found, part) for part in AT_ONCE], axis=0)
        takes_part = np.ones(self._counts.shape, np.bool_)
        for place, part in enumerate(AT_ONCE):
            takes_part[np.ix_(longest != place, self._of[part])] = False
        return takes_part

    def _predicted(self, found: Numbers) -> Numbers:
        at_once = [self._times(found, part) for part in AT_ONCE]
        return self._times(found, Component.OVERHEAD) + np.max(at_once, axis=0)

    def _error(self, found: Numbers) -> float:
        """The mean of by how many times predictions are wrong, as a logarithm."""
        ratio = np.maximum(self._predicted(found), 1.0) / self._ns
        return float(np.mean(np.abs(np.log(ratio))))


def calibrate(session: Session, progress: Progress = no_progress) -> DeviceModel:
    """The model of a device, as it is measured now. Raises what compiling and running does."""
    return fitted(observe(session, progress=progress), session.device.info)
