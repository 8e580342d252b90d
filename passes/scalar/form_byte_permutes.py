"""
`vyre-form-byte-permutes`: words put together of bytes by one op each.

    (a << 8 & 0xff00) | (b >> 8 & 0xff)  -->  vyre.permute_bytes %a, %b [...]

What shifts, masks and ors do to bytes is followed through any number of them, so that reversing
the bytes of what was just put together costs nothing more. A single byte of such a word is taken
from the word that it comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.byte_origins import MAX_SHUFFLES, Byte, ByteOrigins, Word, bytes_of
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.builder.values import Value, constant
from vyre_dialect.ir.effects import is_trivially_dead
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ops.words import BYTE_BITS, WORD_BYTES, PermuteBytesOp
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import after_definition, building, rewriter_of

_BYTE = 0xFF
_BITWISE = (arith.AndIOp, arith.OrIOp, arith.XOrIOp)
_OF_LANES = (vector.ShuffleOp, vector.ExtractOp, vector.BroadcastOp)


@dataclass(frozen=True)
class FormBytePermutesPass(RewritePass):
    """
    Replaces `ori`, `xori` and `addi` of words, and of vectors of words, that join bytes of at most
    two words by `vyre.permute_bytes`, and has `andi` and `shrui` that leave one byte take it from
    where it comes from. Bits that stay where they are, and shifts of one word or of two in a row,
    are left as they are. But LLVM shifts the words of a shift of two before it combines their bits
    with a constant, three ops for one, so that these are permuted, too.
    """

    name = "vyre-form-byte-permutes"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.SCALAR,
        requires=("vyre-optimize-integers",),
        invalidates=("canonicalize", "vyre-cse"),
        on_request=True,
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        ops = ops_inside(module)
        permutes = _Permutes(rewriter_of(module, facts))
        for each in ops:
            permutes.origins.learn(each)
        # Users first: what they no longer need is not looked at.
        for each in reversed(ops):
            if any(result.uses for result in each.results):
                permutes.rewrite(each)
        return permutes.rewriter.has_done_action


@dataclass
class _Permutes:
    """The rewrites of one module, and the lanes that they have taken out of vectors."""

    rewriter: PatternRewriter
    origins: ByteOrigins = field(default_factory=ByteOrigins)
    _built: dict[Word, Value] = field(default_factory=dict[Word, Value])

    def rewrite(self, op: Operation) -> None:
        """Let another word stand for the result of `op`, if it is known to be the same."""
        match op:
            case arith.OrIOp() | arith.XOrIOp() | arith.AddiOp():
                word = self._joined(op)
            case arith.AndIOp() | arith.ShRUIOp():
                word = self._taken(op)
            case _:
                return
        if word is None:
            return
        word.ssa.name_hint = word.ssa.name_hint or op.result.name_hint
        self.rewriter.replace_all_uses_with(op.result, word.ssa)
        self._erase_unused(op)

    def _joined(self, op: arith.OrIOp | arith.XOrIOp | arith.AddiOp) -> Value | None:
        """The word of the bytes that `op` joins, if one op makes it of others."""
        data = self.origins.of(op.result)
        words = list(dict.fromkeys(byte.word for byte in data if byte is not None))
        if not 1 <= len(words) <= 2 or Word(op.result) in words:
            return None
        if len(words) == 2 and None in data:
            return None
        if data == bytes_of(words[0]):
            return self._value(words[0])
        if all(byte is None or byte.place == place for place, byte in enumerate(data)):
            return None
        positions = [_position(byte, words) for byte in data]
        is_funnel_shift = positions == [*range(positions[0], positions[0] + WORD_BYTES)]
        if is_funnel_shift and not any(_has_constant_bits(word.value) for word in words):
            return None
        sources = [self._value(word).ssa for word in words]
        with building(self.rewriter, InsertPoint.before(op)):
            first, second = (*sources, constant(0, op.result.type).ssa)[:2]
            return Value(PermuteBytesOp(first, second, positions).result)

    def _taken(self, op: arith.AndIOp | arith.ShRUIOp) -> Value | None:
        """The one byte that `op` leaves, taken from the word it comes from, if that is another."""
        byte, *others = self.origins.of(op.result)
        if byte is None or any(others) or byte.word == Word(op.result):
            return None
        shift = op.lhs.owner if isinstance(op, arith.AndIOp) else None
        base = shift.lhs if isinstance(shift, arith.ShRUIOp) else op.lhs
        if set(self.origins.of(base)) <= {*bytes_of(byte.word), None}:
            return None
        word = self._value(byte.word)
        with building(self.rewriter, InsertPoint.before(op)):
            moved = word >> BYTE_BITS * byte.place if byte.place else word
            return moved if byte.place == WORD_BYTES - 1 else moved & _BYTE

    def _value(self, word: Word) -> Value:
        """A word as a value, which stands where its vector does."""
        if word.lanes is None:
            return Value(word.value)
        built = self._built.get(word)
        if built is None or built.ssa.owner.parent is None:  # or erased with its last user
            with building(self.rewriter, after_definition(word.value)):
                built = self._built[word] = _lanes_of(Value(word.value), word.lanes)
        return built

    def _erase_unused(self, op: Operation) -> None:
        """Erase an op, and what computes its operands, where nothing uses the results."""
        unused = [op]
        while unused:
            each = unused.pop()
            if each.parent is None or not is_trivially_dead(each):
                continue
            operands = [operand.owner for operand in each.operands]
            self.rewriter.erase(each)
            unused.extend(owner for owner in operands if isinstance(owner, Operation))


def _has_constant_bits(word: SSAValue) -> bool:
    """Whether a word, or what its lanes are taken from, combines bits with constant ones."""
    sources = [word]
    for source in sources:
        op = source.owner
        if isinstance(op, _BITWISE) and isinstance(op.rhs.owner, arith.ConstantOp):
            return True
        if isinstance(op, _OF_LANES) and len(sources) <= MAX_SHUFFLES:
            sources.extend(op.operands)
    return False


def _lanes_of(value: Value, lanes: int | tuple[int, ...]) -> Value:
    return value.lane(lanes) if isinstance(lanes, int) else value.shuffle(value, lanes)


def _position(byte: Byte | None, words: Sequence[Word]) -> int:
    """Where a byte is in two words, the second of which is zero if there is one only."""
    return WORD_BYTES if byte is None else byte.place + WORD_BYTES * words.index(byte.word)
