"""`scf` as statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.analysis.value_ranges import Range, first_past
from vyre_dialect.ir.interfaces import OrdersMemoryInterface, is_convergent
from vyre_dialect.ir.traversal import last_op_of, ops_inside
from vyre_dialect.ir.types import NO_WRAP, REMAINDER, UNROLL
from vyre_dialect.lowering.opencl.arithmetic import signed_value, to_signed, to_unsigned
from vyre_dialect.lowering.opencl.expressions import (
    Expression,
    Form,
    binary,
    conditional,
    exact,
    in_range,
    negated,
)
from vyre_dialect.lowering.opencl.invocations import LOCAL_BARRIER, print_barrier
from vyre_dialect.lowering.opencl.literals import literal
from vyre_dialect.lowering.opencl.scope import StatementScope
from vyre_dialect.lowering.opencl.types import BOOL, INDEX

MAX_CONDITIONAL = 72
"""Characters of an `scf.if` that is printed as a conditional expression."""
MAX_REPEATED = 24
"""Characters of a loop bound that is evaluated in every iteration."""
MANY_TURNS = 16
"""
Turns of iterations side by side from which on those that are left over are a loop of their own. Of
fewer, they would be many among all: a divisor of their number is taken.
"""
MOST_SIDE_BY_SIDE = 256
"""Ops side by side up to which a body is written out a second time for what is left over."""

NOT_VECTORIZED = "#pragma clang loop vectorize(disable)"
"""
Of what vectors leave over, compilers make none: Intel's loaded 0 for some elements there, by three
elements and under two conditions.
"""


@dataclass(frozen=True)
class _Assignment:
    name: str
    value: Expression


def _variables(
    printer: StatementScope, values: Sequence[SSAValue], role: str = "result"
) -> list[Expression]:
    """Declare variables that are assigned to later; from then on they stand for `values`."""
    variables = list[Expression]()
    for value in values:
        name = printer.names.fresh(value.name_hint or role)
        type = printer.type_of(value)
        printer.line(f"{type} {name};")
        variables.append(Expression(name, type))
    return variables


def _bind_all(
    printer: StatementScope, values: Sequence[SSAValue], variables: Sequence[Expression]
) -> None:
    for value, variable in zip(values, variables, strict=True):
        printer.bind(value, variable)


def _yielded(printer: StatementScope, block: Block) -> list[Expression]:
    return [printer.value(operand) for operand in last_op_of(block).operands]


def assign(
    printer: StatementScope, variables: Sequence[Expression], values: Sequence[Expression]
) -> None:
    """Print assignments that happen at once: none sees what another has assigned."""
    pending = [
        _Assignment(variable.text, value)
        for variable, value in zip(variables, values, strict=True)
        if variable.text != value.text
    ]
    while pending:
        ready = next((item for item in pending if not _is_read(item, pending)), None)
        if ready is None:
            pending[0] = _saved(printer, pending[0])
            continue
        pending.remove(ready)
        printer.line(_assignment_text(ready))


def _is_read(item: _Assignment, pending: Sequence[_Assignment]) -> bool:
    """Whether another assignment still needs what the variable holds now."""
    return any(item.name in other.value.variables for other in pending if other is not item)


def _saved(printer: StatementScope, item: _Assignment) -> _Assignment:
    name = printer.names.fresh(f"next_{item.name}")
    printer.line(f"{item.value.type} {name} = {item.value.converted};")
    return replace(item, value=Expression(name, item.value.type))


def _assignment_text(item: _Assignment) -> str:
    shown = item.value.implicit or item.value
    if shown.parts is not None and shown.parts[0] == item.name:
        _, operator, right = shown.parts
        if operator not in ("<", "<=", ">", ">=", "==", "!=", "&&", "||"):
            return f"{item.name} {operator}= {right.converted};"
    return f"{item.name} = {item.value.converted};"


# if


def if_op(printer: StatementScope, op: scf.IfOp) -> None:
    """Branches, or one conditional expression."""
    condition = printer.value(op.cond)
    if len(op.output) == 1 and (value := _as_conditional(printer, op, condition)) is not None:
        printer.bind(op.output[0], printer.declare(op.output[0], value))
        return
    variables = _variables(printer, op.output)
    then_lines = _branch(printer, op.true_region.block, variables)
    else_lines = _branch(printer, op.false_region.block, variables) if _has_else(op) else []
    if then_lines or else_lines:
        _print_branches(printer, condition.text, then_lines, else_lines)
    if _holds_barrier(op) and op is not printer.kernel.body.block.last_op:
        # PoCL 3.1 loses what the branches did where code that diverges follows, unless this does.
        print_barrier(printer, op, LOCAL_BARRIER)
    _bind_all(printer, op.output, variables)


def _holds_barrier(op: scf.IfOp) -> bool:
    """Whether a branch orders memory, and does not end with that."""
    blocks = [region.block for region in op.regions if region.blocks]
    return any(
        not isinstance(last_op_of(block).prev_op, OrdersMemoryInterface)
        and any(is_convergent(type(inner)) for inner in ops_inside(block))
        for block in blocks
    )


def _has_else(op: scf.IfOp) -> bool:
    return bool(op.false_region.blocks)


def _as_conditional(
    printer: StatementScope, op: scf.IfOp, condition: Expression
) -> Expression | None:
    """`condition ? a : b` for an if that only chooses between two short expressions."""
    if not (_computes_only(op.true_region.block) and _computes_only(op.false_region.block)):
        return None
    taken = printer.names.copy()
    values = list[Expression]()
    for block in (op.true_region.block, op.false_region.block):
        with printer.captured() as lines:
            printer.block(block)
        if lines:
            printer.names = taken
            return None
        values += _yielded(printer, block)
    chosen = conditional(condition, values[0], values[1], printer.type_of(op.output[0]))
    if len(chosen.text) > MAX_CONDITIONAL:
        return None
    return chosen


def _computes_only(block: Block) -> bool:
    return all(not op.regions for op in block.ops)


def _branch(printer: StatementScope, block: Block, variables: Sequence[Expression]) -> list[str]:
    with printer.captured() as lines, printer.indented():
        printer.block(block)
        assign(printer, variables, _yielded(printer, block))
    return lines


def _print_branches(
    printer: StatementScope, condition: str, then_lines: list[str], else_lines: list[str]
) -> None:
    printer.line(f"if ({condition}) {{")
    printer.lines.extend(then_lines)
    if not else_lines:
        printer.line("}")
        return
    margin = "    " * (printer.depth + 1)
    if _is_one_if(else_lines, margin):
        unindented = [line.removeprefix("    ") for line in else_lines]
        printer.line(f"}} else {unindented[0].strip()}")
        printer.lines.extend(unindented[1:])
        return
    printer.line("} else {")
    printer.lines.extend(else_lines)
    printer.line("}")


def _is_one_if(lines: list[str], margin: str) -> bool:
    """Whether the lines are a single if statement, so that `else if` may precede them."""
    outermost = [line.removeprefix(margin) for line in lines if not line.startswith(f"{margin} ")]
    return outermost[0].startswith("if (") and all(text[0] == "}" for text in outermost[1:])


# for


def for_op(printer: StatementScope, op: scf.ForOp) -> None:
    """A counted loop."""
    counter_value, *carried_values = op.body.block.args
    low = printer.value(op.lb)
    high, step = (_repeatable(printer, bound) for bound in (op.ub, op.step))
    carried = _carried(printer, carried_values, op.iter_args, op.res)
    counter = _Counter.of(printer, op)
    for part in _parts(op, low, high, step) if counter.may_run else ():
        name = printer.names.fresh(counter_value.name_hint or "k")
        variable = Expression(name, printer.type_of(counter_value))
        printer.bind(counter_value, variable)
        if part.side_by_side:
            printer.line(f"#pragma unroll {part.side_by_side}")
        if REMAINDER in op.attributes:
            printer.line(NOT_VECTORIZED)
        printer.line(f"for ({counter.head(variable, part.low, part.high, step)}) {{")
        with printer.indented():
            printer.block(op.body.block)
            assign(printer, carried, _yielded(printer, op.body.block))
        printer.line("}")
    _bind_all(printer, op.res, [replace(variable, variables=frozenset()) for variable in carried])


@dataclass(frozen=True)
class _Part:
    """Iterations of a loop that are printed as one."""

    low: Expression
    high: Expression
    side_by_side: int = 0
    """How many of them the compiler is to write out; 0 where nothing is said."""


def _parts(op: scf.ForOp, low: Expression, high: Expression, step: Expression) -> list[_Part]:
    """
    A loop, or those of its iterations that stand side by side as it says and, behind them, the few
    that are left over. Told to leave some, Intel's compiler makes loops with many exits: it takes
    minutes for nests, and ends the process where others update what they read.
    """
    factor = op.attributes.get(UNROLL)
    if not isinstance(factor, IntegerAttr):
        return [_Part(low, high)]
    wanted, counts = factor.value.data, _counts(low, high, step)
    if counts is None:
        return [_Part(low, high, wanted)]
    iterations = max(0, -((counts.start - counts.stop) // counts.step))  # `len` counts no further
    turns, rest = divmod(iterations, wanted)
    ops = len(ops_inside(op.body)) * wanted
    if rest and turns >= MANY_TURNS and ops <= MOST_SIDE_BY_SIDE:
        middle = literal(counts[-rest], low.type)
        return [_Part(low, middle, wanted), _Part(middle, high)]
    most = next(each for each in range(wanted, 0, -1) if iterations % each == 0)
    # With `unroll 1`, Intel's compiler (2026.22) has stored values of such loops twice.
    return [_Part(low, high, most if most > 1 or wanted == 1 else 0)]


def _counts(low: Expression, high: Expression, step: Expression) -> range | None:
    """What the counter is in each iteration, where that is known."""
    match [signed_value(each) for each in (low, high, step)]:
        case [int(start), int(stop), int(stride)] if stride > 0:
            return range(start, stop, stride)
        case _:
            return None


@dataclass(frozen=True)
class _Counter:
    """What is known about the counter of a loop, which never wraps past the bound."""

    may_run: bool
    """Whether the step can be positive; with another one, a loop runs zero times."""
    always_advances: bool
    """Whether the step is positive."""
    may_wrap: bool
    """Whether the first number past the bound may be none of the counter's type."""
    is_never_negative: bool
    """Whether the distance to the bound is a number of the counter's type."""

    @classmethod
    def of(cls, printer: StatementScope, op: scf.ForOp) -> _Counter:
        """What a loop says of itself, and its constants."""
        low, high, step = (_signed_range(printer, bound) for bound in (op.lb, op.ub, op.step))
        largest = 2 ** (printer.type_of(op.lb).width - 1) - 1
        is_plain = NO_WRAP in op.attributes
        return cls(
            may_run=step.high > 0,
            always_advances=is_plain or step.low > 0,
            may_wrap=not is_plain and first_past(low, high, step) > largest,
            is_never_negative=low.is_non_negative,
        )

    def head(self, counter: Expression, low: Expression, high: Expression, step: Expression) -> str:
        """The three parts of the `for` statement, which start, test and advance the counter."""
        inside = binary(to_signed(counter), "<", to_signed(high), BOOL)
        if not self.always_advances:
            inside = binary(_is_positive(step), "&&", inside, BOOL)
        start = f"{counter.type} {counter.text} = {low.converted}"
        return f"{start}; {inside.text}; {self._advance(counter, high, step)}"

    def _advance(self, counter: Expression, high: Expression, step: Expression) -> str:
        if step.constant == 1:
            return f"{counter.text}++"
        if not self.may_wrap:
            return f"{counter.text} += {step.text}"
        further = binary(self._distance(counter, high), ">", self._comparable(step), BOOL)
        following = binary(counter, "+", step, counter.type)
        following = conditional(further, following, high, counter.type)
        return f"{counter.text} = {following.text}"

    def _distance(self, counter: Expression, high: Expression) -> Expression:
        left, right = self._comparable(high), self._comparable(counter)
        form = Form.WRAPPING if left.type.is_small else Form.EXACT
        return exact(binary(left, "-", right, left.type, form))

    def _comparable(self, operand: Expression) -> Expression:
        """A number such that distances to it are compared as what they are."""
        return in_range(operand if self.is_never_negative else to_unsigned(operand))


