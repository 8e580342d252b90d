"""`vyre.stream`: how a program may run on pieces of its input, or which op forbids it."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import (
    DenseArrayBase,
    DictionaryAttr,
    FlatSymbolRefAttrConstr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    i64,
)
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    traits_def,
)
from xdsl.traits import EffectInstance, HasParent, MemoryEffect, MemoryEffectKind
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from vyre_dialect.ir.interfaces import DependsOn
from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp

IN_ORDER = "in_order"
"""How a buffer is kept whose parts nobody can combine that were made apart."""


class _Stays(MemoryEffect):
    """It touches no buffer, and is not dead without results."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        return {EffectInstance(MemoryEffectKind.ALLOC)}


@irdl_op_definition
class StreamOp(IRDLOperation):
    """
    The program comes to the same on pieces of the input `main`, one after the other, as on all.

    A piece is a whole number of units of `multiple` elements, but for the last one, which has the
    rest, too. It takes in `before` units of the piece before it and `after` units of the one behind
    it, and has `least` units in all. `cuts` are other inputs that are cut along: elements for each
    unit, and how many behind those a piece takes, too. What `keeps` names, each piece takes from
    the one before; parts that were made apart combine by an atomic, or, `"in_order"`, not at all.
    Of what `joins` names, a piece has so many elements for each unit of its own, which are put one
    after the other. With `refused`, an op forbids to cut the program, and this says which and why.
    """

    name = "vyre.stream"

    main = prop_def(FlatSymbolRefAttrConstr)
    multiple = opt_prop_def(IntegerAttr.constr(i64))
    before = opt_prop_def(IntegerAttr.constr(i64))
    after = opt_prop_def(IntegerAttr.constr(i64))
    least = opt_prop_def(IntegerAttr.constr(i64))
    cuts = opt_prop_def(DictionaryAttr)
    keeps = opt_prop_def(DictionaryAttr)
    joins = opt_prop_def(DictionaryAttr)
    refused = opt_prop_def(StringAttr)

    traits = traits_def(HasParent(ProgramOp), _Stays(), DependsOn())
    assembly_format = (
        "$main (`multiple` $multiple^ `before` $before `after` $after `least` $least)? "
        "(`cuts` $cuts^)? (`keeps` $keeps^)? (`joins` $joins^)? (`refused` $refused^)? attr-dict"
    )

    def __init__(
        self,
        main: str,
        multiple: int | None = None,
        *,
        before: int = 0,
        after: int = 0,
        least: int = 1,
        cuts: Mapping[str, tuple[int, int]] | None = None,
        keeps: Mapping[str, str] | None = None,
        joins: Mapping[str, int] | None = None,
        refused: str | None = None,
    ):
        numbers = {"multiple": multiple, "before": before, "after": after, "least": least}
        if multiple is None:
            numbers = {}
        lists = {
            "cuts": {
                name: DenseArrayBase.from_list(i64, each) for name, each in (cuts or {}).items()
            },
            "keeps": {name: StringAttr(each) for name, each in (keeps or {}).items()},
            "joins": {name: IntegerAttr(each, i64) for name, each in (joins or {}).items()},
        }
        super().__init__(
            properties={
                "main": SymbolRefAttr(main),
                **{name: None if n is None else IntegerAttr(n, i64) for name, n in numbers.items()},
                **{name: DictionaryAttr(each) if each else None for name, each in lists.items()},
                "refused": None if refused is None else StringAttr(refused),
            }
        )

    @property
    def main_name(self) -> str:
        """The name of the input that is cut."""
        return self.main.string_value()

    @property
    def cut_inputs(self) -> dict[str, tuple[int, int]]:
        """The other inputs that are cut: elements for each unit, and those behind."""
        found = dict[str, tuple[int, int]]()
        for name, each in _items(self.cuts):
            assert isa(each, DenseArrayBase[IntegerType])
            per_unit, extra = each.get_values()
            found[name] = per_unit, extra
        return found

    @property
    def kept(self) -> dict[str, AtomicKind | None]:
        """What pieces hand on, with what parts combine by that were made apart, if anything."""
        found = dict[str, AtomicKind | None]()
        for name, each in _items(self.keeps):
            assert isinstance(each, StringAttr)
            found[name] = None if each.data == IN_ORDER else AtomicKind(each.data)
        return found

    @property
    def joined(self) -> dict[str, int]:
        """What pieces have a part of, with its elements for each unit."""
        found = dict[str, int]()
        for name, each in _items(self.joins):
            assert isinstance(each, IntegerAttr)
            found[name] = each.value.data
        return found

    def verify_(self) -> None:
        if (self.refused is None) == (self.multiple is None):
            raise VerifyException(f"'{self.name}' expected either 'multiple' or 'refused'")
        self._verify_buffer(self.main_name)
        if self.multiple is None:
            if any((self.cuts, self.keeps, self.joins)):
                raise VerifyException(f"'{self.name}' expected nothing to be cut beside 'refused'")
            return
        self._verify_numbers()
        self._verify_lists()

    def _verify_buffer(self, name: str) -> None:
        parent = self.parent_op()
        if not isinstance(parent, ProgramOp):
            return
        buffer = parent.buffer(name)
        if buffer is None:
            raise VerifyException(f"'{self.name}' expected a buffer of the program, got '@{name}'")
        if name == self.main_name and not buffer.is_sized_by_host:
            raise VerifyException(
                f"'{self.name}' expected an input whose size the host says, got '@{name}'"
            )

    def _verify_numbers(self) -> None:
        numbers = {"multiple": 1, "before": 0, "after": 0, "least": 1}
        for name, low in numbers.items():
            attribute = self.properties.get(name)
            if not isinstance(attribute, IntegerAttr):
                raise VerifyException(f"'{self.name}' expected '{name}' beside 'multiple'")
            if (number := attribute.value.data) < low:
                raise VerifyException(
                    f"'{self.name}' expected {low} or more as '{name}', got {number}"
                )

    def _verify_lists(self) -> None:
        for name, each in _items(self.cuts):
            is_pair = isa(each, DenseArrayBase[IntegerType]) and len(each.get_values()) == 2
            self._verify_entry("cuts", name, is_pair, "elements for each unit and those behind")
        for name, each in _items(self.keeps):
            known = {IN_ORDER, *AtomicKind}
            is_known = isinstance(each, StringAttr) and each.data in known
            self._verify_entry("keeps", name, is_known, f"'{IN_ORDER}' or the kind of an atomic")
        for name, each in _items(self.joins):
            is_count = isinstance(each, IntegerAttr) and each.value.data > 0
            self._verify_entry("joins", name, is_count, "a positive number of elements")

    def _verify_entry(self, role: str, name: str, is_valid: bool, expected: str) -> None:
        if not is_valid:
            raise VerifyException(f"'{self.name}' expected {expected} of '@{name}' in '{role}'")
        self._verify_buffer(name)


def _items(attribute: DictionaryAttr | None) -> list[tuple[str, Attribute]]:
    return [] if attribute is None else list(attribute.data.items())


def stream_of(program: ProgramOp) -> StreamOp | None:
    """What a program says of how it is cut."""
    return next((op for op in program.body.block.ops if isinstance(op, StreamOp)), None)


def declared(program: ProgramOp, name: str) -> BufferOp:
    """The buffer of a program that verifies which has this name."""
    buffer = program.buffer(name)
    assert buffer is not None
    return buffer
