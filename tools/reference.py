"""
Prints docs/reference.md from the docstrings and signatures of what it lists.

    python tools/reference.py > docs/reference.md
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from types import ModuleType
from typing import TypeGuard

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IndexType, f32, i32
from xdsl.ir import Attribute, Block

from vyre_dialect.builder.values import Value
from vyre_dialect.dialect import Vyre
from vyre_dialect.ir.scheduling import Profile
from vyre_dialect.lowering.opencl import expressions, forms
from vyre_dialect.ops.library import LibraryOp
from vyre_dialect.passes.schedule.materialize_schedule import materialize
from vyre_dialect.runtime.program import pipelines

HEAD = """\
# Reference

What a package beside vyre, or a host program, is written against. Made from the docstrings by
`make reference`; a test compares. [A package beside vyre](extending.md),
[the libraries](library.md) and [the command line](command-line.md) show how it is used.
"""

ONCE = """\
```python
from pathlib import Path

import numpy as np

from vyre_dialect.runtime.opencl.devices import choose_device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context

context = make_context()
device = choose_device()
module = load_module(Path("examples/xor_literal.mlir"), context)
compiled = compile_module(module, context=context, device=device.info)
session = Session(device)
executor = Executor(compiled, session)  # kernels are built here, once

encoded = session.put(np.zeros(4096, np.uint8))  # stays on the device
for _ in range(3):
    run = executor.run({"encoded": encoded})
print(run.outputs["count"], [arm.generator for arm in run.arms])
```
"""

MODULES = {
    "Building arms": (
        "Inside of a block that is being built, as in an expansion pattern, these append to it.",
        (
            *("vyre_dialect.builder", "vyre_dialect.builder.program"),
            *("vyre_dialect.builder.buffers", "vyre_dialect.builder.control_flow"),
            "vyre_dialect.builder.queries",
            "vyre_dialect.builder.building",
        ),
    ),
    "Values": ("", ("vyre_dialect.builder.values",)),
    "Effect and access interfaces": ("", ("vyre_dialect.ir.interfaces",)),
    "What ops mean": ("", ("vyre_dialect.ir.meaning",)),
    "Bases of library ops": ("", ("vyre_dialect.ops.library",)),
    "Expansions": (
        "What patterns that expand library ops put around arms, and what they leave to choose.",
        (
            *(
                "vyre_dialect.passes.expansions.destination",
                "vyre_dialect.passes.rewriting.host_side",
            ),
            "vyre_dialect.ir.tuning",
        ),
    ),
    "Passes": ("What a pass says to take part in schedules.", ("vyre_dialect.ir.scheduling",)),
    "What descriptions are made of": (
        "`vyre_dialect.lowering.opencl.forms` has what expressions and statements are made of, and "
        "`vyre_dialect.runtime.interpreter` what steps are made of, under the same names.",
        (
            *("vyre_dialect.lowering.opencl.expressions", "vyre_dialect.lowering.opencl.literals"),
            *("vyre_dialect.lowering.opencl.scope", "vyre_dialect.lowering.opencl.helpers"),
            "vyre_dialect.runtime.interpreter.machine",
            "vyre_dialect.runtime.interpreter.elements",
            *("vyre_dialect.analysis.value_ranges", "vyre_dialect.analysis.interval_arithmetic"),
            *("vyre_dialect.analysis.affine_values", "vyre_dialect.analysis.quasi_affine"),
            "vyre_dialect.passes.rewriting.vector_forms",
            "vyre_dialect.passes.scalar.narrowing.forms",
            "vyre_dialect.passes.scalar.narrowing.arithmetic",
        ),
    ),
}
PARTS = {
    "vyre_dialect.passes.rewriting.host_side": ("invocations", "table", "temporary"),
    "vyre_dialect.ir.tuning": ("Parameter", "HasParametersInterface"),
    "vyre_dialect.ir.scheduling": ("Profile", "Phase", "Family", "Boundary", "PassMetadata"),
    "vyre_dialect.lowering.opencl.expressions": tuple(
        each for each in forms.__all__ if hasattr(expressions, each)
    ),
    "vyre_dialect.lowering.opencl.literals": ("literal", "vector_literal"),
    "vyre_dialect.lowering.opencl.scope": ("Scope", "StatementScope"),
    "vyre_dialect.lowering.opencl.helpers": ("Helpers",),
    "vyre_dialect.runtime.interpreter.machine": ("Compiler", "Frame", "elementwise"),
    "vyre_dialect.runtime.interpreter.elements": ("Elements",),
    "vyre_dialect.analysis.value_ranges": ("Range",),
    "vyre_dialect.analysis.interval_arithmetic": ("at_corners",),
    "vyre_dialect.analysis.affine_values": ("AffineValues",),
    "vyre_dialect.analysis.quasi_affine": ("floordiv", "modulo"),
    "vyre_dialect.passes.rewriting.vector_forms": ("lane_by_lane", "only_where"),
    "vyre_dialect.passes.scalar.narrowing.forms": ("Form", "Reading", "Width"),
    "vyre_dialect.passes.scalar.narrowing.arithmetic": ("low_bits",),
}
"""What is listed of modules that have more than packages are written against."""
ONCE_MODULES = (
    *("vyre_dialect.runtime.program.loading", "vyre_dialect.runtime.driver.job"),
    *("vyre_dialect.runtime.program.compilation", "vyre_dialect.runtime.driver.execute"),
    "vyre_dialect.runtime.program.compiled_program",
    "vyre_dialect.runtime.opencl.session",
    *("vyre_dialect.runtime.opencl.executor", "vyre_dialect.runtime.opencl.flight"),
    *("vyre_dialect.passes.schedule.instrumentation", "vyre_dialect.runtime.program.observers"),
)

OPERATORS: dict[str, Callable[[Value, Value], Value]] = {
    "a + b": lambda a, b: a + b,
    "a - b": lambda a, b: a - b,
    "a * b": lambda a, b: a * b,
    "a / b": lambda a, b: a / b,
    "a // b": lambda a, b: a // b,
    "a % b": lambda a, b: a % b,
    "a & b": lambda a, b: a & b,
    "a | b": lambda a, b: a | b,
    "a ^ b": lambda a, b: a ^ b,
    "a << b": lambda a, b: a << b,
    "a >> b": lambda a, b: a >> b,
    "a == b": lambda a, b: a == b,
    "a != b": lambda a, b: a != b,
    "a < b": lambda a, b: a < b,
    "a <= b": lambda a, b: a <= b,
    "-a": lambda a, _: -a,
    "~a": lambda a, _: ~a,
}
"""How each operator is tried out on values of a type."""
TYPES: tuple[Attribute, ...] = (IndexType(), i32, f32)

SAID = (
    *("LibraryOp", "HasParametersInterface", "Carrying", "Query", "Structure", "Scope"),
    "Observer",
)
"""The classes whose methods those that are derived from them have, too."""

Definition = ast.FunctionDef | ast.ClassDef


def main() -> None:
    """Print the page."""
    print(HEAD)
    for title, (text, modules) in MODULES.items():
        print(f"## {title}\n")
        if text:
            print(f"{text}\n")
        if title == "Values":
            print_operators()
        for name in modules:
            print_module(import_module(name))
    print("## Constructors of library ops\n")
    print_constructors()
    print("## The default pipeline\n")
    print_pipeline()
    print("## Compile once, run often\n")
    print(ONCE)
    for name in ONCE_MODULES:
        print_module(import_module(name))


def print_module(module: ModuleType) -> None:
    """The public functions and classes of a module."""
    print(f"### `{module.__name__}`\n")
    print(f"{prose_of(ast.parse(inspect.getsource(module)))}\n")
    for each in listed(module.__name__, ast.parse(inspect.getsource(module)).body):
        if isinstance(each, ast.ClassDef):
            print_class(each)
        else:
            print_function(each)


def listed(module: str, body: Sequence[ast.stmt]) -> Iterator[Definition]:
    """The definitions of a module that the page has."""
    parts = PARTS.get(module)
    return (each for each in definitions(body) if parts is None or each.name in parts)


def definitions(body: Sequence[ast.stmt]) -> Iterator[Definition]:
    """The functions and classes that are public and say what they are."""
    for each in body:
        if isinstance(each, ast.FunctionDef | ast.ClassDef) and not each.name.startswith("_"):
            if ast.get_docstring(each) is not None:
                yield each


def print_class(definition: ast.ClassDef) -> None:
    """A class, its fields and its methods."""
    constructor = [each for each in definition.body if is_constructor(each)]
    call = f"({arguments(constructor[0])})" if constructor else ""
    said = " ".join([prose_of(definition), *map(prose_of, constructor)]).strip()
    kinds = ", ".join(f"`{each}`" for each in map(ast.unparse, definition.bases) if each in SAID)
    kind = f", of {kinds}" if kinds else ""
    print(f"**`class {definition.name}{call}`**{kind}: {said}\n")
    items = [
        *members(definition),
        *fields(definition.body),
        *map(function_line, functions(definition.body)),
    ]
    for item in items:
        print(item)
    if items:
        print()


def members(definition: ast.ClassDef) -> Iterator[str]:
    """The members of an enumeration, with what is said of them below."""
    if not any(ast.unparse(base) in ("Enum", "StrEnum", "IntEnum") for base in definition.bases):
        return
    body = definition.body
    for statement, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            said = f": {text_of(following)}" if text_of(following) else ""
            yield f"- `{statement.targets[0].id}`{said}"


def is_constructor(statement: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    """Whether a statement of a class defines `__init__`."""
    return isinstance(statement, ast.FunctionDef) and statement.name == "__init__"


def functions(body: Sequence[ast.stmt]) -> Iterator[ast.FunctionDef]:
    """The public functions of a class."""
    return (each for each in definitions(body) if isinstance(each, ast.FunctionDef))


def fields(body: Sequence[ast.stmt]) -> Iterator[str]:
    """The annotated fields, with what is said of them below."""
    for statement, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            if not statement.target.id.startswith("_"):
                said = f": {text_of(following)}" if text_of(following) else ""
                print_type = ast.unparse(statement.annotation)
                yield f"- `{statement.target.id}: {print_type}`{said}"


def text_of(statement: ast.stmt | None) -> str:
    """The text of a docstring below a field, on one line."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return " ".join(str(statement.value.value).split())
    return ""


