"""
Facts about values that follow from facts about the values that they are computed from.

Loops make that a circle, in which the greatest claims that hold together are found: facts start
from the claim that the circle itself does not refute and are weakened until they agree. Source:
Kildall, "A unified approach to global program optimization", on demand and sparse.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, Operation, OpResult, Region, SSAValue

from vyre_dialect.ir.interfaces import HasInvocationsInterface

Node = TypeVar("Node", bound=Hashable)
Fact = TypeVar("Fact")


@dataclass(slots=True)
class Rule(Generic[Node, Fact]):
    """How the fact about something follows from those about `sources`, given in their order."""

    sources: Sequence[Node]
    apply: Callable[[Sequence[Fact]], Fact]


class ForwardAnalysis(ABC, Generic[Node, Fact]):
    """
    Facts about nodes, such as values or values under guards, computed when asked for and once.

    It takes time linear in what a node depends on, times the number of times that a fact in a
    loop can be weakened, and no recursion. Rules must be monotonic: then the answers do not
    depend on the order of the questions.
    """

    start: Fact
    """What a fact in a loop is before anything is known of the loop: the strongest claim."""

    def __init__(self) -> None:
        self._facts: dict[Node, Fact] = {}

    @abstractmethod
    def rule(self, node: Node) -> Rule[Node, Fact]:
        """How the fact about `node` follows from others."""
        raise NotImplementedError

    def fact(self, node: Node) -> Fact:
        """What is known about `node`."""
        if node not in self._facts:
            self._solve(self._rules(node))
        return self._facts[node]

    def _rules(self, root: Node) -> list[tuple[Node, Rule[Node, Fact]]]:
        """The rules of what `root` depends on and is not known yet, sources first."""
        seen, order = set[Node](), list[tuple[Node, Rule[Node, Fact]]]()
        pending: list[tuple[Node, Rule[Node, Fact] | None]] = [(root, None)]
        while pending:
            node, rule = pending.pop()
            if rule is not None:
                order.append((node, rule))
            elif node not in seen and node not in self._facts:
                seen.add(node)
                rule = self.rule(node)
                pending.append((node, rule))
                pending.extend((source, None) for source in rule.sources)
        return order

    def _solve(self, rules: Sequence[tuple[Node, Rule[Node, Fact]]]) -> None:
        """Find the facts by `rules`, one by one up to the first loop, and the others together."""
        for place, (node, rule) in enumerate(rules):
            try:
                known = [self._facts[source] for source in rule.sources]
            except KeyError:
                self._weaken(dict(rules[place:]))
                return
            self._facts[node] = rule.apply(known)

    def _weaken(self, rules: dict[Node, Rule[Node, Fact]]) -> None:
        """Find the greatest facts that the rules, which may depend on each other, agree on."""
        users = dict[Node, list[Node]]()
        for node, rule in rules.items():
            for source in rule.sources:
                users.setdefault(source, []).append(node)
        pending, waiting = deque(rules), set(rules)
        while pending:
            node = pending.popleft()
            waiting.remove(node)
            if not self._update(node, rules[node]):
                continue
            changed = [user for user in users.get(node, ()) if user not in waiting]
            waiting.update(changed)
            pending.extend(dict.fromkeys(changed))

    def _update(self, node: Node, rule: Rule[Node, Fact]) -> bool:
        fact = rule.apply([self._facts.get(source, self.start) for source in rule.sources])
        if node in self._facts and self._facts[node] == fact:
            return False
        self._facts[node] = fact
        return True


# Where values come from.


@dataclass(frozen=True, slots=True)
class Computed:
    """The result of an op without regions."""

    op: Operation


@dataclass(frozen=True)
class Merged:
    """One of several values, as the path through control flow has it."""

    sources: tuple[SSAValue, ...]
    steering: tuple[SSAValue, ...] = ()
    """What decides the path; nothing where all that see the value have come the same way."""


@dataclass(frozen=True)
class Counter:
    """The counter of a loop: `begin`, `begin + step` and so on, below `end`."""

    begin: SSAValue
    end: SSAValue
    step: SSAValue


@dataclass(frozen=True)
class Given:
    """An argument of an arm or kernel."""


Origin = Computed | Merged | Counter | Given


def origin_of(value: SSAValue) -> Origin | None:
    """Where `value` comes from in structured control flow, or None when that is unknown."""
    if isinstance(value, OpResult):
        return _origin_of_result(value) if value.op.regions else Computed(value.op)
    assert isinstance(value, BlockArgument)
    return _origin_of_argument(value)


def steering_of(op: Operation) -> tuple[SSAValue, ...] | None:
    """The values that decide the path through the regions of `op`, or None when unknown."""
    match op:
        case scf.IfOp():
            return (op.cond,)
        case scf.IndexSwitchOp():
            return (op.arg,)
        case scf.ForOp():
            return (op.lb, op.ub, op.step)
        case scf.WhileOp():
            return None if (last := condition_of(op)) is None else (last.condition,)
        case scf.ExecuteRegionOp():
            return ()
        case _:
            return None


def _origin_of_result(result: OpResult) -> Merged | None:
    op, index = result.op, result.index
    if (steering := steering_of(op)) is None:
        return None
    match op:
        case scf.WhileOp():
            sources = _passed_on(op, index)
        case scf.ForOp():
            sources = _with(op.iter_args[index], _yielded(op.regions, index))
        case _:
            sources = _yielded(op.regions, index)
    return None if sources is None else Merged(sources, steering)


def _origin_of_argument(argument: BlockArgument) -> Origin | None:
    block, index = argument.block, argument.index
    parent = block.parent_op()
    match parent:
        case None | HasInvocationsInterface():
            return Given()
        case scf.ForOp() if index == 0:
            return Counter(parent.lb, parent.ub, parent.step)
        case scf.ForOp():
            sources = _with(parent.iter_args[index - 1], _yielded([parent.body], index - 1))
        case scf.WhileOp() if block.parent is parent.before_region:
            sources = _with(parent.arguments[index], _yielded([parent.after_region], index))
        case scf.WhileOp():
            sources = _passed_on(parent, index)
        case _:
            return None
    return None if sources is None else Merged(sources)


def condition_of(op: scf.WhileOp) -> scf.ConditionOp | None:
    """What ends the test of a loop, or None when the test ends in something else."""
    block = op.before_region.first_block
    last = None if block is None else block.last_op
    return last if isinstance(last, scf.ConditionOp) else None


def _passed_on(op: scf.WhileOp, index: int) -> tuple[SSAValue, ...] | None:
    last = condition_of(op)
    return None if last is None or index >= len(last.args) else (last.args[index],)


def _with(first: SSAValue, others: tuple[SSAValue, ...] | None) -> tuple[SSAValue, ...] | None:
    return None if others is None else (first, *others)


def _yielded(regions: Sequence[Region], index: int) -> tuple[SSAValue, ...] | None:
    """What the regions yield, or None when one of them does not end in that."""
    found = list[SSAValue]()
    for region in regions:
        block = region.first_block
        last = None if block is None or block.next_block is not None else block.last_op
        if not isinstance(last, scf.YieldOp) or index >= len(last.operands):
            return None
        found.append(last.operands[index])
    return tuple(found)
