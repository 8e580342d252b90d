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
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.ir.broken_descriptions import watched
from vyre_dialect.ir.broken_packages import warned_if_broken

GROUP = "vyre.ops"
"""The entry point group in which packages name their `Meanings`."""

FACETS = (
    "definition",
    *("range", "signed_range", "divisor", "linear", "affine", "condition"),
    *("drift", "bytes"),
    *("lanes", "narrow"),
    *("numpy", "step"),
    *("expression", "statement"),
)
"""The respects in which an op means something, as `Meaning` explains them."""
TEXT = "text_"
"""What the name of the facet of another lowering begins with; the name of that one follows."""
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
    - `signed_range(op, operands)`: the same of scalar integers, all of which are read as signed
      numbers.
    - `divisor(op, operands)`: a power of two that divides the result, from those of operands.
    - `linear(op, operands)`: an index as a `LinearForm`, from `Operands`, or None.
    - `affine(values, op)`: an integer as a quasi-affine function, from `AffineValues`, or None.
    - `condition(values, op)`: the set of invocations in which an i1 is set, or None.
    - `drift(walk, op)`: what becomes of an integer on a piece of the input, as a `Drift`, or None
      where its operands are data.
    - `bytes(op, origins)`: where the four bytes of an i32 come from, by `ByteOrigins`.
    - `lanes(body, op)`: the vector of what it computes in all lanes, from the `LanesBody` of an
      arm whose invocations become lanes; `only_where(…)` around it, where some ops have none.
    - `narrow(width, op)`: what it does in so few bits, of which some operand has more, as a `Form`,
      or None where the `Width` does not allow it.
    - `numpy(op)`: a function of arrays, which have an element for each invocation; or, for an op
      with effects, `step(op, compiler)`: what the reference interpreter does.
    - `expression(scope, op)`: the `Expression` of OpenCL C; or, for an op that is none,
      `statement(scope, op)`: prints it, and binds its results.
    - `text_NAME`: what the lowering of that name writes for it, a method as that lowering calls it.
      Any package may say this of ops that others describe, too.
    """


_REFERENCE = re.compile(r"(?P<module>[\w.]+):(?P<name>\w+)(\((?P<words>.*)\))?")


@dataclass(frozen=True)
class _Reference:
    """Where something is: `module:name`, or `module:name(word, …)` for what that makes of words."""

    text: str
    part: str = "a part"
    """What of which op is there, in words."""

    def load(self) -> Any:
        """What is there. Raises DiagnosticException where nothing is."""
        match = _REFERENCE.fullmatch(self.text)
        if match is None:
            raise self._error("'module:name' or 'module:name(word, …)'", "no such text")
        try:
            module = import_module(match["module"])
        except ImportError as error:
            raise self._error("a module that can be imported", str(error)) from error
        if not hasattr(module, match["name"]):
            raise self._error(f"a name of '{module.__name__}'", "none of that name")
        found, words = getattr(module, match["name"]), match["words"]
        return found if words is None else found(*words.split(", "))

    def _error(self, expected: str, got: str) -> DiagnosticException:
        return DiagnosticException(
            f"{self.part} is said to be at '{self.text}': expected {expected}, got {got}; correct "
            "the row that says so"
        )


class Described:
    """What is said of an op: the parts themselves, or where they are, until they are needed."""

    def __init__(self, parts: Mapping[str, Any]):
        self._parts = dict(parts)
        self._derived = dict[str, Any]()

    def with_texts_of(self, other: Described) -> Described:
        """The same, and for which lowerings another package says what is written for the op."""
        texts = {name: part for name, part in other._parts.items() if name.startswith(TEXT)}
        return Described(texts | self._parts) if texts else self

    def states(self, facet: str) -> bool:
        """Whether this is said of the op, not derived."""
        return facet in self._parts

    def part(self, facet: str, derived: str | None = None) -> Any:
        """
        What is said of the op in one respect, or what the function that is found at `derived`
        makes of its definition; None without either.
        """
        part = self._parts.get(facet)
        if isinstance(part, _Reference):
            part = self._parts[facet] = part.load()
        if part is not None or derived is None or "definition" not in self._parts:
            return part
        if facet not in self._derived:
            self._derived[facet] = _Reference(derived).load()(self.part("definition"))
        return self._derived[facet]


class Meanings:
    """What one package, or one file, says of some ops."""

    def __init__(self, homes: Mapping[str, str] | None = None):
        """`homes` begin the references that `row` gives, by the facet."""
        self.by_op: dict[type[Operation], Described] = {}
        self._homes = homes or {}

    def describe(self, *ops: type[Operation]) -> Callable[[type[M]], type[M]]:
        """A decorator: the class says what `ops` mean. Raises TypeError for no facet, or no op."""

        def add(described: type[M]) -> type[M]:
            meaning = described()
            names = [name for name in dir(described) if not name.startswith("_")]
            for op in ops:
                _check(op, names)
                parts = {name: watched(op, name, getattr(meaning, name)) for name in names}
                self.by_op[op] = Described(parts)
            return described

        return add

    def row(self, *ops: type[Operation], **references: str) -> None:
        """
        Say where the parts of what `ops` mean are: `module:name`, or `module:name(word, …)` for
        what a function makes of some words. Nothing is imported before it is needed. Raises
        TypeError for no facet, or no op.
        """
        for op in ops:
            _check(op, references)
            self.by_op[op] = Described(
                {
                    facet: _Reference(
                        self._homes.get(facet, "") + text, f"'{facet}' of '{op.name}'"
                    )
                    for facet, text in references.items()
                }
            )


def is_facet(name: str) -> bool:
    """Whether ops may mean something in this respect: one of vyre's, or the text of a lowering."""
    return name in FACETS or (name.startswith(TEXT) and len(name) > len(TEXT))


