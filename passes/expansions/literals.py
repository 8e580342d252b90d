"""
`vyre.scan.literals` as one data-parallel arm that runs an Aho-Corasick automaton.

An invocation counts the occurrences that end in its chunk of the text. It starts in front of
its chunk, by as many bytes as an occurrence may reach back: from there on the automaton
knows every prefix of a literal that reaches into the chunk.
"""

from __future__ import annotations

from functools import reduce

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import UnitAttr, VectorType, i8, i16, i32
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, constant, for_, if_, index
from vyre_dialect.ops.memory import AtomicRMWOp, LoadOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.ops.scan import LiteralsOp
from vyre_dialect.passes.expansions.aho_corasick import ROOT, Automaton, build_automaton
from vyre_dialect.passes.expansions.host_side import invocations, program_of, table
from vyre_dialect.types import AtomicKind

WORD = 4
WORDS = VectorType(i32, [4])
VECTOR = 16


class ExpandLiterals(RewritePattern):
    """Expand `vyre.scan.literals`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LiteralsOp, rewriter: PatternRewriter, /) -> None:
        with ImplicitBuilder(rewriter):
            source = Buffer(op.source)
            tables = Tables(program_of(op), build_automaton(op.patterns))
            with arm("scan.literals", invocations(source, op.chunk_bytes)) as i:
                Scan(op, source, tables).run((i * op.chunk_bytes).named("chunk"))
        rewriter.erase(op)


class Tables:
    """The automaton as tables on the device. A state is the offset of its row."""

    def __init__(self, program: ProgramOp, automaton: Automaton):
        width = automaton.class_count
        rows = [state * width for state in automaton.transitions]
        self.row_width = width
        self.root = ROOT * width
        self.first_accepting = automaton.first_accepting * width
        self.classes = table(program, "byte_classes", i8, automaton.classes)
        row_type = i16 if max(rows) < 1 << 16 else i32
        self.transitions = table(program, "transitions", row_type, rows)
        self.first_outputs = table(program, "first_outputs", i32, automaton.first_outputs)
        self.output_counts = table(program, "output_counts", i32, automaton.output_counts)
        self.next_outputs = table(program, "next_outputs", i32, automaton.next_outputs)

    def step(self, state: Value, byte: Value) -> Value:
        """The state after one more byte, an i32."""
        byte_class = look_up(self.classes, byte.to(index)).to(i32).named("byte_class")
        return look_up(self.transitions, (state + byte_class).to(index)).to(i32).named("state")


def look_up(table: Buffer, position: Value) -> Value:
    """Load from a table at a position that lies inside it whatever the text is."""
    op = LoadOp(table.ssa, position.ssa)
    op.in_bounds = UnitAttr()
    return Value(op.value)


class Scan:
    """The body of the arm."""

    def __init__(self, op: LiteralsOp, source: Buffer, tables: Tables):
        self.source = source
        self.tables = tables
        self.matches = Buffer(op.matches)
        self.chunk_bytes = op.chunk_bytes
        reach = max(map(len, op.patterns)) - 1
        self.warm_up = -(-reach // WORD) * WORD
        # Outside the text there are zeros, which lead to the root unless a literal has some.
        self.zeros_match = any(0 in pattern for pattern in op.patterns)

    def run(self, chunk: Value) -> None:
        """Count what ends in the chunk that begins at `chunk`."""
        state = constant(self.tables.root, i32)
        if self.warm_up:
            state = self._state_before(chunk, state)
        with for_(0, self.chunk_bytes, VECTOR, carry=[state]) as vectors:
            position = (chunk + vectors.counter.named("offset")).named("position")
            words = self.source.load(position, WORDS).named("words")
            vectors.yields(self._scan_vector(vectors.carried[0].named("state"), words, position))

    def _state_before(self, chunk: Value, root: Value) -> Value:
        begin = (chunk - self.warm_up).named("begin")
        with for_(0, self.warm_up, WORD, carry=[root]) as words:
            position = (begin + words.counter.named("offset")).named("position")
            word = self.source.load(position, i32).named("word")
            state = self._steps(words.carried[0].named("state"), word)[-1]
            if self.zeros_match:
                state = (position < 0).select(root, state).named("state")
            words.yields(state)
        return words.results[0].named("state")

    def _steps(self, state: Value, word: Value) -> list[Value]:
        """The states after each byte of a word."""
        states = list[Value]()
        for position in range(WORD):
            byte = (word >> 8 * position if position else word) & 0xFF
            state = self.tables.step(state, byte)
            states.append(state)
        return states

    def _scan_vector(self, state: Value, words: Value, position: Value) -> Value:
        lanes = [words.lane(lane) for lane in range(4)]
        with for_(0, VECTOR, WORD, carry=[state, *lanes]) as loop:
            state, word, *others = loop.named("state", "word", "word1", "word2", "word3")
            states = self._steps(state, word)
            with if_(reduce(Value.max, states).compare("uge", self.tables.first_accepting)):
                self._count_word(states, position + loop.counter.named("byte"))
            # The word to come is always the first one.
            loop.yields(states[-1], *others, word)
        return loop.results[0].named("state")

    def _count_word(self, states: list[Value], position: Value) -> None:
        """Count what ends at the bytes of a word, one of which is accepted."""
        with for_(0, WORD, carry=states) as loop:
            state, *others = loop.named("state0", "state1", "state2", "state3")
            accepted = state.compare("uge", self.tables.first_accepting)
            if self.zeros_match:
                end = position + loop.counter.named("offset")
                accepted = accepted & (end < self.source.length)
            with if_(accepted.named("accepted")):
                self._count(state)
            loop.yields(*others, state)

    def _count(self, state: Value) -> None:
        tables = self.tables
        row = (state - tables.first_accepting).named("row")
        accepting = (row // tables.row_width).to(index).named("accepting")
        count = look_up(tables.output_counts, accepting).to(index).named("count")
        first = look_up(tables.first_outputs, accepting).named("first")
        with for_(0, count, carry=[first]) as outputs:
            (output,) = outputs.named("output")
            literal = output.to(index).named("literal")
            self._count_one(literal)
            outputs.yields(look_up(tables.next_outputs, literal))

    def _count_one(self, literal: Value) -> None:
        one = constant(1, self.matches.type.element_type)
        op = AtomicRMWOp(AtomicKind.ADDI, one.ssa, self.matches.ssa, literal.ssa)
        if self.matches.type.static_count is not None:
            op.in_bounds = UnitAttr()
