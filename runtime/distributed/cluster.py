"""A Dask cluster that is there already, from the side of who asks it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar, cast
from uuid import uuid4

from distributed import Client, Future, KilledWorker
from distributed.client import FutureCancelledError
from distributed.comm.core import CommClosedError

from vyre_dialect.runtime.distributed.worker import VyrePlugin, Wishes, device_task
from vyre_dialect.runtime.errors import UsageError, VyreError, first_line
from vyre_dialect.runtime.program.device_info import DeviceInfo

PATIENCE_SECONDS = 20.0
"""How long a scheduler may take to answer, and a cluster to have a worker."""
RETRIES = 2
"""How often a task is done again that has failed, as by a file system; Dask does it elsewhere."""
ARITY = 8
"""Parts that are put together by one task."""

T = TypeVar("T")


@dataclass(frozen=True)
class Cluster:
    """The workers of a scheduler, each with what the wishes ask for."""

    client: Any
    """Dask's client, whose methods have types that are in part unknown."""
    wishes: Wishes

    @property
    def plugin(self) -> str:
        """The name of what each worker holds."""
        return self.wishes.plugin_name

    @cached_property
    def slots(self) -> int:
        """How many tasks run on devices at once: one on each worker that has the device."""
        return max(1, len(self._named) or len(self._workers))

    @cached_property
    def resources(self) -> dict[str, int] | None:
        """What tasks on the device ask for; None where no worker says that it has it."""
        return {str(self.wishes.device): 1} if self._named else None

    @property
    def described(self) -> str:
        """For people."""
        return f"{self.slots} worker{'s' * (self.slots != 1)}"

    @property
    def _named(self) -> list[str]:
        """Workers with a resource of Dask that is called as the device is."""
        device = self.wishes.device
        return [name for name, each in self._workers.items() if device in each["resources"]]

    @cached_property
    def _workers(self) -> dict[str, Any]:
        return self.client.scheduler_info()["workers"]

    @cached_property
    def device(self) -> DeviceInfo | None:
        """The device of one of the workers; None for the interpreter."""
        return self.result(self.submit(device_task, self.plugin))

    def submit(self, function: Callable[..., T], *arguments: object) -> Future[T]:
        """A task for a worker with the device; arguments may be what others give."""
        return self.client.submit(
            function,
            *arguments,
            key=_key(function),
            resources=self.resources,
            retries=RETRIES,
            pure=False,
        )

    def map(
        self, function: Callable[..., T], each: Sequence[object], *others: object
    ) -> list[Future[T]]:
        """A task for each of some values, with arguments that all of them share."""
        prefix = _key(function)
        return self.client.map(
            function,
            each,
            *([other] * len(each) for other in others),
            key=[f"{prefix}-{number}" for number in range(len(each))],
            resources=self.resources,
            retries=RETRIES,
            pure=False,
        )

    def shared(self, value: T) -> Future[T]:
        """A value that workers hand on to each other; one that is lost is made again."""
        return self.client.submit(_itself, value, key=_key(_itself), pure=False)

    def reduced(
        self, merge: Callable[..., T], parts: Iterable[Future[T]], *arguments: object
    ) -> Future[T]:
        """Neighbours put together, and those again, until there is one; any worker does it."""
        left = list(parts)
        while len(left) > 1:
            groups = [left[begin : begin + ARITY] for begin in range(0, len(left), ARITY)]
            left = [
                self.client.submit(
                    merge, *arguments, *group, key=_key(merge), retries=RETRIES, pure=False
                )
                for group in groups
            ]
        return left[0]

    def result(self, future: Future[T]) -> T:
        """
        What a task gives. Raises the VyreError that it has raised, or one that says what became of
        the cluster.
        """
        try:
            return cast(Any, future).result()
        except KilledWorker as error:
            raise VyreError(
                f"{error.allowed_failures + 1} workers died of one task, the last at "
                f"{error.last_worker.address}: see its log; smaller pieces (--memory) may help"
            ) from error
        except (CommClosedError, FutureCancelledError, OSError) as error:
            raise VyreError(f"the cluster was lost: {first_line(error)}") from error


@contextmanager
def connected(scheduler: str | Client, wishes: Wishes) -> Generator[Cluster]:
    """
    The cluster of a scheduler, by its address or by a client that is connected to it.

    Raises a VyreError where nobody answers there, or where there is no worker.
    """
    if not isinstance(scheduler, str):
        yield _prepared(scheduler, wishes)
        return
    client = _client(scheduler)
    try:
        yield _prepared(client, wishes)
    finally:
        client.close()


def _client(address: str) -> Any:
    try:
        return Client(address, timeout=PATIENCE_SECONDS, set_as_default=False)
    except ValueError as error:
        raise UsageError(
            f"argument --scheduler: expected an address as tcp://HOST:8786, got '{address}'"
        ) from error
    except OSError as error:
        raise VyreError(
            f"no scheduler answers at '{address}': start one with 'dask scheduler', or give its "
            "address"
        ) from error


def _prepared(client: Any, wishes: Wishes) -> Cluster:
    try:
        client.wait_for_workers(1, timeout=PATIENCE_SECONDS)
    except TimeoutError as error:
        raise VyreError(
            "the scheduler has no workers: start some with 'dask worker ADDRESS'"
        ) from error
    try:
        client.register_plugin(VyrePlugin(wishes))
    except ModuleNotFoundError as error:
        raise VyreError(
            f"a worker lacks '{error.name}': install vyre[dask] on every machine"
        ) from error
    return Cluster(client, wishes)


def _key(function: Callable[..., object]) -> str:
    """A name that no other task has: results of earlier runs are not taken for those of this."""
    return f"vyre-{function.__name__.strip('_').replace('_', '-')}-{uuid4().hex}"


def _itself(value: T) -> T:
    return value