def _is_positive(step: Expression) -> Expression:
    return binary(to_signed(step), ">", literal(0, INDEX), BOOL)


def _signed_range(printer: StatementScope, bound: SSAValue) -> Range:
    """The signed numbers that a bound or step of a loop can be."""
    known = signed_value(printer.value(bound))
    if known is not None:
        return Range(known, known)
    half = 2 ** (printer.type_of(bound).width - 1)
    return Range(-half, half - 1)


def _repeatable(printer: StatementScope, bound: SSAValue) -> Expression:
    """A loop bound that may be evaluated in every iteration."""
    expression = printer.value(bound)
    short = len(expression.text) <= MAX_REPEATED and "(" not in expression.text
    if short and not expression.reads_memory and not expression.variables:
        return expression
    return printer.simple(bound)


def _carried(
    printer: StatementScope,
    arguments: Sequence[SSAValue],
    initial: Sequence[SSAValue],
    results: Sequence[SSAValue],
) -> list[Expression]:
    """Declare the variables that a loop carries, with their first values."""
    variables = list[Expression]()
    for argument, value, result in zip(arguments, initial, results, strict=True):
        start, type = printer.value(value), printer.type_of(argument)
        if start.is_carried and _ends_here(value, argument):
            variables.append(replace(start, variables=frozenset({start.text})))
            continue
        name = printer.names.fresh(argument.name_hint or result.name_hint or "carried")
        printer.line(f"{type} {name} = {start.converted};")
        variable = Expression(name, type, variables=frozenset({name}), is_carried=True)
        variables.append(variable)
    _bind_all(printer, arguments, variables)
    return variables


