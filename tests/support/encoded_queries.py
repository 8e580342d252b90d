"""Queries over decoded columns, drawn with their data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from hypothesis import strategies as st

from support.blocks import Blocks
from vyre_dialect.ops.packed import Layout

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
WIDTHS = (8, 16, 32, 64)
TURN = 1 << 64
COUNT, TOTAL = "!vyre.buffer<1xi32, read_write>", "!vyre.buffer<1xi64, read_write>"


@dataclass
class Drawn:
    """A program with a query, written as it is drawn, and its inputs."""

    draw: st.DrawFn
    buffers: list[str] = field(default_factory=list[str])
    decoders: list[str] = field(default_factory=list[str])
    columns: list[str] = field(default_factory=list[str])
    body: list[str] = field(default_factory=list[str])
    inputs: dict[str, Array] = field(default_factory=dict[str, Array])
    near: dict[tuple[str, int], list[int]] = field(default_factory=dict[tuple[str, int], list[int]])
    """Of each column and its width, numbers that tests may be about."""
    fresh: int = 0

    def name(self) -> str:
        """A name that is not taken."""
        self.fresh += 1
        return f"v{self.fresh}"

    def number(self, low: int, high: int) -> int:
        """A number within limits."""
        return self.draw(st.integers(low, high))

    def input(self, name: str, type: str, contents: Array, count: str = "?") -> str:
        """A buffer that the host fills; its name and type."""
        text = f"!vyre.buffer<{count}x{type}, read_only>"
        self.buffers.append(f"%{name} = vyre.buffer @{name} : {text}")
        self.inputs[name] = contents
        return text

    def decoded(self, name: str, type: str) -> str:
        """A buffer that a decoder fills, with or without a size of its own; its type."""
        text = f"!vyre.buffer<?x{type}, read_write>"
        initial = self.draw(st.sampled_from(["", "initial undefined "]))
        size = ""
        if self.number(0, 4) == 0:
            size, initial = f"[%{name}_size]", "initial undefined "
            self.buffers.append(f"%{name}_size = arith.constant {self.number(0, 20)} : index")
        self.buffers.append(f"%{name} = vyre.buffer @{name}{size} {initial}: {text}")
        return text

    def column(self, name: str, width: int, text: str, near: list[int]) -> None:
        """Let the query read a buffer."""
        self.columns.append(f"%x_{name} = %{name} : {text}")
        self.near[f"%x_{name}", width] = near

    # Decoders.

    def packed(self, name: str, width: int, bits: int, base: int, zigzag: bool) -> str:
        """Random integers of some bits; the type of the buffer."""
        packed = self.random(self.number(0, 100) * bits // 8)
        source = self.input(f"{name}_packed", "i8", packed)
        text = self.decoded(name, f"i{width}")
        how = f"bits {bits} base {base}" + (" zigzag" if zigzag else "")
        self.decoders.append(
            f"vyre.decode.bitunpack %{name}_packed to %{name} {how} : {source}, {text}"
        )
        return text

    def random(self, size: int) -> Array:
        """Random bytes."""
        random = np.random.default_rng(self.number(0, 1 << 16))
        return random.integers(0, 256, size, np.uint8)

    def add_packed_column(self, name: str) -> None:
        """A column of integers that are packed above a base, with signs folded in or not."""
        width = self.draw(st.sampled_from(WIDTHS))
        bits = self.number(1, min(width, 11)) if self.draw(st.booleans()) else width
        base = self.number(-1 << width - 1, (1 << width) - 1)
        base = self.draw(st.sampled_from([0, -1, base, (1 << width) - 3, (1 << width - 1) - 2]))
        zigzag = self.draw(st.booleans())
        text = self.packed(name, width, bits, base, zigzag)
        half = 1 << bits - 1
        ends = [base, base + 2 * half - 1, base + half, base - half, base + 1, 0, -1, half]
        self.column(name, width, text, ends)

    def add_dictionary_column(self, name: str, widths: tuple[int, ...] = WIDTHS) -> None:
        """A column of codes into a dictionary, which the program may know."""
        bits, width = self.number(1, 7), self.draw(st.sampled_from(widths))
        base = self.number(0, 2)
        codes = self.packed(f"{name}_codes", 16, bits, base, False)
        missing = self.draw(st.sampled_from([0, 0, 1]))
        entries = [self.number(0, 40) for _ in range((1 << bits) + base - missing)]
        table = f"{name}_table"
        if self.draw(st.booleans()):
            type = self.input(table, f"i{width}", np.array(entries, f"uint{width}"))
        else:
            type = f"!vyre.buffer<{len(entries)}xi{width}, read_only>"
            dense = f"dense<[{', '.join(map(str, entries))}]> : vector<{len(entries)}xi{width}>"
            self.buffers.append(f"%{table} = vyre.buffer @{table} contents {dense} : {type}")
        text = self.decoded(name, f"i{width}")
        errors = "!vyre.buffer<1xi32, read_write>"
        self.buffers.append(f"%{name}_errors = vyre.buffer @{name}_errors fill -1 : i32 : {errors}")
        self.decoders.append(
            f"vyre.decode.dictionary %{name}_codes to %{name} table %{table} "
            f"errors %{name}_errors : {codes}, {text}, {type}, {errors}"
        )
        self.column(name, width, text, [*entries[:6], 0, 20, 40])

    def blocks(self, name: str, width: int, layout: Layout, bases: list[int]) -> tuple[str, int]:
        """Blocks that say themselves how they are packed; the type of the buffer, and the block."""
        zigzag = self.draw(st.booleans())
        per_block = self.draw(st.sampled_from([16, 32, 64]))
        per_block = 1024 if layout == Layout.INTERLEAVED else per_block
        bits = self.draw(st.lists(st.sampled_from([0, 1, 3, 5, width]), max_size=4))
        blocks = Blocks.drawn(width, layout, per_block, bits, zigzag=zigzag)
        for block in range(len(bits)):
            base = self.draw(st.sampled_from(bases)) + self.number(-2, 2)
            blocks = blocks.with_field(block, 2, (base + TURN // 2) % TURN - TURN // 2)
        if bits and self.number(0, 9) == 0:
            blocks = blocks.with_field(0, self.number(0, 1), self.number(-5, 5000))
        self.inputs |= {f"{name}_{key}": value for key, value in blocks.inputs().items()}
        source, fields = "!vyre.buffer<?xi8, read_only>", "!vyre.buffer<?xi64, read_only>"
        errors = "!vyre.buffer<1xi32, read_write>"
        self.buffers += [
            f"%{name}_packed = vyre.buffer @{name}_packed : {source}",
            f"%{name}_blocks = vyre.buffer @{name}_blocks : {fields}",
            f"%{name}_errors = vyre.buffer @{name}_errors fill -1 : i32 : {errors}",
        ]
        text = self.decoded(name, f"i{width}")
        self.decoders.append(
            f"vyre.decode.bitunpack_blocks %{name}_packed to %{name} blocks %{name}_blocks of "
            f"{per_block} layout {layout}{' zigzag' if zigzag else ''} errors %{name}_errors : "
            f"{source}, {text}, {fields}, {errors}"
        )
        return text, per_block

    def add_blocks_column(self, name: str) -> None:
        """A column in blocks that say themselves how they are packed."""
        width, layout = self.draw(st.sampled_from(WIDTHS)), self.draw(st.sampled_from(Layout))
        limit = 1 << width - 1
        bases = [0, 30, 60, -90, limit - 3, -limit, 2 * limit - 4]
        text, _ = self.blocks(name, width, layout, bases)
        self.column(name, width, text, [0, 30, 33, 45, 60, -90, limit, -limit, -1, 20, -50])

    def add_sums_column(self, name: str) -> None:
        """A column of differences in blocks, each of which is summed up from a base of its own."""
        width = self.draw(st.sampled_from([32, 64]))
        limit = 1 << width - 1
        bases = [0, 1, 3, -2, 1 << 20, 1 << 39, 1 << 45, limit - 3]
        words, block = self.blocks(f"{name}_words", width, Layout.SEQUENTIAL, bases)
        starts = [0, 500, -900, limit - 20, -limit]
        drawn = [self.draw(st.sampled_from(starts)) for _ in range(4)]
        known = np.array([each % (1 << width) for each in drawn], f"uint{width}")
        type, text = (
            self.input(f"{name}_bases", f"i{width}", known),
            self.decoded(name, f"i{width}"),
        )
        self.decoders.append(
            f"vyre.decode.delta %{name}_words to %{name} bases %{name}_bases : {type} block "
            f"{block} plain : {words}, {text}"
        )
        self.column(name, width, text, [0, 30, 200, 500, 520, -900, limit, limit - 15, -limit, -1])

    # The body.

    def constant(self, number: int, width: int) -> str:
        """A constant."""
        name = self.name()
        number %= 1 << width
        number -= (1 << width) if number >= 1 << width - 1 else 0
        self.body.append(f"%{name} = arith.constant {number} : i{width}")
        return f"%{name}"

    def computed(self, text: str) -> str:
        """What an op gives."""
        name = self.name()
        self.body.append(f"%{name} = {text}")
        return f"%{name}"

    def condition(self) -> str:
        """A comparison of what is computed from a column with a number."""
        (value, width), near = self.draw(st.sampled_from(list(self.near.items())))
        number = self.draw(st.sampled_from(near)) + self.number(-2, 2)
        for _ in range(self.number(0, 2)):
            step = self.number(-5, 5)
            how = self.draw(st.sampled_from(["addi", "subi", "from", "extui", "extsi", "remui"]))
            if how.startswith("ext"):
                if width == 64:
                    continue
                value = self.computed(f"arith.{how} {value} : i{width} to i{2 * width}")
                width *= 2
                continue
            if how == "remui":
                step, number = 7, self.number(0, 7)
            operands = [value, self.constant(step, width)]
            if how == "from":
                operands, how, number = operands[::-1], "subi", step - number
            else:
                number += {"addi": step, "subi": -step}.get(how, 0)
            value = self.computed(f"arith.{how} {', '.join(operands)} : i{width}")
        predicate = self.draw(st.sampled_from(PREDICATES))
        operands = [value, self.constant(number, width)]
        if self.draw(st.booleans()):
            operands.reverse()
        return self.computed(f"arith.cmpi {predicate}, {', '.join(operands)} : i{width}")

    def predicate(self) -> str:
        """Some conditions, mostly all to hold."""
        value = self.condition()
        for _ in range(self.number(0, 4)):
            join = self.draw(st.sampled_from(["andi", "andi", "andi", "ori", "xori"]))
            value = self.computed(f"arith.{join} {value}, {self.condition()} : i1")
        return value

    def summand(self) -> str:
        """What is summed up: a value of a column, or the number of the row."""
        if self.draw(st.booleans()):
            return self.computed("arith.index_cast %row : index to i64")
        (value, width), _ = self.draw(st.sampled_from(list(self.near.items())))
        return value if width == 64 else self.computed(f"arith.extui {value} : i{width} to i64")

    def program(self) -> str:
        """The program as text."""
        chosen, summand = self.predicate(), self.summand()
        bits = "!vyre.buffer<?xi8, read_write>"
        is_selection = self.draw(st.booleans())
        if is_selection:
            results = f"count %count : {COUNT}, bitmap %bits : {bits}"
            value, op = "", "select"
            self.buffers.append(f"%bits = vyre.buffer @bits live_out : {bits}")
        else:
            results, op = f"count %count : {COUNT}, sum %total : {TOTAL}", "aggregate"
            value = f"{summand} : i64 "
        query = f"vyre.scan.{op} ({', '.join(self.columns)}) at %row into {results} {{"
        return self._with_scan(query, *self.body, f"vyre.scan.yield {value}where {chosen}", "}")

    def _with_scan(self, *scan: str) -> str:
        """A program as text that decodes, and then runs a scan, of some lines."""
        lines = [
            *self.buffers,
            f"%count = vyre.buffer @count live_out : {COUNT}",
            f"%total = vyre.buffer @total live_out : {TOTAL}",
            *self.decoders,
            *scan,
        ]
        return "vyre.program @p {\n" + "\n".join(lines) + "\n}"

    def filter(self) -> str:
        """A program as text that counts, and may add up, what lies in a range, and asks no more."""
        column, type = self.columns[0].split(" = ")[1].split(" : ")
        low = self.draw(st.sampled_from([0, 1, 7, -5, -(1 << 31)]))
        high = self.draw(st.sampled_from([low + 1, low + 30, max(low, 25) + 1, 1 << 31]))
        summed, type_of_sum = (
            (" sum %total", f", {TOTAL}") if self.draw(st.booleans()) else ("", "")
        )
        tested = f"vyre.scan.filter {column} in [{low}, {high}) count %count{summed}"
        return self._with_scan(f"{tested} : {type}, {COUNT}{type_of_sum}")


@st.composite
def encoded_filters(draw: st.DrawFn) -> tuple[str, dict[str, Array]]:
    """A program with a filter of what a dictionary decodes to, and its inputs."""
    drawn = Drawn(draw)
    drawn.add_dictionary_column("c0", (32,))
    return drawn.filter(), drawn.inputs


@st.composite
def encoded_queries(draw: st.DrawFn, kinds: tuple[str, ...]) -> tuple[str, dict[str, Array]]:
    """A program with one or two columns of some kinds, and its inputs."""
    drawn = Drawn(draw)
    for place in range(draw(st.integers(1, 2))):
        kind = draw(st.sampled_from(kinds))
        getattr(drawn, f"add_{kind}_column")(f"c{place}")
    return drawn.program(), drawn.inputs
