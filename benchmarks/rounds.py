"""Forms of a program that run by turns, on the same input in the memory of one device."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import numpy as np

from benchmarks.memory_limits import MemoryLimits
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.buffer_pool import BufferPool
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.session import DeviceArray, Session

WARM_UP = 2


class WrongAnswerError(SystemExit):
    """A form does not give what it must, which ends a benchmark that does not go on without it."""


class Rounds:
    """
    Each round runs all forms once, in an order of its own, and compares every answer; a plain read
    and a plain copy of the largest input go before them.
    """

    def __init__(
        self,
        name: str,
        inputs: Mapping[str, Array],
        expected: Mapping[str, Array],
        session: Session,
        executors: Mapping[str, Executor],
    ):
        self._name, self._inputs, self._expected = name, inputs, expected
        self._session, self._executors = session, executors
        self._largest = max(inputs, key=lambda each: inputs[each].nbytes)
        self.times: dict[str, list[int]] = {}
        """Ns of device time of each form, and of the plain loops, in each round."""

    def run(self, rounds: int, *, reallocate: bool = False) -> None:
        """
        Measure so many rounds after those that warm up, each on fresh memory if so asked. Raises a
        WrongAnswerError.
        """
        random, limits = Random(0), MemoryLimits(self._session, self._inputs[self._largest])
        resident = self._put()
        for number in range(WARM_UP + rounds):
            if reallocate:
                old = resident  # while it is there, nothing else can lie in its place
                self._session.pool = BufferPool(self._session.context, self._session.device.info)
                resident = self._put()
                del old
            found = limits.measure(resident[self._largest])
            for form in random.sample(list(self._executors), len(self._executors)):
                result = self._executors[form].run(resident)
                check(f"{self._name}, {form}", result.outputs, self._expected)
                found[form] = sum(arm.kernel_ns or 0 for arm in result.arms)
            for form, nanoseconds in found.items() if number >= WARM_UP else ():
                self.times.setdefault(form, []).append(nanoseconds)

    def _put(self) -> dict[str, DeviceArray]:
        return {name: self._session.put(each) for name, each in self._inputs.items()}


def check(what: str, found: Mapping[str, Array], expected: Mapping[str, Array]) -> None:
    """Raise a WrongAnswerError where an output is not what it must be."""
    for output, answer in expected.items():
        if not np.array_equal(found[output].view(answer.dtype), answer):
            raise WrongAnswerError(f"{what}: '{output}' is wrong")