def print_function(definition: ast.FunctionDef) -> None:
    """A function with its docstring."""
    print(f"**`{definition.name}{signature(definition)}`**: {prose_of(definition)}\n")


def function_line(definition: ast.FunctionDef) -> str:
    """The entry of a function in a list."""
    names = [ast.unparse(each) for each in definition.decorator_list]
    is_property = any("property" in name for name in names)
    shown = definition.name if is_property else f"{definition.name}{signature(definition)}"
    return f"- `{shown}`: {prose_of(definition)}"


def signature(definition: ast.FunctionDef) -> str:
    """The arguments and the result of a function, as they are written."""
    returned = f" -> {ast.unparse(definition.returns)}" if definition.returns else ""
    return f"({arguments(definition)}){returned}"


def arguments(function: ast.stmt) -> str:
    """The arguments of a function, without `self` and `cls`."""
    assert isinstance(function, ast.FunctionDef)
    shown = ast.unparse(function.args)
    first = shown.partition(", ")
    return first[2] if first[0] in ("self", "cls") else shown


def prose_of(node: ast.Module | Definition) -> str:
    """The docstring up to its first example, and what it raises, on one line."""
    text = textwrap.dedent(ast.get_docstring(node) or "")
    before, _, after = text.partition("\n\n    ")
    errors = (each for each in after.split("\n\n") if each.startswith("Raises"))
    return " ".join(" ".join((before, *errors)).split())


