"""The driver that analyses of values share."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import pytest

from vyre_dialect.analysis.forward_analysis import ForwardAnalysis, Rule


class Reached(ForwardAnalysis[int, frozenset[int]]):
    """The nodes from which a node of a graph is reached: the least fixpoint of its edges."""

    start = frozenset[int]()

    def __init__(self, edges: dict[int, Sequence[int]]):
        super().__init__()
        self.edges = edges
        self.asked = list[int]()

    def rule(self, node: int) -> Rule[int, frozenset[int]]:
        self.asked.append(node)
        sources = self.edges.get(node, ())
        return Rule(sources, lambda facts: frozenset(sources).union(*facts))


CYCLE: dict[int, Sequence[int]] = {0: (1,), 1: (2, 4), 2: (0, 3), 4: (1,), 5: (4, 3)}


def test_facts_in_a_circle_agree():
    analysis = Reached(CYCLE)
    assert analysis.fact(0) == {0, 1, 2, 3, 4}
    assert analysis.fact(3) == frozenset()
    assert analysis.fact(5) == {0, 1, 2, 3, 4}


def test_no_answer_depends_on_the_order_of_questions():
    expected = {node: Reached(CYCLE).fact(node) for node in range(6)}
    for order in permutations(range(6)):
        analysis = Reached(CYCLE)
        assert {node: analysis.fact(node) for node in order} == expected


def test_each_rule_is_asked_for_once_and_on_demand():
    analysis = Reached(CYCLE)
    _ = analysis.fact(4), analysis.fact(0), analysis.fact(4)
    assert sorted(analysis.asked) == [0, 1, 2, 3, 4]


class Length(ForwardAnalysis[int, int]):
    """How far a node is from the first of a chain."""

    start = 0

    def rule(self, node: int) -> Rule[int, int]:
        return Rule((node - 1,), lambda facts: facts[0] + 1) if node else Rule((), lambda _: 0)


@pytest.mark.slow
def test_a_long_chain_needs_no_recursion():
    assert Length().fact(100_000) == 100_000
