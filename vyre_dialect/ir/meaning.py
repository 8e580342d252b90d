"""
What an op means, said once: one description of an op, from which every layer takes its part.

A package describes its ops, each in one class, and names what holds them in its `pyproject.toml`:

    OPS = Meanings()

    @OPS.describe(MidpointOp)
    class Midpoint(Meaning):
        def definition(self, op: MidpointOp, low: Value, high: Value) -> Value:
            return low + (high - low) // 2

    [project.entry-points."vyre.ops"]
    acme = "acme.meanings:OPS"

Nothing of another package is loaded before an op is met that vyre does not describe itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from threading import Lock
from typing import Any, Generic, TypeAlias, TypeVar, cast

from xdsl.ir import Operation

from vyre_dialect.ir.broken_packages import warned_if_broken

GROUP = "vyre.ops"
"""The entry point group in which packages name their `Meanings`."""

FACETS = (
    "definition",
    *("range", "divisor", "linear", "affine", "condition"),
    "lanes",
    *("numpy", "step"),
    *("expression", "statement"),
)
"""The respects in which an op means something, as `Meaning` explains them."""
FUNCTIONS = ("definition", "numpy")
"""Those that only a function of operands has."""
_ALTERNATIVES = (("numpy", "step"), ("expression", "statement"))
"""Those of which an op has one."""

F = TypeVar("F")
M = TypeVar("M", bound="Meaning")
Definition: TypeAlias = Callable[..., Any]
"""From an op and a `Value` for each operand to the `Value` that it computes of them."""


class Meaning:
    """
    What an op means. A subclass has a method for each respect in which it says so, and no other
    public ones. The rest follows from the definition, if there is one.

    - `definition(op, *operands)`: what it computes, in other ops: a `Value` of the builder from
      `Value`s, by what the properties and types of the op say. It has no effects.
    - `range(op, operands)`: the `Range` of the exact result from the `Range`s of operands.
    - `divisor(op, operands)`: a power of two that divides the result, from those of operands.
    - `linear(op, operands)`: an integer as a `Form`, a sum of multiples, from `Operands`, or None.
    - `affine(values, op)`: an integer as a quasi-affine function, from `AffineValues`, or None.
    - `condition(values, op)`: the set of invocations in which an i1 is set, or None.
    - `lanes(body, op)`: the vector of what it computes in all lanes, from the `Body` of an arm
      whose invocations become lanes.
    - `numpy(op)`: a function of arrays, which have an element for each invocation; or, for an op
      with effects, `step(op, compiler)`: what the reference interpreter does.
    - `expression(scope, op)`: the `Expression` of OpenCL C; or, for an op that is none,
      `statement(scope, op)`: prints it, and binds its results.
    """


_PLACE = re.compile(r"(?P<module>[\w.]+):(?P<name>\w+)(\((?P<words>.*)\))?")


@dataclass(frozen=True)
class _Place:
    """Where something is: `module:name`, or `module:name(word, …)` for what that makes of words."""

    text: str

    def load(self) -> Any:
        match = _PLACE.fullmatch(self.text)
        assert match is not None, self.text
        found = getattr(import_module(match["module"]), match["name"])
        words = match["words"]
        return found if words is None else found(*words.split(", "))


class Described:
    """What is said of an op: the parts themselves, or where they are, until they are needed."""

    def __init__(self, parts: Mapping[str, Any]):
        self._parts = dict(parts)
        self._derived = dict[str, Any]()

    def states(self, facet: str) -> bool:
        """Whether this is said of the op, not derived."""
        return facet in self._parts

    def part(self, facet: str, derived: str | None = None) -> Any:
        """
        What is said of the op in one respect, or what the function that is found at `derived`
        makes of its definition; None without either.
        """
        part = self._parts.get(facet)
        if isinstance(part, _Place):
            part = self._parts[facet] = part.load()
        if part is not None or derived is None or "definition" not in self._parts:
            return part
        if facet not in self._derived:
            self._derived[facet] = _Place(derived).load()(self.part("definition"))
        return self._derived[facet]


class Meanings:
    """What one package, or one file, says of some ops."""

    def __init__(self, homes: Mapping[str, str] | None = None):
        """`homes` begin the places that `row` names, by the facet."""
        self.by_op: dict[type[Operation], Described] = {}
        self._homes = homes or {}

    def describe(self, *ops: type[Operation]) -> Callable[[type[M]], type[M]]:
        """A decorator: the class says what `ops` mean. Raises TypeError for what is no facet."""

        def add(described: type[M]) -> type[M]:
            meaning = described()
            names = [name for name in dir(described) if not name.startswith("_")]
            self._add(ops, {name: getattr(meaning, name) for name in names})
            return described

        return add

    def row(self, *ops: type[Operation], **places: str) -> None:
        """
        Say where the parts of what `ops` mean are: `module:name`, or `module:name(word, …)` for
        what a function makes of some words. Nothing is imported before it is needed.
        """
        homes = self._homes
        parts = {facet: _Place(homes.get(facet, "") + text) for facet, text in places.items()}
        self._add(ops, parts)

    def _add(self, ops: Iterable[type[Operation]], parts: Mapping[str, Any]) -> None:
        for op in ops:
            _check(op, parts.keys())
            self.by_op[op] = Described(parts)


def _check(op: type[Operation], said: Iterable[str]) -> None:
    unknown = sorted(set(said) - set(FACETS))
    if unknown:
        raise TypeError(f"'{op.name}' says '{unknown[0]}', expected some of {_listed(FACETS)}")
    for one, other in _ALTERNATIVES:
        if {one, other} <= set(said):
            raise TypeError(f"'{op.name}' says '{one}' and '{other}', expected one of them")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


class Registry:
    """Everything that is said of ops, by vyre and by other packages."""

    def __init__(self, own: Iterable[str]):
        """`own` are vyre's `Meanings`, each loaded when none before it knows an op."""
        self._own = self._pending = tuple(own)
        self._known: dict[type[Operation], Described] = {}
        self._searched = False
        self._lock = Lock()

    def find(self, op: type[Operation]) -> Described | None:
        """What is said of the ops of this class, or None."""
        while op not in self._known and (pending := self._pending):
            self._load_next_of(pending)
        if op not in self._known and not self._searched:
            self._search()
        return self._known.get(op)

    def register(self, meanings: Meanings) -> None:
        """Add what a package says, without an entry point. What was known before stays."""
        while pending := self._pending:
            self._load_next_of(pending)
        _keep(meanings, self._known)

    def _load_next_of(self, pending: tuple[str, ...]) -> None:
        """Load the first of `pending`, which other threads see as such until all of it is known."""
        found = cast(Meanings, _Place(pending[0]).load())
        with self._lock:  # not while modules are imported, which has locks of its own
            if self._pending is pending:
                _keep(found, self._known)
                self._pending = pending[1:]

    def _search(self) -> None:
        """Load what other packages have; a broken one is left out with a warning."""
        for entry in entry_points(group=GROUP):
            with warned_if_broken(entry):
                self.register(_meanings_of(entry))
        self._searched = True