def print_operators() -> None:
    """What each operator of a Value builds, found out by building it."""
    print("| operator | of index | of integers | of floats |\n|---|---|---|---|")
    for operator, build in OPERATORS.items():
        built = " | ".join(built_by(build, type) for type in TYPES)
        print(f"| `{operator.replace('|', chr(92) + '|')}` | {built} |")
    print()


def built_by(build: Callable[[Value, Value], Value], type: Attribute) -> str:
    """The op that an operator builds of two values of a type."""
    block = Block(arg_types=[type, type])
    try:
        with ImplicitBuilder(block):
            result = build(*map(Value, block.args))
    except TypeError:
        return "–"
    op = result.ssa.owner
    assert not isinstance(op, Block)
    predicate = str(op).partition(op.name)[2].split()[0].rstrip(",") if "cmp" in op.name else ""
    return f"`{op.name}{' ' + predicate if predicate else ''}`"


def print_constructors() -> None:
    """How each op of the libraries is made from Python."""
    for op in Vyre.operations:
        if not issubclass(op, LibraryOp):
            continue
        made = ast.parse(textwrap.dedent(inspect.getsource(op.__init__))).body[0]
        assert isinstance(made, ast.FunctionDef)
        print(f"- `{op.name}`: `{op.__name__}({arguments(made)})`")
    print()


def print_pipeline() -> None:
    """The passes of the default schedule, and the lists of passes by name."""
    print("| pass | phase | family | requires |\n|---|---|---|---|")
    for op in materialize(Profile.RELEASE).passes():
        metadata = op.metadata
        requires = ", ".join(f"`{name}`" for name in metadata.requires)
        name = op.sym_name.data
        if name.startswith("vyre-") or name in ("dce", "licm", "canonicalize"):
            print(f"| `{name}` | {metadata.phase} | {metadata.family} | {requires} |")
    print()
    for name in ("DEFAULT", "UNFUSED", "KERNEL_PASSES", "REFERENCE"):
        print(f"- `{pipelines.__name__}.{name}`: `{getattr(pipelines, name)}`")
    print()


if __name__ == "__main__":
    main()