def _check(op: Any, said: Iterable[str]) -> None:
    if not (isinstance(op, type) and issubclass(op, Operation)):
        raise TypeError(f"expected the class of an op that is described, got {op!r}")
    for name in said:
        if not is_facet(name):
            raise TypeError(
                f"'{op.name}' says '{name}', expected some of {_listed(FACETS)}, or '{TEXT}' and "
                "the name of a lowering"
            )
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

    def find(self, op: type[Operation], *, by_all: bool = False) -> Described | None:
        """
        What is said of the ops of this class, or None; `by_all` packages, though vyre or one of
        them knows the op already. What is broken in a package is a warning that names it.
        """
        while op not in self._known and (pending := self._pending):
            self._load_next_of(pending)
        if (by_all or op not in self._known) and not self._searched:
            self._search()
        return self._known.get(op)

    def register(self, meanings: Meanings) -> None:
        """
        Add what a package says, without an entry point. What was known before stays, and of an op
        that was known only what other lowerings write is added.
        """
        while pending := self._pending:
            self._load_next_of(pending)
        _keep(meanings, self._known)

    def _load_next_of(self, pending: tuple[str, ...]) -> None:
        """Load the first of `pending`, which other threads see as such until all of it is known."""
        found = cast(Meanings, _Reference(pending[0]).load())
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
        known[op] = known[op].with_texts_of(described) if op in known else described


OWN_DIALECT = "vyre"
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
    """
    One respect in which ops mean something, as the layer sees it that asks. Raises a TypeError for
    a name that no row has.
    """

    def __init__(self, name: str, derived: str | None = None):
        """`derived` is where a function is that makes it of a definition, where it is not said."""
        if not is_facet(name):
            raise TypeError(f"expected a facet, or '{TEXT}' and a lowering's name, got '{name}'")
        self.name, self._by_all = name, name.startswith(TEXT)
        self._derived = derived

    def of(self, op: type[Operation]) -> F | None:
        """What ops of this class mean in this respect; None where that is not said."""
        described = self._find(op)
        return None if described is None else described.part(self.name, self._derived)

    def is_stated(self, op: type[Operation]) -> bool:
        """Whether it is said of ops of this class, not derived."""
        described = self._find(op)
        return described is not None and described.states(self.name)

    def _find(self, op: type[Operation]) -> Described | None:
        return OPS.find(op, by_all=self._by_all)


DEFINITION = Facet[Definition]("definition")
"""What ops compute, in other ops."""


def is_function(op: type[Operation]) -> bool:
    """Whether ops of a class are described as functions of their operands."""
    described = OPS.find(op)
    return described is not None and any(map(described.states, FUNCTIONS))


def unsaid(op: type[Operation], *facets: str) -> str:
    """Why ops of a class do not mean what is asked for, which takes one of `facets`."""
    if OPS.find(op) is not None:
        return f"its description has none of {_listed(facets)}"
    if op.dialect_name() == OWN_DIALECT:
        return f"no row of '{_OWN}' describes it"
    return f"no package describes it in the entry point group '{GROUP}'"
