"""Devices share batches: each is scanned once as far as results go, whatever fails or is slow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Event

import pytest
from support.scanning import PythonRuns, as_array

from vyre_dialect.runtime.driver.sharing import WINDOW, shared
from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.scanning.arrays import Bytes
from vyre_dialect.runtime.scanning.batches import Batch
from vyre_dialect.runtime.scanning.scanner import Found, Matches, Scanner
from vyre_dialect.runtime.scanning.walk import Source

BATCHES = 40


def batches(count: int = BATCHES) -> Iterator[Batch]:
    """Batch n has a file in which the literal stands at n."""
    for number in range(count):
        contents = as_array(b"." * number + b"x")
        yield Batch([Source(str(number), "")], [contents], contents.size)


class Injected(Scanner):
    """Does something before each batch."""

    def __init__(self, before: Callable[[int], None]):
        super().__init__((), PythonRuns([b"x"]))
        self.taken = list[int]()
        self._before = before

    def scan(self, files: Sequence[Bytes]) -> list[Found]:
        self.taken.append(files[0].size - 1)
        self._before(len(self.taken))
        return super().scan(files)


def nothing(_: int) -> None:
    """No device is as fast."""


def fail_from(number: int) -> Callable[[int], None]:
    def before(taken: int) -> None:
        if taken >= number:
            raise DeviceError("lost")

    return before


def waits_for(event: Event) -> Callable[[int], None]:
    def before(_: int) -> None:
        event.wait(30)

    return before


def making(scanner: Injected) -> Callable[[], Callable[[Batch], list[Found]]]:
    return lambda: lambda batch: scanner.scan(batch.contents)


def places(*scanners: Injected, count: int = BATCHES, alike: bool = False) -> list[int]:
    makers = [making(each) for each in scanners]
    names = [f"device {0 if alike else number}" for number in range(len(scanners))]
    found = list[int]()
    for batch, (of_file,) in shared(batches(count), makers, names):
        assert isinstance(of_file, Matches)
        assert of_file.decoded.tolist() == [int(batch.items[0].name)]
        found += of_file.decoded.tolist()
    return found


@pytest.mark.parametrize("count", [0, 1, 2, BATCHES])
def test_results_come_once_and_in_order(count: int):
    assert places(Injected(nothing), Injected(nothing), count=count) == list(range(count))


@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize("number", [1, 2, 5])
def test_what_a_failed_device_has_taken_goes_to_others(number: int, alike: bool):
    """Also to one of the same name."""
    has_failed = Event()

    def before(taken: int) -> None:
        if taken >= number:
            has_failed.set()
            raise DeviceError("lost")

    fails, works = Injected(before), Injected(waits_for(has_failed))
    with pytest.warns(UserWarning, match="device 0 failed, others go on: lost"):
        assert places(fails, works, alike=alike) == list(range(BATCHES))
    assert len(fails.taken) == number
    assert fails.taken[-1] in works.taken


def test_where_all_fail_the_last_error_is_raised():
    with pytest.warns(UserWarning, match="failed"), pytest.raises(DeviceError, match="lost"):
        places(Injected(fail_from(3)), Injected(fail_from(2)))


def test_a_device_that_hangs_is_not_waited_for():
    hung, works = Event(), Injected(nothing)
    hangs = Injected(waits_for(hung))
    assert places(hangs, works) == list(range(BATCHES))
    assert len(hangs.taken) <= 1
    assert set(works.taken) == set(range(BATCHES))
    hung.set()


def test_a_slow_device_gets_fewer():
    """Of two, one waits until the other has done four batches for each of its own."""
    fast = Injected(nothing)

    def before(taken: int) -> None:
        while len(fast.taken) < min(4 * taken, BATCHES - 2):
            Event().wait(0.001)

    slow = Injected(before)
    assert places(slow, fast) == list(range(BATCHES))
    assert len(slow.taken) <= BATCHES // 4


def test_no_more_is_read_than_devices_can_use():
    read, released = list[int](), Event()

    def noted() -> Iterator[Batch]:
        for number, batch in enumerate(batches()):
            read.append(number)
            yield batch

    scanner = Injected(waits_for(released))
    results = shared(noted(), [making(scanner)], ["device"])
    released.set()
    next(results)
    assert len(read) <= WINDOW + 2
    assert len(list(results)) == BATCHES - 1


def test_an_error_of_our_own_is_not_taken_for_one_of_a_device():
    def before(_: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        places(Injected(before), Injected(before))


def test_each_device_that_fails_is_told_once_however_many_threads_use_it(
    monkeypatch: pytest.MonkeyPatch,
):
    said = list[str]()

    def warn(message: object, **_: object) -> None:
        said.append(str(message))

    monkeypatch.setattr("warnings.warn", warn)
    first, second = making(Injected(fail_from(1))), making(Injected(fail_from(1)))
    with pytest.raises(DeviceError, match="lost"):
        list(shared(batches(), [first, first, second, second], ["device"] * 4))
    assert said == ["device failed, others go on: lost"] * 2
