"""Run small programs, given as text, on the reference interpreter."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.parser import Parser
from xdsl.universe import Universe
from xdsl.utils.test_value import create_ssa_value

from vyre_dialect.runtime.interpreter import Interpreter, Observer
from vyre_dialect.runtime.interpreter.machine import NUMPY

Array = NDArray[Any]


@cache
def parse(text: str, *, verify: bool = True) -> ModuleOp:
    """The module that `text` stands for; parsed once, and not to be modified."""
    context = Context()
    for name, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, factory)
    module = Parser(context, text).parse_module()
    if verify:
        module.verify()
    return module


def outputs(
    text: str,
    inputs: Mapping[str, Array] | None = None,
    *,
    observer: Observer | None = None,
    batch: int = 1 << 14,
) -> Mapping[str, Array]:
    """The live-out buffers of the program `text` after a run."""
    ready = interpreter(parse(text))
    return ready.run(inputs or {}, observer=observer, batch_invocations=batch).outputs


@lru_cache
def interpreter(module: ModuleOp) -> Interpreter:
    """What interprets a module that is not to be modified; made once for many runs."""
    return Interpreter(module)


def operand(type: Attribute) -> Any:
    """A value to build an op with; the op is not run as a part of a program."""
    return create_ssa_value(type)


def computed(op: Operation, *operands: Array) -> Any:
    """The result of a pure op, or the tuple of its results, given those of its operands."""
    meaning = NUMPY.of(type(op))
    assert meaning is not None
    with np.errstate(all="ignore"):
        return meaning(op)(*operands)


def int_array(*values: int, dtype: type[np.integer[Any]] = np.int32) -> Array:
    """An array of integers."""
    return np.array(values, dtype)
