"""
`vyre.scan.literals` as one data-parallel arm that runs an Aho-Corasick automaton.

An invocation counts the occurrences that end in its chunks of the text, which it scans side by
side. It starts in front of a chunk, by as many bytes as an occurrence may reach back: from there on
the automaton knows every prefix of a literal that reaches into the chunk.

Where states are counted, a second arm adds the count of each to the literals that end there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import reduce

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IntegerType, VectorType, i8, i16, i32
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Program, Value, arm, constant, for_, if_, index
from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.ops.literals import AutomatonOp, LiteralsOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.expansions.aho_corasick import ROOT, Automaton, build_automaton
from vyre_dialect.passes.expansions.prefilter import Prefilter
from vyre_dialect.passes.expansions.window_filter import WindowFilter
from vyre_dialect.passes.rewriting.host_side import (
    invocations,
    program_of,
    table,
    unique_name,
)

WORD = 4
WORDS = VectorType(i32, [4])
VECTOR = 16


class ExpandLiterals(RewritePattern):
    """Expand `vyre.scan.literals`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LiteralsOp, rewriter: PatternRewriter, /) -> None:
        with ImplicitBuilder(rewriter):
            automaton, program = build_automaton(op.patterns), program_of(op)
            scan: Scan
            match op.counters_of:
                case "literal":
                    scan = CountLiterals(op, program, automaton)
                case "state":
                    scan = CountStates(op, program, automaton)
                case _:
                    scan = CountVisits(op, program, automaton)
            scan.build()
        rewriter.erase(op)


class Tables(ABC):
    """The transitions of the automaton on the device, and how states are numbered there."""

    state_step: int
    """The number of a state is so many times what it is in the automaton."""

    @property
    def root(self) -> int:
        """The state to start in."""
        return ROOT * self.state_step

    @property
    @abstractmethod
    def first_accepting(self) -> int:
        """The first of the states in which something ends."""

    @abstractmethod
    def step(self, state: Value, byte: Value) -> Value:
        """The state after one more byte, an i32."""


class Rows(Tables):
    """A row for each state; a state is the offset of its row."""

    def __init__(self, program: ProgramOp, automaton: Automaton):
        self.state_step = automaton.class_count
        self._first_accepting = automaton.first_accepting
        rows = [state * self.state_step for state in automaton.transitions]
        self._classes = table(program, "byte_classes", i8, automaton.classes)
        row_type = i16 if max(rows) < 1 << 16 else i32
        self._transitions = table(program, "transitions", row_type, rows)

    @property
    def first_accepting(self) -> int:
        return self._first_accepting * self.state_step

    def step(self, state: Value, byte: Value) -> Value:
        byte_class = _look_up(self._classes, byte.to(index)).to(i32).named("byte_class")
        return _look_up(self._transitions, (state + byte_class).to(index)).to(i32).named("state")


class Columns(Tables):
    """A column for each class of bytes; states are as they are, and take no more than a byte."""

    state_step = 1

    def __init__(self, program: ProgramOp, automaton: Automaton):
        self._first_accepting = automaton.first_accepting
        states, classes = automaton.state_count, automaton.class_count
        columns = [each * states for each in automaton.classes]
        transitions = [
            automaton.transitions[state * classes + each]
            for each in range(classes)
            for state in range(states)
        ]
        self._columns = table(program, "byte_columns", _narrowest(max(columns)), columns)
        state_type = _narrowest(states - 1)
        self._transitions = table(program, "transitions", state_type, transitions)

    @property
    def first_accepting(self) -> int:
        return self._first_accepting

    def step(self, state: Value, byte: Value) -> Value:
        column = _look_up(self._columns, byte.to(index)).to(i32).named("column")
        return _look_up(self._transitions, (state + column).to(index)).to(i32).named("state")


def _narrowest(largest: int) -> IntegerType:
    if largest < 1 << 8:
        return i8
    return i16 if largest < 1 << 16 else i32


class Outputs:
    """The literals that end in each of the accepting states, as lists on the device."""

    def __init__(self, program: ProgramOp, automaton: Automaton):
        self._first = table(program, "first_outputs", i32, automaton.first_outputs)
        self._counts = table(program, "output_counts", i32, automaton.output_counts)
        self._next = table(program, "next_outputs", i32, automaton.next_outputs)

    def count(self, accepting: Value) -> Value:
        """How many literals end in an accepting state, an i32."""
        return _look_up(self._counts, accepting)

    @contextmanager
    def each(self, accepting: Value) -> Generator[Value]:
        """Around what is done with each literal that ends in an accepting state; its number."""
        count = self.count(accepting).to(index).named("count")
        first = _look_up(self._first, accepting).named("first")
        with for_(0, count, carry=[first]) as outputs:
            (output,) = outputs.named("output")
            literal = output.to(index).named("literal")
            yield literal
            outputs.yields(_look_up(self._next, literal))

    def add_each(self, accepting: Value, found: Value, matches: Buffer) -> None:
        """Add `found` to every literal that ends in an accepting state."""
        with self.each(accepting) as literal:
            is_inside = matches.type.static_count is not None
            matches.atomic(AtomicKind.ADDI, found, literal, in_bounds=is_inside)


