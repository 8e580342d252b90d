"""`vyre-optimize`: the passes of a schedule, selected for a program and run to a fixpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ParameterListType
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.ir.devices import Properties
from vyre_dialect.ir.scheduling import Profile
from vyre_dialect.ops.schedule import PassOp, ScheduleOp
from vyre_dialect.passes.schedule.admission import (
    check_admitted,
    stated_options,
    trusted_options,
)
from vyre_dialect.passes.schedule.files import check_own_place, read_schedule
from vyre_dialect.passes.schedule.instrumentation import Instrumentation
from vyre_dialect.passes.schedule.materialize_schedule import (
    ProfileName,
    materialize_by,
    materialize_for,
)
from vyre_dialect.passes.schedule.options import joined, options_text, parse_options
from vyre_dialect.passes.schedule.policies import parse_device, policy_for, policy_options
from vyre_dialect.passes.schedule.registry import metadata_of
from vyre_dialect.passes.schedule.report import Report
from vyre_dialect.passes.schedule.scheduler import LIMIT, Rules, Scheduler
from vyre_dialect.passes.schedule.select_passes import Selector


@dataclass(frozen=True)
class Optimized:
    """What was decided on the passes of a schedule, and what they did to a module."""

    schedule: ScheduleOp
    report: Report
    inserted: tuple[PassOp, ...] = ()
    """Passes that were inserted, one for each run."""

    @property
    def policy(self) -> str | None:
        """The name of the policy that the schedule was made by."""
        return None if self.schedule.policy is None else self.schedule.policy.data

    @property
    def passes(self) -> list[PassOp]:
        """
        The passes in the order in which they come to run, those at the end that were inserted.
        The schedule may hold an inserted one as well, which then stands for it.
        """
        passes = {op.sym_name.data: op for op in self.schedule.ordered()}
        for op in self.inserted:
            passes.setdefault(op.sym_name.data, op)
        return list(passes.values())


@dataclass(frozen=True)
class OptimizePass(ModulePass):
    """
    Compiles the programs of a module by a schedule: that of a file, or else the one in the module,
    which is taken out of it, or else one of every pass that is installed. A policy, be it that of a
    file, of the module, or for the device, says what the last of these has for options.

    What the schedule does not decide is decided here. Raises PassFailedException, in one line that
    names the pass, for one that fails; the module is then as it was before that pass.
    """

    name = "vyre-optimize"

    profile: ProfileName | None = None
    """
    What to compile for, `release` unless stated; a schedule has a profile of its own, and so has a
    policy, which holds unless one is stated.
    """
    schedule: str | None = None
    """A file with the schedule to run, or with a policy."""
    device: tuple[str, ...] | None = None
    """Properties of the device to compile for, each `name=value`."""
    options: str | None = None
    """Options of passes, written like a pipeline, in place of those that a schedule gives."""
    hints: str | None = None
    """A JSON file of hot-path telemetry."""
    previous: str | None = None
    """The report of an earlier run, by which passes are selected."""
    report: str | None = None
    """Where to write the report of this run."""
    capabilities: tuple[str, ...] | None = None
    """What the device can do; unless stated, passes may ask for anything."""
    verify_each: bool = False
    """Verify the module after each pass that changed it."""
    keep_schedule: bool = False
    """Leave the schedule in the module, with what was decided."""
    limit: int = LIMIT
    """How often a pass may change a program in one phase before that is an error."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.run(ctx, op)

    def run(
        self, ctx: Context, module: ModuleOp, instrumentation: Instrumentation | None = None
    ) -> Optimized:
        """
        As `apply`, with the edits and for the observers of `instrumentation`; gives the schedule
        with all that was decided, and what each pass did.
        """
        if self.limit < 1:
            raise PassFailedException(f"'{self.name}' expected a positive limit, got {self.limit}")
        if self.report is not None:  # it may take the place of the one before
            check_own_place(self.report, "report", {"schedule": self.schedule, "hints": self.hints})
        selector = Selector.read(module, self.hints, self.previous, self.capabilities)
        schedule = self.take_schedule(ctx, module)
        rules = Rules(verify_each=self.verify_each, limit=self.limit)
        trusted = trusted_options(parse_options(self.options))
        scheduler = Scheduler(
            ctx, module, schedule, selector, rules, instrumentation or Instrumentation(), trusted
        )
        try:
            scheduler.run()
        finally:
            if self.report is not None:
                scheduler.report.write(self.report, schedule.passes())
        if self.keep_schedule:
            module.body.block.add_op(schedule)
        return Optimized(schedule, scheduler.report, tuple(scheduler.inserted))

    def take_schedule(self, ctx: Context, module: ModuleOp) -> ScheduleOp:
        """
        The schedule to run, as far as it is decided before; those of the module are taken out.

        Raises PassFailedException for one that cannot be read, or names what it may not.
        """
        own = [op for op in module.ops if isinstance(op, ScheduleOp)]
        for op in own:
            op.detach()
        if self.schedule is not None:
            return self._given(read_schedule(self.schedule, ctx), f"'{self.schedule}'")
        if len(own) > 1:
            raise PassFailedException(
                f"'{self.name}' expected one schedule in the module, got {len(own)}"
            )
        if own:
            return self._given(own[0], "the module")
        return materialize_for(self._device, self._profile, parse_options(self.options))

    @property
    def _device(self) -> Properties | None:
        return parse_device(self.device)

    @property
    def _profile(self) -> Profile | None:
        return None if self.profile is None else Profile(self.profile)

    @property
    def policy(self) -> ScheduleOp | None:
        """The policy that is installed for the device, where one is given."""
        device = self._device
        return None if device is None else policy_for(device)

    def with_policy(self) -> OptimizePass:
        """The same, with the profile and the options of that policy stated among its own."""
        if (policy := self.policy) is None:
            return self
        options = policy_options(policy, self._device or {})
        text = options_text(joined(options, parse_options(self.options)))
        return replace(self, profile=self.profile or policy.profile.data.value, options=text)

    def _given(self, schedule: ScheduleOp, place: str) -> ScheduleOp:
        """
        A schedule from a file or the module, or that of a policy there, with the options
        that whoever compiles gives.
        """
        if schedule.is_policy:
            check_admitted(schedule)
            options = parse_options(self.options)
            return materialize_by(schedule, self._device or {}, self._profile, options)
        profile = str(schedule.profile.data)
        if self.profile not in (None, profile):
            raise PassFailedException(
                f"'{self.name}' expected no profile but that of the schedule of {place}, "
                f"'{profile}', got '{self.profile}'"
            )
        check_admitted(schedule)
        passes = {op.sym_name.data: op for op in schedule.passes()}
        for name, given in stated_options(parse_options(self.options)).items():
            if name not in passes:
                raise MissingPassError(name, given, place)
            passes[name].give(given)
        return schedule


class MissingPassError(PassFailedException):
    """Options are given for a pass that a schedule does not have."""

    def __init__(self, name: str, options: Mapping[str, ParameterListType], place: str):
        metadata = metadata_of(name)
        message = f"options for '{name}', which is no pass of the schedule of {place}"
        self.detail: str | None = None
        """The line that a schedule needs to have it, for a pass that there is."""
        if metadata is not None:
            message += ": to have it there, add the line below"
            self.detail = f"    {PassOp(name, replace(metadata, on_request=False), options)!s}"
        super().__init__(message)
        if self.detail is not None:
            self.add_note(self.detail)  # shown by tools that print notes
