"""Parts that are merged: each shard once, and what combines by its atomic."""

from __future__ import annotations

import numpy as np
import pytest

from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.runtime.distributed.parts import Part, Trapped, merged
from vyre_dialect.runtime.opencl.results import ArmTiming


def part(number: int, value: int, *, kernel_ns: int | None = 1) -> Part:
    timing = ArmTiming("scan", kernel_ns, 10)
    kept, joined = {"x": np.array([value], np.int32)}, {"all": np.array([value], np.int32)}
    return Part(number, number + 1, kept, joined, {"end": np.array([value])}, (timing,), "device")


def whole(kind: AtomicKind, *values: int) -> Part:
    found = merged({"x": kind}, *(part(number, value) for number, value in enumerate(values)))
    assert isinstance(found, Part)
    return found


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (AtomicKind.ADDI, 7),
        (AtomicKind.ANDI, 4 & -2 & 5),
        (AtomicKind.ORI, 4 | -2 | 5),
        (AtomicKind.XORI, 4 ^ -2 ^ 5),
        (AtomicKind.MAXS, 5),
        (AtomicKind.MAXU, -2),
        (AtomicKind.MINS, -2),
        (AtomicKind.MINU, 4),
    ],
)
def test_what_is_kept_combines_by_its_atomic(kind: AtomicKind, expected: int) -> None:
    assert whole(kind, 4, -2, 5).kept["x"].tolist() == [expected]


def test_sums_wrap_as_they_do_on_devices() -> None:
    assert whole(AtomicKind.ADDI, 2**31 - 1, 1).kept["x"].tolist() == [-(2**31)]


def test_parts_are_joined_in_order_and_the_last_has_the_rest() -> None:
    found = whole(AtomicKind.ADDI, 4, 2, 5)
    assert found.joined["all"].tolist() == [4, 2, 5]
    assert found.others["end"].tolist() == [5]
    assert (found.begin, found.end) == (0, 3)
    assert found.arms == (ArmTiming("scan", 3, 30),)


def test_a_time_that_is_unknown_makes_the_sum_unknown() -> None:
    found = merged({}, part(0, 1), part(1, 1, kernel_ns=None))
    assert isinstance(found, Part)
    assert found.arms == (ArmTiming("scan", None, 20),)


@pytest.mark.parametrize("numbers", [(0, 0), (0, 2), (1, 0)])
def test_a_shard_that_is_missing_or_there_twice_is_an_error(numbers: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=f"behind those before, got shard {numbers[1]}"):
        merged({"x": AtomicKind.ADDI}, *(part(number, 1) for number in numbers))


def test_the_first_bad_input_counts() -> None:
    traps = [Trapped(number, number + 1, "p", f"bad {number}", number, False) for number in (1, 2)]
    found = merged({"x": AtomicKind.ADDI}, part(0, 1), *traps)
    assert isinstance(found, Trapped)
    assert (found.begin, found.end, found.offset) == (0, 3, 1)
    assert str(found.as_error()) == "'p': bad 1 at offset 1"
