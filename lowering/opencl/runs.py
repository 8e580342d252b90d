"""Text that reads or writes a run of consecutive elements that lies inside its buffer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from vyre_dialect.ir.types import VECTOR_LANES, MemorySpace
from vyre_dialect.lowering.opencl.helpers import NVIDIA, POCL, Helpers
from vyre_dialect.lowering.opencl.scope import Buffer
from vyre_dialect.lowering.opencl.types import CType

_WORD_BYTES = 4


@dataclass(frozen=True)
class Run:
    """Consecutive objects of type `unit` that are accessed as one `value`."""

    unit: CType
    value: CType
    alignment: int
    """Of the first byte, in bytes; at least the size of a unit."""
    buffer: Buffer
    is_whole: bool = False
    """Whether the value's lanes are used together, as those of few words."""

    @property
    def units(self) -> int:
        """How many units the value takes."""
        return self.value.bytes // self.unit.bytes

    @property
    def is_one_access(self) -> bool:
        """Whether a pointer to the value's type may be used."""
        return self.value.lanes != 3 and self.alignment >= self.value.bytes

    @property
    def is_lanes(self) -> bool:
        """Whether the value's lanes may be accessed as what they are."""
        if not self.value.is_vector or self._is_padded(self.value):
            return False
        return self.value.scalar == self.unit or self.alignment >= self.value.lane_bytes

    def _is_padded(self, type: CType) -> bool:
        """Whether a pointer to a type would access a lane more, and no `vload3` may be used."""
        return type.lanes == 3 and type.scalar != self.unit

    @property
    def is_of_words(self) -> bool:
        """Whether the value may be loaded by the words of workgroup memory that hold its lanes."""
        if not self.is_whole or self.buffer.space != MemorySpace.WORKGROUP or self.is_one_access:
            return False
        is_narrow = self.unit.bytes < _WORD_BYTES and self.value.scalar == self.unit
        words, rest = divmod(self.value.bytes, _WORD_BYTES)
        return self.is_lanes and is_narrow and not rest and words in VECTOR_LANES

    @property
    def pieces(self) -> CType:
        """The vector type to read or write and then reinterpret; it has at most 16 lanes."""
        size = min(self.alignment, self.value.lane_bytes, 8)
        piece = self.unit
        if size > self.unit.bytes:
            piece = CType({2: "ushort", 4: "uint", 8: "ulong"}[size])
        return piece.with_lanes(self.value.bytes // piece.bytes)

    @property
    def is_split(self) -> bool:
        """Whether no vector type has as many lanes as there are pieces."""
        if self.value == self.unit or self.is_one_access or self.is_lanes:
            return False
        return self._is_padded(self.pieces) or self.pieces.lanes not in VECTOR_LANES

    def parts(self) -> Iterator[tuple[int, str, Run]]:
        """Offset in units, suffix of the value, and type of the parts of a split value."""
        value = self.value
        if value.lanes == 3:
            names, part = ("s0", "s1", "s2"), value.scalar
        else:
            names, part = ("lo", "hi"), value.with_lanes(value.lanes // 2)
        units = part.bytes // self.unit.bytes
        alignment = min(self.alignment, part.bytes & -part.bytes)
        for number, name in enumerate(names):
            yield number * units, name, Run(self.unit, part, alignment, self.buffer)


def of_array(type: CType, array: str = "lanes") -> str:
    """The vector whose lanes a private array of them holds."""
    if type.is_extended:
        return f"*(__private const aliased_{type} *){array}"
    return f"vload{type.lanes}(0, {array})"


def in_array(type: CType, value: str, array: str = "lanes") -> str:
    """What stores the lanes of a vector in a private array of them."""
    if type.is_extended:
        return f"*(__private aliased_{type} *){array} = {value}"
    return f"vstore{type.lanes}({value}, 0, {array})"


def address(pointer: str, index: str, offset: int = 0) -> str:
    """`&pointer[index + offset]`."""
    return f"&{pointer}[{index} + {offset}]" if offset else f"&{pointer}[{index}]"


def _pointer(run: Run, type: CType, place: str, helpers: Helpers, *, const: bool) -> str:
    if type == run.unit:
        return place
    return f"({_qualifiers(run, const=const)} {helpers.aliased(type)} *){place}"


def _packed(run: Run, type: CType, place: str, helpers: Helpers, *, const: bool) -> str:
    """The lanes at a place, wherever they begin and whatever else they are."""
    return f"*({_qualifiers(run, const=const)} {helpers.packed(type)} *){place}"


def _qualifiers(run: Run, *, const: bool) -> str:
    return f"{run.buffer.qualifier} const" if const else run.buffer.qualifier


# Lanes of 8 and 16 bits, of which PoCL's `vload` and `vstore` do one after the other: 2 to 5 times
# as slow as memory allows for stores. Intel's runtime is as fast or faster with those functions.


def _load_lanes(run: Run, type: CType, place: str, helpers: Helpers) -> str:
    """The vector whose lanes, of what size they are, begin at a place."""
    # `vload` takes other units for other memory than what was stored just now.
    if type.is_extended or type.scalar != run.unit:
        return _packed(run, type, place, helpers, const=True)
    if _is_same_in_pocl(type):
        return f"vload{type.lanes}(0, {place})"
    name = _lanes_name(run, type, "vload_words" if run.is_of_words else "vload")
    target = f"{run.buffer.qualifier} const {run.unit} *"
    in_pocl = f"return {_packed(run, type, 'p', helpers, const=True)};"
    texts = [(POCL, in_pocl)]
    if run.is_of_words:
        texts.append((NVIDIA, _by_words(run, helpers)))
    elsewhere = f"return vload{type.lanes}(0, p);"
    text = _lanes_function(f"{type} {name}({target}p)", texts, elsewhere)
    return f"{helpers.function(name, lambda: text)}({place})"


def _store_lanes(run: Run, type: CType, value: str, place: str, helpers: Helpers) -> str:
    """The statement that stores the lanes of a vector at a place."""
    if type.is_extended or type.scalar != run.unit:
        return f"{_packed(run, type, place, helpers, const=False)} = {value};"
    if _is_same_in_pocl(type):
        return f"vstore{type.lanes}({value}, 0, {place});"
    name = _lanes_name(run, type, "vstore")
    target = f"{run.buffer.qualifier} {run.unit} *"
    in_pocl = f"{_packed(run, type, 'p', helpers, const=False)} = v;"
    elsewhere = f"vstore{type.lanes}(v, 0, p);"
    text = _lanes_function(f"void {name}({type} v, {target}p)", [(POCL, in_pocl)], elsewhere)
    return f"{helpers.function(name, lambda: text)}({value}, {place});"


def _is_same_in_pocl(type: CType) -> bool:
    """Whether PoCL loads and stores a type by functions, too: it does wide lanes at once."""
    return type.lane_bytes >= _WORD_BYTES or type.lanes == 3


def _lanes_name(run: Run, type: CType, function: str) -> str:
    return f"vyre_{function}_{type.short_name}{run.buffer.suffix}"


def _by_words(run: Run, helpers: Helpers) -> str:
    """
    How NVIDIA's compiler, which loads narrow lanes one by one, is told to load the words that they
    lie in, and no other: the compares of 16 neighbouring bytes took half of the time on an H200. Of
    global memory, whose lines are kept close by, words took up to 1.3 times as long.
    """
    count = run.value.bytes // _WORD_BYTES
    word = CType("uint").with_lanes(count)
    pointer = f"{run.buffer.qualifier} const {helpers.aliased(CType('uint'))} *"
    lines = [
        "uint at = (uint)(size_t)p & 3, bytes = 0x3210 + at * 0x1111;",
        f"{pointer}w = ({pointer})(({run.buffer.qualifier} const uchar *)p - at);",
        f"{word} words;",
        *(_permuted(number, count) for number in range(count)),
        f"return as_{run.value}(words);",
    ]
    return "\n    ".join(lines)


def _permuted(number: int, count: int) -> str:
    """The statement that takes one of the words from the two that it lies in."""
    target = f"words.s{number:x}" if count > 1 else "words"
    behind = f"w[{number + 1}]" if number + 1 < count else f"at ? w[{count}] : 0"
    given = f'"r"(w[{number}]), "r"({behind}), "r"(bytes)'
    return f'asm("prmt.b32 %0, %1, %2, %3;" : "=r"({target}) : {given});'


def _lanes_function(head: str, texts: Iterable[tuple[str, str]], elsewhere: str) -> str:
    """A function whose text is another one where a compiler has defined something."""
    parts = [
        f"#{'elif defined' if number else 'ifdef'} {name}\n    {text}\n"
        for number, (name, text) in enumerate(texts)
    ]
    return f"static {head}\n{{\n{''.join(parts)}#else\n    {elsewhere}\n#endif\n}}"


def read(run: Run, pointer: str, index: str, helpers: Helpers, offset: int = 0) -> str:
    """An expression for the value; it is primary unless it starts with `*`."""
    place = address(pointer, index, offset)
    if run.value == run.unit:
        return place[1:]
    if run.is_one_access:
        return f"*{_pointer(run, run.value, place, helpers, const=True)}"
    if run.is_lanes:
        return _load_lanes(run, run.value, place, helpers)
    if run.is_split:
        parts = (read(part, pointer, index, helpers, offset + at) for at, _, part in run.parts())
        return f"({run.value})({', '.join(parts)})"
    pieces = run.pieces
    loaded = _load_lanes(run, pieces, place, helpers) if pieces.is_vector else place[1:]
    return f"as_{run.value}({loaded})"


def write(
    run: Run, pointer: str, index: str, value: str, helpers: Helpers, offset: int = 0
) -> list[str]:
    """Statements that write the value, whose text is a variable where it is split."""
    place = address(pointer, index, offset)
    if run.value == run.unit:
        return [f"{place[1:]} = {value};"]
    if run.is_one_access:
        return [f"*{_pointer(run, run.value, place, helpers, const=False)} = {value};"]
    if run.is_lanes:
        return [_store_lanes(run, run.value, value, place, helpers)]
    if run.is_split:
        return [
            statement
            for at, name, part in run.parts()
            for statement in write(part, pointer, index, f"{value}.{name}", helpers, offset + at)
        ]
    pieces = run.pieces
    if pieces.is_vector:
        return [_store_lanes(run, pieces, f"as_{pieces}({value})", place, helpers)]
    return [f"{place[1:]} = as_{pieces}({value});"]
