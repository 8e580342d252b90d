"""
What ops and values consist of, as functions of C for `map`.

For all that looks at every op again and again: xDSL's properties are calls of Python, and some of
them make an object each time, which takes several times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, cast

from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue

operands_of = cast(Callable[[Operation], tuple[SSAValue, ...]], attrgetter("_operands"))
results_of = cast(Callable[[Operation], tuple[OpResult[Any], ...]], attrgetter("results"))
attributes_of = cast(Callable[[Operation], dict[str, Attribute]], attrgetter("attributes"))
properties_of = cast(Callable[[Operation], dict[str, Attribute]], attrgetter("properties"))
regions_of = cast(Callable[[Operation], tuple[Region, ...]], attrgetter("regions"))
parent_of = cast(Callable[[Operation], Block | None], attrgetter("parent"))
op_before = cast(Callable[[Operation], Operation | None], attrgetter("_prev_op"))
op_behind = cast(Callable[[Operation], Operation | None], attrgetter("_next_op"))
first_op_of = cast(Callable[[Block], Operation | None], attrgetter("_first_op"))
block_before = cast(Callable[[Block], Block | None], attrgetter("_prev_block"))
type_of = cast(Callable[[SSAValue], Attribute], attrgetter("_type"))
