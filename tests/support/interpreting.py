"""Run small programs, given as text, on the reference interpreter."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.universe import Universe

from vyre_dialect.runtime.interpreter import Observer, interpret

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
    text: str, *, observer: Observer | None = None, batch: int = 1 << 14, **inputs: Array
) -> Mapping[str, Array]:
    """The live-out buffers of the program `text` after a run."""
    return interpret(parse(text), inputs, observer=observer, batch_invocations=batch).outputs


def int_array(*values: int, dtype: type[np.integer[Any]] = np.int32) -> Array:
    """An array of integers."""
    return np.array(values, dtype)