def _look_up(table: Buffer, position: Value) -> Value:
    """Load from a table at a position that lies inside it whatever the text is."""
    return table.load(position, in_bounds=True)


class Scan(ABC):
    """The arm that scans the text."""

    generator = "scan.literals"

    def __init__(self, op: AutomatonOp, program: ProgramOp, tables: Tables):
        self.source, self.tables = Buffer(op.text), tables
        self.chunk_bytes, self.streams = op.chunk_bytes, op.streams_per_invocation
        self.share = self.streams * self.chunk_bytes
        self._op, self._program = op, program
        reach = max(map(len, op.patterns)) - 1
        self.warm_up = -(-reach // WORD) * WORD
        # Outside the text there are zeros, which lead to the root unless a literal has some.
        self.zeros_match = any(0 in pattern for pattern in op.patterns)
        self.unroll_words: int | None = None
        """How often the words of a vector are written out; left to the device's compiler."""

    def build(self) -> None:
        """Build the arm at the current place."""
        run = self._filtered()
        with arm(self.generator, invocations(self.source, self.share)) as i:
            run((i * self.share).named("chunk"))

    def _filtered(self) -> Callable[[Value], None]:
        """What scans the chunks of an invocation from a place on, after a look at the text."""
        patterns = self._op.patterns
        match self._op.prefilter_by:
            case "windows":
                windows = WindowFilter(patterns, self.share, self.warm_up)
                return lambda first: self._run_after_windows(windows, first)
            case "pairs":
                pairs = Prefilter(self._program, patterns)
                return lambda first: self._run_after_pairs(pairs, first)
            case _:
                return self._run_all

    def _run_after_pairs(self, pairs: Prefilter, first: Value) -> None:
        with if_(pairs.finds(self.source, first, self.share).named("candidate")):
            self._run_all(first)

    def _run_after_windows(self, windows: WindowFilter, first: Value) -> None:
        candidates, gave_up = windows.candidates(self.source, first)
        with if_(gave_up) as branch:
            self._run_all(first)
        if not windows.tells_stretches:
            return
        with branch.else_(), if_(candidates.ne(0)):
            self._run_stretches(windows, first, candidates)

    def _run_stretches(self, windows: WindowFilter, first: Value, candidates: Value) -> None:
        """Scan the stretches in which something may end, one after the other."""
        with for_(0, windows.stretches, carry=[candidates], unroll=1) as stretches:
            (left,) = stretches.named("candidates")
            with if_((left & 1).ne(0)):
                begin = (first + stretches.counter * windows.stretch).named("stretch")
                self._run([begin], windows.stretch)
            stretches.yields(left >> 1)

    @abstractmethod
    def count(self, states: Sequence[Value], position: Value) -> None:
        """Count what ends at the bytes of a word, after which these are the states."""

    def accepts(self, state: Value, end: Value) -> Value:
        """Whether something ends in `state`, which the byte at `end` led to."""
        accepted = state.compare("uge", self.tables.first_accepting)
        return accepted & (end < self.source.length) if self.zeros_match else accepted

    def _run_all(self, first: Value) -> None:
        """Scan all chunks, side by side."""
        offsets = range(0, self.share, self.chunk_bytes)
        chunks = [first + offset if offset else first for offset in offsets]
        self._run(chunks, self.chunk_bytes)

    def _run(self, chunks: list[Value], size: int) -> None:
        """Scan chunks of `size` bytes, side by side."""
        states = [constant(self.tables.root, i32)] * len(chunks)
        if self.warm_up:
            states = self._states_before(chunks, states)
        with for_(0, size, VECTOR, carry=states) as vectors:
            offset = vectors.counter.named("offset")
            positions = [(chunk + offset).named("position") for chunk in chunks]
            words = [self.source.load(each, WORDS).named("words") for each in positions]
            states = [state.named("state") for state in vectors.carried]
            vectors.yields(*self._scan_vectors(states, words, positions))

    def _states_before(self, chunks: list[Value], roots: list[Value]) -> list[Value]:
        begins = [(chunk - self.warm_up).named("begin") for chunk in chunks]
        with for_(0, self.warm_up, WORD, carry=roots) as loop:
            offset = loop.counter.named("offset")
            positions = [(begin + offset).named("position") for begin in begins]
            words = [self.source.load(each, i32).named("word") for each in positions]
            before = [state.named("state") for state in loop.carried]
            states = [after[-1] for after in self._steps(before, words)]
            if self.zeros_match:
                outside = [position < 0 for position in positions]
                states = [
                    each.select(root, state).named("state")
                    for each, root, state in zip(outside, roots, states, strict=True)
                ]
            loop.yields(*states)
        return [state.named("state") for state in loop.results]

    def _steps(self, states: Sequence[Value], words: Sequence[Value]) -> list[list[Value]]:
        """For each stream, the states after each byte of its word; a byte of each at a time."""
        after = [[state] for state in states]
        for position in range(WORD):
            for stream, word in zip(after, words, strict=True):
                byte = (word >> 8 * position if position else word) & 0xFF
                stream.append(self.tables.step(stream[-1], byte))
        return [stream[1:] for stream in after]

    def _scan_vectors(
        self, states: list[Value], words: list[Value], positions: list[Value]
    ) -> Sequence[Value]:
        streams = len(words)
        lanes = [each.lane(lane) for lane in range(4) for each in words]
        with for_(0, VECTOR, WORD, carry=[*states, *lanes], unroll=self.unroll_words) as loop:
            byte = loop.counter.named("byte")
            before = [state.named("state") for state in loop.carried[:streams]]
            now, *others = _by_lane(loop.carried[streams:], streams)
            after = self._steps(before, now)
            for each, position in zip(after, positions, strict=True):
                self.count(each, position + byte)
            # The word to come is always the first one.
            coming = [word for lane in (*others, now) for word in lane]
            loop.yields(*(each[-1] for each in after), *coming)
        return [state.named("state") for state in loop.results[:streams]]


def _by_lane(words: Sequence[Value], streams: int) -> list[list[Value]]:
    """What is left of the vectors, lane by lane: a word of each stream."""
    named = [word.named(f"word{place // streams}") for place, word in enumerate(words)]
    return [named[first : first + streams] for first in range(0, len(named), streams)]


class ScanOccurrences(Scan):
    """Something is done for each byte in which literals end."""

    def __init__(self, op: AutomatonOp, program: ProgramOp, tables: Rows, outputs: Outputs):
        super().__init__(op, program, tables)
        self.outputs = outputs
        if op.prefilter_by == "windows":
            # Written out twice, they take Intel's compiler 40 s for some literals, not 3.
            self.unroll_words = 1

    @abstractmethod
    def found(self, accepting: Value, end: Value) -> None:
        """Do what is to be done where the byte at `end` led to an accepting state."""

    def count(self, states: Sequence[Value], position: Value) -> None:
        with if_(reduce(Value.max, states).compare("uge", self.tables.first_accepting)):
            self._count_word(states, position)

    def _count_word(self, states: Sequence[Value], position: Value) -> None:
        with for_(0, WORD, carry=states) as loop:
            state, *others = loop.named("state0", "state1", "state2", "state3")
            end = position + loop.counter.named("byte_of_word")
            with if_(self.accepts(state, end).named("accepted")):
                row = (state - self.tables.first_accepting).named("row")
                self.found((row // self.tables.state_step).to(index).named("accepting"), end)
            loop.yields(*others, state)


class CountLiterals(ScanOccurrences):
    """An addition for each occurrence."""

    def __init__(self, op: LiteralsOp, program: ProgramOp, automaton: Automaton):
        tables, outputs = Rows(program, automaton), Outputs(program, automaton)
        super().__init__(op, program, tables, outputs)
        self.matches = Buffer(op.matches)

    def found(self, accepting: Value, end: Value) -> None:
        one = constant(1, self.matches.type.element_type)
        self.outputs.add_each(accepting, one, self.matches)


class CountStates(Scan):
    """An addition for each byte in which something ends; the literals get theirs at the end."""

    def __init__(self, op: LiteralsOp, program: ProgramOp, automaton: Automaton):
        super().__init__(op, program, Columns(program, automaton))
        self.matches, self.outputs = Buffer(op.matches), Outputs(program, automaton)
        states = automaton.state_count - self.first_counted
        name, type = unique_name(program, "state_counts"), self.matches.type.element_type
        self.counts = Program(program).buffer(name, type, states, fill=0)
        self.accepting_states = len(automaton.first_outputs)

    @property
    def first_counted(self) -> int:
        """The first of the states that have a counter; all that accept have one."""
        return self.tables.first_accepting

    def build(self) -> None:
        """Build both arms at the current place."""
        super().build()
        first = self.tables.first_accepting - self.first_counted
        with arm("scan.literals.matches", self.accepting_states) as accepting:
            counter = accepting + first if first else accepting
            found = _look_up(self.counts, counter).named("found")
            with if_(found.ne(0)):
                self.outputs.add_each(accepting, found, self.matches)

    def count(self, states: Sequence[Value], position: Value) -> None:
        for offset, state in enumerate(states):
            with if_(self.accepts(state, position + offset).named("accepted")):
                self._add_one(state)

    def _add_one(self, state: Value) -> None:
        counted = state - self.first_counted if self.first_counted else state
        self.counts.atomic(AtomicKind.ADDI, 1, counted.to(index).named("counted"), in_bounds=True)


class CountVisits(CountStates):
    """
    An addition for each byte, whether something ends there or not: no branch that a processor
    would have to guess.
    """

    @property
    def first_counted(self) -> int:
        return 0

    def count(self, states: Sequence[Value], position: Value) -> None:
        if self.zeros_match:  # past the end there are zeros, in which nothing is to end
            super().count(states, position)
            return
        for state in states:
            self._add_one(state)
