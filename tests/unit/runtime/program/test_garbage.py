"""While a program is compiled, Python looks for garbage rarely, and afterwards as before."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from threading import Event, Thread

import pytest
from support.schedules import tiny

from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.program.garbage import RARELY, collected_rarely
from vyre_dialect.runtime.program.observers import Observer

USUAL = (700, 10, 10)


@pytest.fixture(autouse=True)
def thresholds() -> Iterator[None]:
    """Begin with those of Python, and leave them as they were."""
    before = gc.get_threshold()
    gc.set_threshold(*USUAL)
    yield
    gc.set_threshold(*before)


class ThresholdsSeen(Observer):
    """Notes how often Python looks for garbage before each pass."""

    def __init__(self) -> None:
        self.seen = set[tuple[int, int, int]]()

    def __call__(self, *_: object) -> None:
        self.seen.add(gc.get_threshold())


def test_passes_run_while_garbage_is_collected_rarely() -> None:
    observer = ThresholdsSeen()
    compile_module(tiny(), observers=[observer])
    assert observer.seen == {(*RARELY, 10)}
    assert gc.get_threshold() == USUAL


def test_a_program_that_is_refused_leaves_thresholds_as_before() -> None:
    with pytest.raises(VyreError):
        compile_module(tiny(), pipeline="vyre-unroll{limit=0}")
    assert gc.get_threshold() == USUAL


@pytest.mark.parametrize("own", [(0, 10, 10), (50_000, 30, 5)], ids=str)
def test_a_collector_that_is_off_or_rarer_is_left_alone(own: tuple[int, int, int]) -> None:
    gc.set_threshold(*own)
    with collected_rarely():
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own


def test_the_last_thread_that_compiles_restores_what_the_first_found() -> None:
    entered, may_end = Event(), Event()

    def compile_for_long() -> None:
        with collected_rarely():
            entered.set()
            may_end.wait()

    other = Thread(target=compile_for_long)
    with collected_rarely():
        other.start()
        entered.wait()
    assert gc.get_threshold() == (*RARELY, 10)
    may_end.set()
    other.join()
    assert gc.get_threshold() == USUAL