def _meanings_of(entry: EntryPoint) -> Meanings:
    found = entry.load()
    if not isinstance(found, Meanings):
        raise TypeError(f"expected 'Meanings', got '{type(found).__name__}'")
    return found


def _keep(meanings: Meanings, known: dict[type[Operation], Described]) -> None:
    for op, described in meanings.by_op.items():
        known.setdefault(op, described)


_OWN = "vyre_dialect.meanings"
OPS = Registry(
    [
        f"{_OWN}.integers:OPS",
        f"{_OWN}.memory:OPS",
        f"{_OWN}.invocations:OPS",
        f"{_OWN}.control_flow:OPS",
        f"{_OWN}.floats:OPS",
        f"{_OWN}.vectors:OPS",
        f"{_OWN}.functions:OPS",
    ]
)
"""What all ops mean: those of vyre and xDSL, and those of other packages."""


class Facet(Generic[F]):
    """One respect in which ops mean something, as the layer sees it that asks."""

    def __init__(self, name: str, derived: str | None = None):
        """`derived` is where a function is that makes it of a definition, where it is not said."""
        assert name in FACETS, name
        self.name = name
        self._derived = derived

    def of(self, op: type[Operation]) -> F | None:
        """What ops of this class mean in this respect; None where that is not said."""
        described = OPS.find(op)
        return None if described is None else described.part(self.name, self._derived)

    def is_stated(self, op: type[Operation]) -> bool:
        """Whether it is said of ops of this class, not derived."""
        described = OPS.find(op)
        return described is not None and described.states(self.name)


DEFINITION = Facet[Definition]("definition")
"""What ops compute, in other ops."""


def is_function(op: type[Operation]) -> bool:
    """Whether ops of a class are described as functions of their operands."""
    described = OPS.find(op)
    return described is not None and any(map(described.states, FUNCTIONS))


def unsaid(op: type[Operation], *facets: str) -> str:
    """Why ops of a class do not mean what is asked for, which takes one of `facets`."""
    if OPS.find(op) is None:
        return f"no package describes it in the entry point group '{GROUP}'"
    return f"its description has none of {_listed(facets)}"
