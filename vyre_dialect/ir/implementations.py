"""
Tables from op to what is known about it elsewhere: its OpenCL C, its NumPy meaning, its function.

A package adds to such a table by an object of its own, which its `pyproject.toml` names under
the entry point group of the table. Nothing is loaded before an op is met that needs it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from threading import Lock
from typing import Generic, TypeVar

from xdsl.ir import Operation

F = TypeVar("F")
G = TypeVar("G")


class Implementations(Generic[F]):
    """
    What one package, or one file, knows about some ops.

        FORMS = Implementations[Emit]()

        @FORMS.impl(AddOp)
        def _add(scope: Scope, op: AddOp) -> Expression: ...
    """

    def __init__(self, known: Mapping[type[Operation], F] | None = None):
        self.by_op: dict[type[Operation], F] = dict(known or {})

    def impl(self, *ops: type[Operation]) -> Callable[[G], G]:
        """A decorator: what it decorates is about `ops`."""

        def register(function: G) -> G:
            for op in ops:
                self.by_op[op] = function  # pyright: ignore[reportArgumentType]
            return function

        return register


class Registry(Generic[F]):
    """All that is known about ops in one respect, by vyre and by other packages."""

    def __init__(self, group: str, own: Iterable[str]):
        """
        `group` is the entry point group in which packages name their `Implementations`; `own`
        are vyre's, as `module:attribute`, each loaded when none before it knows an op.
        """
        self.group = group
        self._own = self._pending = tuple(own)
        self._known: dict[type[Operation], F] = {}
        self._searched = False
        self._lock = Lock()

    def find(self, op: type[Operation]) -> F | None:
        """What is known about ops of this class, or None."""
        while op not in self._known and (pending := self._pending):
            self._load_next_of(pending)
        if op not in self._known and not self._searched:
            self._search()
        return self._known.get(op)

    def register(self, implementations: Implementations[F]) -> None:
        """Add what a package knows, without an entry point. What was known before stays."""
        while pending := self._pending:
            self._load_next_of(pending)
        _add(implementations, self._known)

    def _load_next_of(self, pending: tuple[str, ...]) -> None:
        """Load the first of `pending`, which other threads see as such until all of it is known."""
        module, attribute = pending[0].split(":")
        found = getattr(import_module(module), attribute)
        with self._lock:  # not while modules are imported, which has locks of its own
            if self._pending is pending:
                _add(found, self._known)
                self._pending = pending[1:]

    def _search(self) -> None:
        """Load what other packages have; a broken one is left out with a warning."""
        for entry in entry_points(group=self.group):
            with warned_if_broken(entry):
                self.register(entry.load())
        self._searched = True


def _add(implementations: Implementations[F], known: dict[type[Operation], F]) -> None:
    for op, implementation in implementations.by_op.items():
        known.setdefault(op, implementation)


@contextmanager
def warned_if_broken(entry: EntryPoint) -> Generator[None]:
    """Turn what goes wrong with an entry point of another package into a warning that names it."""
    try:
        yield
    except Exception as error:
        warnings.warn(
            f"entry point '{entry.name}' of '{entry.group}' ({entry.value}) failed: {error}",
            RuntimeWarning,
            stacklevel=3,
        )
