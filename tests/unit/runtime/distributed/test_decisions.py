"""What tuning has decided goes to workers, which take it for what they compile next."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.clusters import cluster_here, expected_peaks, peaks
from support.devices import small_device

from vyre_dialect import distributed
from vyre_dialect.runtime.distributed import shards
from vyre_dialect.runtime.distributed.decisions import DecisionsPlugin, keep
from vyre_dialect.runtime.distributed.worker import VyrePlugin, Wishes
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.decision import Decision
from vyre_dialect.runtime.tuning.decisions import DecisionFile, KeptDecision

DECISION = Decision("p", {"unroll": 4}, {"unroll": 1}, 1.0, 2.0, 0.1, 3, datetime.now(UTC))
KEPT = KeptDecision(f"v1-{'a' * 64}", DECISION)
OTHER = KeptDecision(f"v1-{'b' * 64}", DECISION)


class Worker:
    """Of Dask, what plugins look at."""

    def __init__(self, **plugins: Any):
        self.plugins = plugins


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_a_decision_is_kept_where_there_was_none() -> None:
    device = small_device(32768)
    assert keep(device, [KEPT]) == 1
    assert keep(device, [KEPT, OTHER]) == 1, "one of them was there"
    file = DecisionFile.of(device)
    assert file is not None
    assert file.all().keys() == {KEPT.key, OTHER.key}


def test_programs_that_were_compiled_without_are_let_go() -> None:
    plugin = VyrePlugin(Wishes("reference"))
    worker: Any = Worker(vyre=plugin)
    plugin.setup(worker)
    before = plugin.programs
    DecisionsPlugin(small_device(32768), []).setup(worker)
    assert plugin.programs is before, "nothing new was decided"
    DecisionsPlugin(small_device(32768), [KEPT]).setup(worker)
    assert plugin.programs is not before


def test_wishes_say_whether_decisions_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not Wishes.of("reference").takes_decisions
    monkeypatch.delenv("VYRE_AUTOTUNER")
    taking = Wishes.of("reference")
    assert taking.takes_decisions
    assert taking.plugin_name != Wishes("reference", takes_decisions=False).plugin_name


@pytest.mark.slow
def test_one_worker_tunes_for_all(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VYRE_AUTOTUNER")
    monkeypatch.setenv("VYRE_AUTOTUNER_SECONDS", "2")
    monkeypatch.setattr(shards, "LEAST_BYTES", 1 << 14)
    text = np.random.default_rng(5).integers(0, 256, 400_000, np.uint8)
    with cluster_here(2) as client:
        run = distributed.run(
            peaks(), {"text": text}, scheduler=client, device=device.info.platform, tune=True
        )
    for name, array in expected_peaks(text).items():
        np.testing.assert_array_equal(run.outputs[name], array)
    file = DecisionFile.of(device.info)
    assert file is not None
    assert [each.program for each in file.all().values()] == ["peaks"]
