"""`vyre.schedule` and `vyre.pass`: which passes run over a program, in which order, and why."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DictionaryAttr,
    FlatSymbolRefAttrConstr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    NoTerminator,
    SymbolOpInterface,
    SymbolTable,
)
from xdsl.utils.arg_spec import ArgSpec, ParameterListType
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.ir.devices import Properties, has_property
from vyre_dialect.ir.scheduling import (
    PassMetadata,
    Phase,
    Profile,
    accepts,
)
from vyre_dialect.ir.syntax import Body
from vyre_dialect.ir.types import optional_i64, verify_text
from vyre_dialect.ir.verification import NamedOperation
from vyre_dialect.ops.pass_options import (
    MOST,
    options_attr,
    parameters,
    properties,
    verify_options,
)
from vyre_dialect.ops.program import NO_ARGUMENTS
from vyre_dialect.ops.schedule_attributes import (
    BoundaryAttr,
    Decision,
    FamilyAttr,
    PhaseAttr,
    ProfileAttr,
    ReasonAttr,
)


@irdl_op_definition
class PassOp(IRDLOperation, NamedOperation):
    """A pass in a schedule: what it says about itself, its options and, once decided, its fate."""

    name = "vyre.pass"

    sym_name = prop_def(SymbolNameConstraint())
    options = opt_prop_def(DictionaryAttr)
    """Options of the pass that are not the defaults: integers, floats, booleans and strings."""
    phase = prop_def(PhaseAttr)
    family = prop_def(FamilyAttr)
    boundary = prop_def(BoundaryAttr)
    preserves_abi = opt_prop_def(UnitAttr)
    requires = opt_prop_def(ArrayAttr.constr(FlatSymbolRefAttrConstr))
    invalidates = opt_prop_def(ArrayAttr.constr(FlatSymbolRefAttrConstr))
    """Passes, where the schedule has them, that may find work after a change by this one."""
    capabilities = opt_prop_def(ArrayAttr.constr(StringAttr))
    on_request = opt_prop_def(UnitAttr)
    """The pass is not asked for: it is there for those that require it."""
    selected = opt_prop_def(BoolAttr)
    reason = opt_prop_def(ReasonAttr)
    priority = opt_prop_def(IntegerAttr.constr(i64))
    evidence = opt_prop_def(StringAttr)
    measured = opt_prop_def(IntegerAttr.constr(i64))
    threshold = opt_prop_def(IntegerAttr.constr(i64))

    traits = traits_def(SymbolOpInterface())
    assembly_format = (
        "$sym_name (`options` $options^)? `phase` $phase `family` $family `boundary` $boundary "
        "(`preserves_abi` $preserves_abi^)? (`requires` $requires^)? "
        "(`invalidates` $invalidates^)? (`capabilities` $capabilities^)? "
        "(`on_request` $on_request^)? (`selected` $selected^)? (`reason` $reason^)? "
        "(`priority` $priority^)? (`evidence` $evidence^)? (`measured` $measured^)? "
        "(`threshold` $threshold^)? attr-dict"
    )

    def __init__(
        self, name: str, metadata: PassMetadata, options: Mapping[str, ParameterListType] = {}
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "options": options_attr(options) if options else None,
                "phase": PhaseAttr(metadata.phase),
                "family": FamilyAttr(metadata.family),
                "boundary": BoundaryAttr(metadata.boundary),
                "preserves_abi": UnitAttr() if metadata.preserves_abi else None,
                "requires": _symbols(metadata.requires),
                "invalidates": _symbols(metadata.invalidates),
                "capabilities": _texts(metadata.capabilities),
                "on_request": UnitAttr() if metadata.on_request else None,
            }
        )

    @property
    def metadata(self) -> PassMetadata:
        """What the schedule says of the pass."""
        return PassMetadata(
            self.phase.data,
            self.family.data,
            _names(self.requires),
            _names(self.invalidates),
            self.boundary.data,
            tuple(each.data for each in self.capabilities or ()),
            self.preserves_abi is not None,
            on_request=self.on_request is not None,
        )

    @property
    def schedule(self) -> ScheduleOp:
        """The schedule that the pass is in."""
        parent = self.parent_op()
        assert isinstance(parent, ScheduleOp)
        return parent

    @property
    def spec(self) -> ArgSpec:
        """The pass with its options, as xDSL takes it: with underscores in their names."""
        return ArgSpec(
            self.sym_name.data, parameters(self.option_values)
        ).normalize_parameter_names()

    @property
    def option_values(self) -> Mapping[str, Attribute]:
        """The options by name."""
        return {} if self.options is None else self.options.data

    @property
    def option_names(self) -> frozenset[str]:
        """The names of the options, with underscores."""
        return frozenset(self.spec.parameters)

    def give(self, options: Mapping[str, ParameterListType]) -> None:
        """Give the pass `options` in place of those that it has of the same names."""
        given = {**self.spec.parameters, **options}
        self.options = options_attr(given) if given else None

    @property
    def is_selected(self) -> bool:
        """Whether it is decided that the pass runs."""
        return self.selected is not None and bool(self.selected.value.data)

    @property
    def decision(self) -> Decision | None:
        """What was decided, if anything was."""
        if self.selected is None or self.reason is None:
            return None
        return Decision(
            self.is_selected,
            self.reason.data,
            None if self.evidence is None else self.evidence.data,
            None if self.measured is None else self.measured.value.data,
            None if self.threshold is None else self.threshold.value.data,
        )

    def decide(self, decision: Decision) -> None:
        """Mark the pass with a decision; numbers beyond those of an i64 stand as the largest."""
        self.selected = BoolAttr.from_bool(decision.selected)
        self.reason = ReasonAttr(decision.reason)
        self.priority = IntegerAttr(decision.priority, i64)
        self.evidence = None if decision.evidence is None else StringAttr(decision.evidence)
        self.measured = _saturated(decision.measured)
        self.threshold = _saturated(decision.threshold)

    def is_accepted(self, profile: Profile) -> bool:
        """Whether the pass takes part under a profile."""
        preserves_abi = self.preserves_abi is not None
        return accepts(profile, self.family.data, preserves_abi=preserves_abi)

    def verify_(self) -> None:
        verify_text(self.name, self.sym_name, self.evidence)
        if not isinstance(self.parent_op(), ScheduleOp | None):
            raise self._error("expected a 'vyre.schedule' around it")
        parts = (self.selected, self.reason, self.priority)
        if any(part is None for part in parts) and any(part is not None for part in parts):
            raise self._error("expected 'selected', 'reason' and 'priority' together")
        if self.selected is None and (self.evidence or self.measured or self.threshold):
            raise self._error("expected evidence for a decision only")
        try:
            verify_options(self.option_values)
        except ValueError as error:
            raise self._error(str(error)) from error


@irdl_op_definition
class RequestOp(IRDLOperation, NamedOperation):
    """
    A pass that a policy asks for, by its name and options alone: what the pass says about itself is
    taken from there, when a schedule is made.
    """

    name = "vyre.request"

    sym_name = prop_def(SymbolNameConstraint())
    options = opt_prop_def(DictionaryAttr)
    """As those of `vyre.pass`, and properties of the device."""

    traits = traits_def(SymbolOpInterface())
    assembly_format = "$sym_name (`options` $options^)? attr-dict"

    @property
    def schedule(self) -> ScheduleOp:
        """The policy that the request is in."""
        parent = self.parent_op()
        assert isinstance(parent, ScheduleOp)
        return parent

    def spec_for(self, device: Properties) -> ArgSpec:
        """The pass with its options for a device; those that it does not say are left out."""
        options = {} if self.options is None else parameters(self.options.data, device)
        return ArgSpec(self.sym_name.data, options).normalize_parameter_names()

    @property
    def option_names(self) -> frozenset[str]:
        """The names of all options, with underscores."""
        names = () if self.options is None else self.options.data
        return frozenset(name.replace("-", "_") for name in names)

    def verify_(self) -> None:
        verify_text(self.name, self.sym_name)
        if not isinstance(self.parent_op(), ScheduleOp | None):
            raise self._error("expected a 'vyre.schedule' around it")
        try:
            verify_options({} if self.options is None else self.options.data, of_devices=True)
        except ValueError as error:
            raise self._error(str(error)) from error


class ScheduledPasses(SymbolTable):
    """The passes of a schedule, or the requests of a policy, each there once."""

    def verify(self, op: IRDLOperation) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        assert isinstance(op, ScheduleOp)
        seen = set[str]()
        expected = PassOp if op.devices is None else RequestOp
        kind = "" if op.devices is None else " with 'devices'"
        for each in op.body.block.ops:
            if not isinstance(each, expected):
                raise VerifyException(
                    f"'{op.name}'{kind} expected '{expected.name}' only, got '{each.name}'"
                )
            if (name := each.sym_name.data) in seen:
                raise VerifyException(f"'{op.name}' expected each pass once, got '@{name}' twice")
            seen.add(name)


@irdl_op_definition
class ScheduleOp(IRDLOperation):
    """
    Passes that a program is compiled by.

    They run by phase, those that are required before those that require them, and otherwise in the
    order in which they are written.

    One with `devices` is a policy: the options of passes for a kind of device. It holds requests;
    the schedule that is made by it has these and every other pass that takes part.
    """

    name = "vyre.schedule"

    sym_name = prop_def(SymbolNameConstraint())
    profile = prop_def(ProfileAttr)
    policy = opt_prop_def(StringAttr)
    """The name of the policy that the schedule was made by."""
    devices = opt_prop_def(DictionaryAttr)
    """What a device has that the policy is for: booleans and texts as they are, counts at least."""
    body = region_def("single_block", entry_args=NO_ARGUMENTS)

    traits = traits_def(
        HasParent(ModuleOp),
        IsolatedFromAbove(),
        NoTerminator(),
        SymbolOpInterface(),
        ScheduledPasses(),
    )
    custom_directives = (Body,)
    assembly_format = (
        "$sym_name `profile` `(` $profile `)` (`policy` $policy^)? (`devices` $devices^)? "
        "attr-dict-with-keyword custom<Body>($body)"
    )

    def __init__(
        self,
        name: str,
        profile: Profile,
        passes: Iterable[PassOp] = (),
        policy: str | None = None,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "profile": ProfileAttr(profile),
                "policy": None if policy is None else StringAttr(policy),
            },
            regions=[Region(Block(passes))],
        )

    def passes(self) -> Iterator[PassOp]:
        """The passes, in the order in which they are written."""
        return (op for op in self.body.block.ops if isinstance(op, PassOp))

    def ordered(self) -> list[PassOp]:
        """The passes in the order in which they run."""
        return ordered(list(self.passes()))

    @property
    def is_policy(self) -> bool:
        """Whether it says what passes are to do on a kind of device, not which passes there are."""
        return self.devices is not None

    def requests(self) -> Iterator[RequestOp]:
        """What a policy asks for, in the order in which it is written."""
        return (op for op in self.body.block.ops if isinstance(op, RequestOp))

    @property
    def conditions(self) -> Properties:
        """What a device has that the policy is for, by the names of properties."""
        return {} if self.devices is None else properties(self.devices.data)

    def suits(self, device: Properties) -> bool:
        """Whether a device has all that the policy is for."""
        wanted = self.conditions.items()
        return self.is_policy and all(has_property(device, name, each) for name, each in wanted)

    def verify_(self) -> None:
        verify_text(self.name, self.sym_name, self.policy)
        try:
            _ = self.conditions
        except ValueError as error:
            raise VerifyException(f"'{self.name}' @{self.sym_name.data}: {error}") from error
        if self.is_policy and self.policy is not None:
            raise VerifyException(
                f"'{self.name}' @{self.sym_name.data}: expected 'policy' on a schedule of passes, "
                "not on a policy"
            )
        passes = {op.sym_name.data: op for op in self.passes()}
        for name, op in passes.items():
            for required in op.metadata.requires:
                self._verify_requirement(name, op, required, passes.get(required))
        if (cycle := _cycle(passes)) is not None:
            raise VerifyException(
                f"'{self.name}' @{self.sym_name.data}: expected requirements without a cycle, got "
                + " -> ".join(f"'@{name}'" for name in cycle)
            )

    def _verify_requirement(
        self, name: str, op: PassOp, required: str, found: PassOp | None
    ) -> None:
        if found is None:
            raise VerifyException(
                f"'{PassOp.name}' @{name}: requires '@{required}', which '@{self.sym_name.data}' "
                "does not hold"
            )
        if _PHASES[found.phase.data] > _PHASES[op.phase.data]:
            raise VerifyException(
                f"'{PassOp.name}' @{name} of phase {op.phase.data}: requires '@{required}' of the "
                f"later phase {found.phase.data}"
            )


_PHASES = {phase: number for number, phase in enumerate(Phase)}


def ordered(passes: Sequence[PassOp]) -> list[PassOp]:
    """
    `passes` by phase, after those that they require, and otherwise as they stand. Linear but for
    the heap that keeps the order stable (Kahn's algorithm).
    """
    place = {op.sym_name.data: (_PHASES[op.phase.data], n) for n, op in enumerate(passes)}
    by_name = {op.sym_name.data: op for op in passes}
    waiting = dict[str, int]()
    followers = dict[str, list[str]]()
    for name, op in by_name.items():
        required = {each for each in op.metadata.requires if each in by_name}
        waiting[name] = len(required)
        for each in required:
            followers.setdefault(each, []).append(name)
    ready = [(place[name], name) for name, count in waiting.items() if not count]
    heapq.heapify(ready)
    result = list[PassOp]()
    while ready:
        _, name = heapq.heappop(ready)
        result.append(by_name[name])
        for follower in followers.get(name, ()):
            waiting[follower] -= 1
            if not waiting[follower]:
                heapq.heappush(ready, (place[follower], follower))
    return result


def _cycle(passes: Mapping[str, PassOp]) -> list[str] | None:
    """The names along a cycle of requirements, if there is one."""
    try:
        TopologicalSorter({name: op.metadata.requires for name, op in passes.items()}).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return None


def _saturated(number: int | None) -> IntegerAttr | None:
    return optional_i64(None if number is None else min(number, MOST))


def _symbols(names: Sequence[str]) -> ArrayAttr[SymbolRefAttr] | None:
    return ArrayAttr([SymbolRefAttr(name) for name in names]) if names else None


def _texts(texts: Sequence[str]) -> ArrayAttr[StringAttr] | None:
    return ArrayAttr([StringAttr(text) for text in texts]) if texts else None


def _names(symbols: ArrayAttr[SymbolRefAttr] | None) -> tuple[str, ...]:
    return tuple(symbol.root_reference.data for symbol in symbols or ())
