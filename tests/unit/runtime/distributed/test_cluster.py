"""A cluster as it is asked: which workers have a device, and what is said of a loss."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from distributed import KilledWorker
from distributed.comm.core import CommClosedError

from vyre_dialect.runtime.distributed.cluster import Cluster
from vyre_dialect.runtime.distributed.worker import Wishes
from vyre_dialect.runtime.errors import VyreError


class Client:
    """Of Dask, what a cluster is asked for."""

    def __init__(self, *resources: dict[str, int]):
        self._workers = {f"tcp://{n}": {"resources": each} for n, each in enumerate(resources)}

    def scheduler_info(self) -> dict[str, Any]:
        return {"workers": self._workers}


class Failed:
    """A future of a task that has failed."""

    def __init__(self, error: Exception):
        self._error = error

    def result(self) -> None:
        raise self._error


def cluster(device: str | None, *resources: dict[str, int]) -> Cluster:
    return Cluster(Client(*resources), Wishes(device))


def test_shards_go_to_workers_that_say_that_they_have_the_device() -> None:
    found = cluster("gpu", {"gpu": 1}, {}, {"gpu": 2, "cpu": 1})
    assert found.resources == {"gpu": 1}
    assert (found.slots, found.described) == (2, "2 workers")


@pytest.mark.parametrize("name", [None, "cpu"])
def test_shards_go_anywhere_where_no_worker_says_what_it_has(name: str | None) -> None:
    found = cluster(name, {"gpu": 1}, {}, {})
    assert found.resources is None
    assert found.slots == 3


def test_a_task_of_which_workers_die_is_an_error() -> None:
    worker: Any = SimpleNamespace(address="tcp://host:1")
    future: Any = Failed(KilledWorker("shard", worker, 3))
    with pytest.raises(VyreError, match=r"^4 workers died of one task, the last at tcp://host:1"):
        cluster(None).result(future)


def test_a_scheduler_that_is_lost_is_an_error() -> None:
    future: Any = Failed(CommClosedError("it is gone\nindeed"))
    with pytest.raises(VyreError, match=r"^the cluster was lost: it is gone$"):
        cluster(None).result(future)
