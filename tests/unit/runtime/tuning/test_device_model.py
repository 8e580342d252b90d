"""What a model of a device says that launches take."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.devices import small_device

from vyre_dialect.analysis.work import KINDS, Work
from vyre_dialect.runtime.program.program_work import LaunchWork
from vyre_dialect.runtime.tuning.device_model import (
    Bound,
    DeviceModel,
    built_in,
    component_of,
    counted,
    kinds_of,
)

MODEL = DeviceModel(
    {
        "launches": 100.0,
        "read_bytes": 2.0,
        "traffic_bytes": 1.0,
        "scalar_ops": 3.0,
        "steps": 10.0,
    },
    cache_bytes=1000,
    error=0.1,
)


def launch(work: Work, most: Work | None = None, *, is_open: bool = False) -> LaunchWork:
    return LaunchWork("arm", work, most or work, is_open)


@pytest.mark.parametrize(
    ("work", "ns", "bound"),
    [
        (Work(launches=1), 100, Bound.LATENCY),
        (Work(launches=1, traffic_bytes=500), 600, Bound.MEMORY),
        (Work(launches=1, traffic_bytes=500, scalar_ops=100), 600, Bound.MEMORY),
        (Work(launches=1, traffic_bytes=500, scalar_ops=200), 700, Bound.ARITHMETIC),
        (Work(launches=1, traffic_bytes=500, scalar_ops=200, steps=90), 1000, Bound.LATENCY),
    ],
)
def test_the_longest_counts_of_what_is_done_at_the_same_time(work: Work, ns: float, bound: Bound):
    prediction = MODEL.predict([launch(work)])
    assert (prediction.ns, prediction.bound) == (ns, bound)


def test_launches_are_done_one_after_another():
    parts = [launch(Work(launches=1, traffic_bytes=500)), launch(Work(launches=1, scalar_ops=100))]
    assert MODEL.predict(parts).ns == 600 + 400


def test_what_a_cache_has_room_for_is_not_read_from_memory():
    assert counted(Work(read_bytes=800), 1000)["read_bytes"] == 0
    assert counted(Work(read_bytes=1500, written_bytes=500), 1000)["read_bytes"] == 750
    assert MODEL.predict([launch(Work(read_bytes=4000))]).ns == 2 * 3000


def test_much_that_data_decides_makes_it_uncertain():
    likely = Work(launches=1, scalar_ops=100)
    assert not MODEL.predict([launch(likely, Work(launches=1, scalar_ops=120))]).is_uncertain
    prediction = MODEL.predict([launch(likely, Work(launches=1, scalar_ops=300))])
    assert prediction.is_uncertain
    assert (prediction.ns, prediction.most_ns) == (400, 1000)
    assert MODEL.predict([launch(likely, is_open=True)]).is_uncertain


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
def test_each_kind_of_work_takes_time_on_a_device_of_which_nothing_is_measured(kind: str):
    device = small_device(32768, has_own_local_mem=kind == "gpu")
    assert device.kind == "gpu"
    model = built_in(device)
    assert all(model.ns[each] > 0 for each in kinds_of("gpu"))
    assert not model.is_calibrated


def test_each_kind_of_work_counts_for_a_bound():
    assert {component_of(kind).bound for kind in KINDS} == set(Bound)


def test_only_what_is_beyond_the_errors_of_both_is_slower():
    one, other, open_one = (
        MODEL.predict([launch(Work(launches=count), is_open=is_open)])
        for count, is_open in ((13, False), (10, False), (90, True))
    )
    assert MODEL.is_slower(one, other)
    assert not MODEL.is_slower(other, one)
    assert not MODEL.is_slower(one, other, times=2)
    assert not replace(MODEL, error=0.2).is_slower(one, other)
    assert not MODEL.is_slower(open_one, other)


def test_the_roofline_is_that_of_each_byte_once():
    cached = MODEL.predict([launch(Work(launches=1, read_bytes=500, scalar_ops=300))])
    assert cached.roofline_share == 500 / 1000
    work = Work(launches=1, read_bytes=2000, traffic_bytes=2000, scalar_ops=1300)
    assert MODEL.predict([launch(work)]).roofline_share == (2 * 1000 + 2000) / 4100