def _ends_here(value: SSAValue, argument: SSAValue) -> bool:
    """Whether a loop that starts with `value` may go on in its variable: nothing else reads it."""
    owner, loop = value.owner, argument.owner
    defined_in = owner if isinstance(owner, Block) else owner.parent
    assert isinstance(loop, Block)
    around = loop.parent_op()
    return value.has_one_use() and around is not None and around.parent is defined_in


# while


def while_op(printer: StatementScope, op: scf.WhileOp) -> None:
    """A loop that ends in its middle."""
    before, after = op.before_region.block, op.after_region.block
    carried = _carried(printer, before.args, op.arguments, before.args)
    condition_op = last_op_of(before)
    assert isinstance(condition_op, scf.ConditionOp)
    passed = _passed(printer, condition_op, list(before.args), carried, op.res)
    with printer.captured() as lines, printer.indented():
        printer.block(before)
        values = [printer.value(value) for value in condition_op.args]
        assign(printer, passed, values)
    condition = printer.value(condition_op.condition)
    printer.line(f"while ({'true' if lines else condition.text}) {{")
    if lines:
        printer.lines.extend(lines)
        with printer.indented():
            printer.line(f"if ({negated(condition).text})")
            printer.line("    break;")
    _bind_all(printer, after.args, passed)
    with printer.indented():
        printer.block(after)
        assign(printer, carried, _yielded(printer, after))
    printer.line("}")
    _bind_all(printer, op.res, [replace(variable, variables=frozenset()) for variable in passed])


