"""
Built programs as text, from which they are made again without any pass: the host plan as IR, and
of the kernels what the device is given and the host needs to know. No code comes from it but
OpenCL C.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import StringIO
from typing import Any

from xdsl.context import Context
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.printer import Printer

from vyre_dialect.ir.canonical_text import canonical_text
from vyre_dialect.ir.interfaces import AccessKind
from vyre_dialect.ir.types import BufferType
from vyre_dialect.lowering.opencl.printed import (
    ArgumentKind,
    PrintedArgument,
    PrintedKernel,
    PrintedModule,
)
from vyre_dialect.lowering.opencl.types import CType
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.runtime.interpreter.inputs import ProgramInputs
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.program.compiled_program import CompiledProgram

Json = Mapping[str, Any]


def as_text(compiled: CompiledProgram, inputs: ProgramInputs, decision: str | None) -> str:
    """A program that was built, what it takes, and the key of the decision that it follows."""
    printed = compiled.printed
    return json.dumps(
        {
            "plan": _plan_text(compiled.program),
            "source": printed.text,
            "extensions": sorted(printed.extensions),
            "kernels": [_kernel_as_json(each) for each in printed.kernels],
            "inputs": _inputs_as_json(inputs),
            "decision": decision,
            "policy": compiled.policy,
            "is_fused": compiled.is_fused,
        }
    )


def from_text(text: str, context: Context) -> tuple[CompiledProgram, ProgramInputs, str | None]:
    """What `as_text` was given. Raises whatever a text causes that it has not made."""
    value = json.loads(text)
    printed = PrintedModule(
        value["source"],
        frozenset(value["extensions"]),
        tuple(_kernel(each, context) for each in value["kernels"]),
    )
    # The kernels do not stand beside it, so that it would not verify; it did as it was kept.
    program = find_program(Parser(context, value["plan"]).parse_module())
    compiled = CompiledProgram(program, printed, value["policy"], value["is_fused"], is_kept=True)
    return compiled, _inputs(value["inputs"], context), value["decision"]


def is_faithful(text: str, compiled: CompiledProgram, context: Context) -> bool:
    """Whether `text` gives the same host plan, as ops of other packages may print anything."""
    plan = from_text(text, context)[0].program
    return canonical_text(plan) == canonical_text(compiled.program)


def _plan_text(program: ProgramOp) -> str:
    text = StringIO()
    Printer(stream=text).print_op(program)
    return text.getvalue()


def _kernel_as_json(kernel: PrintedKernel) -> Json:
    return {
        "name": kernel.name,
        "arguments": [_argument_as_json(each) for each in kernel.arguments],
        "generator": kernel.generator,
        "workgroup": kernel.workgroup,
        "tile_bytes": kernel.tile_bytes,
        "private_bytes": kernel.private_bytes,
        "structural_hash": kernel.structural_hash,
    }


def _kernel(value: Json, context: Context) -> PrintedKernel:
    x, y, z = value["workgroup"]
    return PrintedKernel(
        value["name"],
        tuple(_argument(each, context) for each in value["arguments"]),
        value["generator"],
        (x, y, z),
        value["tile_bytes"],
        value["private_bytes"],
        value["structural_hash"],
    )


def _argument_as_json(argument: PrintedArgument) -> Json:
    return {
        "name": argument.name,
        "kind": argument.kind.value,
        "type": [argument.type.base, argument.type.lanes],
        "element": None if argument.element is None else str(argument.element),
        "accesses": sorted(argument.accesses),
        "traps": argument.traps,
    }


def _argument(value: Json, context: Context) -> PrintedArgument:
    element = value["element"]
    return PrintedArgument(
        value["name"],
        ArgumentKind(value["kind"]),
        CType(*value["type"]),
        None if element is None else _attribute(element, context),
        frozenset(map(AccessKind, value["accesses"])),
        traps=tuple(value["traps"]),
    )


def _inputs_as_json(inputs: ProgramInputs) -> Json:
    return {
        "program": inputs.program,
        "types": {name: str(type) for name, type in inputs.types.items()},
        "needed": inputs.needed,
        "others": inputs.others,
    }


def _inputs(value: Json, context: Context) -> ProgramInputs:
    types = {name: _buffer_type(text, context) for name, text in value["types"].items()}
    return ProgramInputs(value["program"], types, tuple(value["needed"]), tuple(value["others"]))


def _buffer_type(text: str, context: Context) -> BufferType:
    type = _attribute(text, context)
    assert isinstance(type, BufferType)
    return type


def _attribute(text: str, context: Context) -> Attribute:
    return Parser(context, text).parse_attribute()
