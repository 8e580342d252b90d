"""`vyre-push-down-predicates`: scans test columns as they are encoded."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, LocationAttr, ModuleOp, UnknownLoc
from xdsl.ir import BlockArgument, Operation
from xdsl.pattern_rewriter import PatternRewriter

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.row_tests import RowTests
from vyre_dialect.ir.interfaces import ops_outside_arms
from vyre_dialect.ir.scheduling import Boundary, Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ops.columns import DictionaryOp
from vyre_dialect.ops.packed import BitUnpackOp
from vyre_dialect.ops.query import QueryOp
from vyre_dialect.ops.scan import FilterOp
from vyre_dialect.passes.program.predicates.blocks import skip_blocks
from vyre_dialect.passes.program.predicates.dictionaries import move_to_codes
from vyre_dialect.passes.program.predicates.encoded_columns import EncodedColumn
from vyre_dialect.passes.program.predicates.filters import filter_codes
from vyre_dialect.passes.program.predicates.outcome import Kept, Moved, Outcome, Reason
from vyre_dialect.passes.program.predicates.packed_integers import move_to_packed
from vyre_dialect.passes.rewriting.host_side import name_of
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import rewriter_of

NOT_PUSHED_DOWN = "vyre.not_pushed_down"
"""Attribute of a query or filter: why the tests of a column are not asked of what is encoded."""


@dataclass(frozen=True)
class PushDownPredicatesPass(RewritePass):
    """
    Lets queries and filters test what is encoded in place of what is decoded, where that is proven
    to be the same: packed integers below their base, unsigned integers in place of signed ones,
    codes in place of what a dictionary has for them.
    """

    name = "vyre-push-down-predicates"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.EXPAND, Family.UNKNOWN, boundary=Boundary.PROGRAM
    )

    annotate: bool = False
    """State why tests stay as attributes of what asks them."""

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        rewriter = rewriter_of(module, facts)
        for scan in _scans_of(module):
            outcomes = _push_down(scan, rewriter)
            if scan.parent is not None:  # a filter that moved is another op
                _state_reasons(scan, outcomes if self.annotate else [], rewriter)
        return rewriter.has_done_action


def push_down_predicates(module: ModuleOp, facts: AnalysisManager | None) -> list[Outcome]:
    """Move the tests of all scans as far as they go; what became of those of each column."""
    rewriter = rewriter_of(module, facts)
    return [each for scan in _scans_of(module) for each in _push_down(scan, rewriter)]


def _scans_of(module: ModuleOp) -> list[QueryOp | FilterOp]:
    return [op for op in ops_outside_arms(module) if isinstance(op, QueryOp | FilterOp)]


def _state_reasons(
    scan: QueryOp | FilterOp, outcomes: Sequence[Outcome], rewriter: PatternRewriter
) -> None:
    """Give a scan the first reason why tests of a column stay, in place of earlier ones."""
    before = scan.attributes
    kept = {each.column: each.attribute for each in reversed(outcomes) if not each.has_moved}
    after = {name: value for name, value in before.items() if name != NOT_PUSHED_DOWN}
    if kept:
        after[NOT_PUSHED_DOWN] = DictionaryAttr(kept)
    if after != before:
        scan.attributes = after
        rewriter.notify_op_modified(scan)


def _push_down(scan: QueryOp | FilterOp, rewriter: PatternRewriter) -> list[Outcome]:
    if isinstance(scan, QueryOp):
        return _push_down_query(scan, rewriter)
    name = name_of(scan.source)
    with _located(scan.location, rewriter):
        found = filter_codes(scan, rewriter)
    return [] if found is None else [Outcome(scan, name, *found)]


def _push_down_query(query: QueryOp, rewriter: PatternRewriter) -> list[Outcome]:
    """Move the tests of a query until none moves any more."""
    moved, own = list[Outcome](), {name_of(column) for column in query.columns}
    while True:
        tests, kept = RowTests(query), list[Outcome]()
        for argument in dict.fromkeys(test.argument for test in tests.tests):
            outcome = _move(query, argument, tests, rewriter)
            if outcome is not None and outcome.has_moved:
                moved.append(outcome)
                break
            kept += [] if outcome is None else [outcome]
        else:
            kept = [each for each in kept if each.column in own]
            return [*moved, *kept, *_of_several(query, tests)]


def _move(
    query: QueryOp, argument: BlockArgument, tests: RowTests, rewriter: PatternRewriter
) -> Outcome | None:
    """Move the tests of a column; None where they are asked of what is encoded already."""
    name = name_of(query.columns[argument.index])
    column = EncodedColumn.of(query, argument)
    if isinstance(column, Kept):
        return Outcome(query, name, *column)
    with _located(column.decoder.location, rewriter):
        found = _moved(column, tests, rewriter)
    return None if found is None else Outcome(query, name, *found)


def _moved(
    column: EncodedColumn, tests: RowTests, rewriter: PatternRewriter
) -> Moved | Kept | None:
    decoder = column.decoder
    if isinstance(decoder, BitUnpackOp):
        return move_to_packed(column, decoder, tests, rewriter)
    if isinstance(decoder, DictionaryOp):
        return move_to_codes(column, decoder, tests, rewriter)
    return skip_blocks(column, tests, rewriter)


def _of_several(query: QueryOp, tests: RowTests) -> list[Outcome]:
    """The tests that depend on several columns, each by the names of these."""
    found = list[Outcome]()
    for condition in tests.of_several:
        arguments = sorted(tests.columns_of[condition] - {query.row}, key=lambda each: each.index)
        names = ", ".join(f"'@{name_of(query.columns[each.index])}'" for each in arguments)
        first = name_of(query.columns[arguments[0].index])
        found.append(
            Outcome(query, first, Reason.SEVERAL_COLUMNS, f"a test depends on {names} at once")
        )
    return found


@contextmanager
def _located(location: LocationAttr, rewriter: PatternRewriter) -> Generator[None]:
    """Let what is inserted stand where a decoder stands, as far as nothing else is said."""

    def locate(op: Operation) -> None:
        for each in (op, *ops_inside(op)):
            if isinstance(each.location, UnknownLoc):
                each.location = location

    handlers = rewriter.operation_insertion_handler
    handlers.append(locate)
    try:
        yield
    finally:
        handlers.remove(locate)
