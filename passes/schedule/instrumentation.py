"""How passes follow one another: what a user inserts, leaves out and stops at, and who looks on."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipelineCallbackType

from vyre_dialect.ir.scheduling import Phase

PHASES = tuple(map(str, Phase))
"""The stages of a schedule that are no passes."""


@dataclass(frozen=True)
class Edits:
    """
    What is done otherwise than a schedule or a pipeline says. A stage is a pass, by its name, or a
    phase of a schedule; what is said of it holds the first time that it is reached.
    """

    before: Mapping[str, Sequence[ModulePass]] = field(
        default_factory=dict[str, Sequence[ModulePass]]
    )
    """What runs before a stage."""
    after: Mapping[str, Sequence[ModulePass]] = field(
        default_factory=dict[str, Sequence[ModulePass]]
    )
    """What runs after it, also where it is left out."""
    left_out: frozenset[str] = frozenset()
    """Passes that never run, also where others require them."""
    stop_before: str | None = None
    """The stage before which all ends, once what is inserted there has run."""
    stop_after: str | None = None
    """The stage after which all ends, once what is inserted there has run."""

    def __bool__(self) -> bool:
        return self != Edits()


class Instrumentation:
    """
    One run of a schedule or pipeline with edits, told to observers: xDSL's callbacks, called with
    the pass that ran or None, the module, and the pass that is about to run or None. The last of
    them is the nearest to a pass: the last to be told that it begins, the first that it ran.
    """

    def __init__(
        self, edits: Edits | None = None, observers: Sequence[PassPipelineCallbackType] = ()
    ):
        self.edits = Edits() if edits is None else edits
        self.is_stopped = False
        self.ran = list[str]()
        """The passes that ran, in order."""
        self._observers = observers
        self._entered = set[str]()
        self._left = set[str]()

    @property
    def missed(self) -> list[str]:
        """The stages that were not reached, so that an edit was not made."""
        edits = self.edits
        begun = {*edits.before, edits.stop_before} - {None, *self._entered}
        ended = {*edits.after, edits.stop_after} - {None, *self._left}
        return sorted(stage for stage in begun | ended if stage is not None)

    def steps(self, own: ModulePass) -> Iterator[ModulePass]:
        """What runs where `own` is to run: that, what is inserted, or nothing."""
        yield from self.enter(own.name)
        if self.is_stopped:
            return
        if own.name not in self.edits.left_out:
            yield own
        yield from self.leave(own.name)

    def enter(self, stage: str) -> Sequence[ModulePass]:
        """What is inserted before a stage that is about to begin."""
        inserted = () if stage in self._entered else self.edits.before.get(stage, ())
        self._entered.add(stage)
        self.is_stopped |= stage == self.edits.stop_before
        return inserted

    def leave(self, stage: str) -> Sequence[ModulePass]:
        """What is inserted after a stage that is over."""
        inserted = () if stage in self._left else self.edits.after.get(stage, ())
        self._left.add(stage)
        self.is_stopped |= stage == self.edits.stop_after
        return inserted

    @contextmanager
    def observed(self, module_pass: ModulePass, module: ModuleOp) -> Generator[None]:
        """Tell the observers of a run of a pass, of its end only where it has not failed."""
        for observer in self._observers:
            observer(None, module, module_pass)
        yield
        self.ran.append(module_pass.name)
        for observer in reversed(self._observers):
            observer(module_pass, module, None)
