"""
Prints docs/reference-ops.md: each op of vyre with its syntax, operands, effects and an example.

    python tools/reference_ops.py > docs/reference-ops.md
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from docstrings import paragraphs_of, said_of_fields
from xdsl.context import Context
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    AllOf,
    AnyAttr,
    AnyOf,
    AttrConstraint,
    BaseAttr,
    EqAttrConstraint,
    OpDef,
    OptOperandDef,
    OptPropertyDef,
    OptResultDef,
    ParamAttrConstraint,
    RangeLengthConstraint,
    RangeOf,
    VarConstraint,
    VarOperandDef,
    VarResultDef,
)
from xdsl.parser import Parser
from xdsl.traits import MemoryEffectKind
from xdsl.universe import Universe

from vyre_dialect.dialect import Vyre
from vyre_dialect.ir.effects import effects_of
from vyre_dialect.ir.interfaces import HasExpansionInterface

ROOT = Path(__file__).parents[1]
HEAD = """\
# Every op

Syntax, operands, effects and an example of each op. Made from the classes of the ops and from
programs that tests run, by `make reference`; a test compares. What a program of these ops means
stands in [the dialect](dialect.md) and [the libraries](library.md).
"""
PAGES = ("docs/dialect.md", "docs/library.md")
TESTS = "tests/filecheck/dialect"
KINDS = {
    "Programs, arms and accesses": ("vyre.",),
    "Decoders": ("vyre.decode.",),
    "Scanners": ("vyre.scan.",),
}
_NO_CASES = {"invalid", "Output"}
"""Folders whose programs are wrong on purpose, or left behind by lit."""
_CASES_END = "// -----"
_DIRECTIVES = re.compile(r"^ *//.*$\n?", re.MULTILINE)


def main() -> None:
    """Print the page."""
    examples = smallest_examples()
    print(HEAD)
    for title, prefixes in KINDS.items():
        print(f"## {title}\n")
        for op in Vyre.operations:
            if kind_of(op.name) == prefixes[0]:
                print_op(op, examples[op.name])


def kind_of(name: str) -> str:
    """The longest prefix among `KINDS` that a name has."""
    known = (prefix for prefixes in KINDS.values() for prefix in prefixes)
    return max((prefix for prefix in known if name.startswith(prefix)), key=len)


def print_op(op: type[Operation], example: Operation) -> None:
    """An op: what it does, its syntax, what it takes and gives, its effects, an example."""
    print(f"### `{op.name}`\n")
    print(f"{paragraphs_of(op)}\n")
    if (syntax := getattr(op, "assembly_format", None)) is not None:
        print(f"```text\n{op.name} {syntax}\n```\n")
    rows = list(fields_of(op))
    if rows:
        print("| | | |\n|---|---|---|")
        print("\n".join(rows) + "\n")
    print(f"Effects: {effects_text(example)}.\n")
    print(f"For example:\n\n```mlir\n{text_of_op(example)}\n```\n")


def fields_of(op: type[Operation]) -> Iterator[str]:
    """A row for each operand, property, region and result, with what is said of it."""
    definition, said = definition_of(op), said_in_classes(op)
    for kind, fields in (
        ("operand", definition.operands),
        ("property", properties_of(definition)),
        ("region", definition.regions),
        ("result", definition.results),
    ):
        for name, field in fields:
            constraint = getattr(field, "constr", None)
            type_text = constraint_text(constraint) if constraint is not None else ""
            how_many = arity_of(field)
            what = ", ".join(each for each in (f"{kind}{how_many}", type_text) if each)
            yield f"| `{name}` | {what} | {said.get(name, '')} |"


def definition_of(op: type[Operation]) -> OpDef:
    """What xDSL keeps of the fields of an op."""
    definition = getattr(op, "get_irdl_definition", None)
    assert definition is not None
    return definition()


def properties_of(definition: OpDef) -> Sequence[tuple[str, object]]:
    """The properties that somebody writes: how operands are grouped is written by their syntax."""
    return [each for each in definition.properties.items() if not each[0].endswith("SegmentSizes")]


def arity_of(field: object) -> str:
    """How many values or attributes a field stands for, unless it is one."""
    if isinstance(field, VarOperandDef | VarResultDef):
        return ", any number"
    return ", optional" if isinstance(field, OptOperandDef | OptResultDef | OptPropertyDef) else ""


def constraint_text(constraint: object) -> str:
    """What a field may be, where that can be said in a word or two; else nothing."""
    match constraint:
        case RangeOf(inner) | RangeLengthConstraint(inner) | VarConstraint(_, inner):
            return constraint_text(inner)
        case BaseAttr():
            return attribute_text(constraint.attr)
        case ParamAttrConstraint():
            return attribute_text(constraint.base_attr)
        case EqAttrConstraint():
            return f"`{constraint.attr}`"
        case AnyOf(parts):
            return any_of_text(parts)
        case AllOf(parts):
            return constraint_text(parts[0])
        case AnyAttr():
            return "anything"
        case _:
            return ""


def any_of_text(parts: Sequence[AttrConstraint[Attribute]]) -> str:
    """The kinds that a field may be of, or nothing where one has no name."""
    texts = [constraint_text(each) for each in parts]
    return " or ".join(texts) if all(texts) else ""


def attribute_text(attribute: type[Attribute]) -> str:
    """The name of a kind of attribute."""
    name = getattr(attribute, "name", None)
    return f"`{name}`" if isinstance(name, str) else ""


def said_in_classes(op: type[Operation]) -> dict[str, str]:
    """What an op says below its fields, itself or in a class that it derives from."""
    said = dict[str, str]()
    for base in reversed(op.__mro__):
        if base.__module__.startswith("vyre_dialect"):
            said |= said_of_fields(base)
    return said


def effects_text(op: Operation) -> str:
    """What an op does to memory."""
    if isinstance(op, HasExpansionInterface):
        return "those of the arm that `vyre-expand` makes of it: " + accesses_text(op)
    return accesses_text(op)


def accesses_text(op: Operation) -> str:
    """The effects of an op, by operand."""
    effects = effects_of(op)
    if effects is None:
        return "unknown, so it is never removed, moved or merged"
    names = {value: name for name, value in named_operands(op)}
    shown = dict[str, None]()
    for kind in MemoryEffectKind:
        for effect in effects:
            if effect.kind == kind:
                value = effect.value
                name = f"`{names[value]}`" if value in names else "memory"
                shown[f"{kind.name.lower()}s {name}"] = None
    return ", ".join(sorted(shown)) or "none"


def named_operands(op: Operation) -> Iterator[tuple[str, object]]:
    """Each operand, with the name of its field."""
    for name, _ in definition_of(type(op)).operands:
        operand = getattr(op, name)
        if isinstance(operand, Iterable):
            yield from ((name, each) for each in operand)
        elif operand is not None:
            yield name, operand


def smallest_examples() -> dict[str, Operation]:
    """The shortest use of each op in the manual, or else in the tests of the dialect."""
    found = dict[str, Operation]()
    for texts in (programs_of_pages(), cases_of_tests()):
        here = dict[str, Operation]()
        for op in (op for text in texts for op in ops_of(text)):
            if op.name not in here or len(text_of_op(op)) < len(text_of_op(here[op.name])):
                here[op.name] = op
        found = here | found
    return found


def programs_of_pages() -> Iterator[str]:
    """The programs that the manual shows."""
    for page in PAGES:
        yield from re.findall(r"```mlir\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)


def cases_of_tests() -> Iterator[str]:
    """The cases of the tests of the dialect, those of what is invalid aside."""
    for path in sorted((ROOT / TESTS).rglob("*.mlir")):
        if _NO_CASES & set(path.parts) or "verify-diagnostics" in path.read_text():
            continue
        yield from path.read_text().split(_CASES_END)


def ops_of(text: str) -> Iterator[Operation]:
    """The ops of vyre in a text."""
    context = Context(allow_unregistered=True)
    for name, dialect in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, dialect)
    module = Parser(context, text).parse_module()
    return (op for op in module.walk() if op.name.startswith("vyre."))


def text_of_op(op: Operation) -> str:
    """An op as it is printed, without what comments said."""
    return _DIRECTIVES.sub("", str(op)).strip()


if __name__ == "__main__":
    main()