def _passed(
    printer: StatementScope,
    condition: scf.ConditionOp,
    arguments: Sequence[SSAValue],
    carried: Sequence[Expression],
    results: Sequence[SSAValue],
) -> list[Expression]:
    """The variables for what the condition passes on; a carried variable is its own."""
    by_argument = dict(zip(arguments, carried, strict=True))
    variables = list[Expression]()
    for value, result in zip(condition.args, results, strict=True):
        if value in by_argument:
            variables.append(by_argument[value])
            continue
        (variable,) = _variables(printer, [result])
        variables.append(replace(variable, variables=frozenset({variable.text})))
    return variables


# switch and blocks


def index_switch(printer: StatementScope, op: scf.IndexSwitchOp) -> None:
    """Branches by a number."""
    variables = _variables(printer, op.output)
    printer.line(f"switch ({printer.value(op.arg).text}) {{")
    cases = [f"case {case}:" for case in op.cases.get_values()]
    regions = [*op.case_regions, op.default_region]
    for label, region in zip([*cases, "default:"], regions, strict=True):
        printer.line(f"{label} {{")
        with printer.indented():
            printer.block(region.block)
            assign(printer, variables, _yielded(printer, region.block))
            printer.line("break;")
        printer.line("}")
    printer.line("}")
    _bind_all(printer, op.output, variables)


def execute_region(printer: StatementScope, op: scf.ExecuteRegionOp) -> None:
    """The ops of a region, in place."""
    if len(op.region.blocks) != 1:
        raise DiagnosticException(
            f"'{op.name}' has an OpenCL form for one block, got {len(op.region.blocks)}"
        )
    variables = _variables(printer, op.outs)
    printer.line("{")
    with printer.indented():
        printer.block(op.region.block)
        assign(printer, variables, _yielded(printer, op.region.block))
    printer.line("}")
    _bind_all(printer, op.outs, variables)


def terminator(printer: StatementScope, op: Operation) -> None:
    """A terminator: the op around it prints what it yields."""
