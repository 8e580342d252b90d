"""
What can be chosen of a program and of the passes that compile it, by what these say themselves.

An axis is a parameter of an op (`HasParametersInterface`), an option of a pass
(`PassMetadata.parameters`), or whether a pass takes part: one that does on request, or one of a
family that a profile does without, as those that fuse.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.arg_spec import ArgSpec

from vyre_dialect.analysis.program_facts import ProgramFacts
from vyre_dialect.ir.scheduling import PassMetadata, Profile, Reason, accepts
from vyre_dialect.ir.tuning import Choice, HasParametersInterface, Parameter
from vyre_dialect.ir.workgroup_choice import WORKGROUP_SIZE, size_of
from vyre_dialect.ops.schedule import (
    ScheduleOp,
)
from vyre_dialect.ops.schedule_attributes import (
    Decision,
)
from vyre_dialect.passes.loop.coarsen import CoarsenPass
from vyre_dialect.passes.program.expand import ExpandPass
from vyre_dialect.passes.schedule.admission import trusted_options
from vyre_dialect.passes.schedule.materialize_schedule import materialize
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.passes.schedule.options import options_text, parse_options
from vyre_dialect.passes.schedule.registry import scheduled_passes
from vyre_dialect.passes.schedule.select_passes import THRESHOLDS
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.program.compilation import (
    for_device,
    has_own_schedule,
    one_line_errors,
)
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.tuning.search import Expert, Point, ProductSpace

Choices: TypeAlias = Mapping[str, Choice]
"""What is chosen, by the names of axes."""


@dataclass(frozen=True)
class Axis:
    """Something to choose, under a name that says whose it is."""

    name: str
    values: tuple[Choice, ...]
    default: Choice

    @property
    def owner(self) -> str:
        """The name of the pass or op that it is a parameter of, which may be an axis itself."""
        return self.name.rpartition(".")[0]


@dataclass(frozen=True)
class Configurations:
    """A program in all forms that its ops and the passes let it have on a device."""

    module: ModuleOp
    optimize: OptimizePass
    """The schedule that is compiled by unless something else is chosen."""
    axes: tuple[Axis, ...]

    @classmethod
    def of(
        cls, module: ModuleOp, device: DeviceInfo, optimize: OptimizePass | None = None
    ) -> Configurations:
        """
        What can be chosen of `module` on `device`. Passes have nothing to choose where a schedule
        is given, by a file or the module.
        """
        base = for_device(optimize or OptimizePass(), device)
        has_schedule = is_written(module, optimize)
        if not has_schedule:
            with one_line_errors(f"pass '{base.name}'"):
                base = base.with_policy()
        module = _with_open_choices(module, base)
        base = _without_workgroup(module, base)
        axes = list(_op_axes(module, device))
        if not has_schedule:
            axes += _pass_axes(base, ProgramFacts.of(module))
        return cls(module, base, tuple(axes))

    @property
    def space(self) -> ProductSpace:
        """Every combination of choices, the default first."""
        first = tuple(axis.values.index(axis.default) for axis in self.axes)
        names = [axis.name for axis in self.axes]
        owners = enumerate(axis.owner for axis in self.axes)
        switches = {place: names.index(owner) for place, owner in owners if owner in names}
        return ProductSpace([len(axis.values) for axis in self.axes], first, Expert(switches))

    @property
    def default(self) -> dict[str, Choice]:
        """What holds where nothing is chosen."""
        return {axis.name: axis.default for axis in self.axes}

    def choices(self, point: Point) -> dict[str, Choice]:
        """The choices at a point of the space; passes that take no part have their defaults."""
        places = zip(self.axes, point, strict=True)
        choices = {axis.name: axis.values[place] for axis, place in places}
        for axis in self.axes:
            if choices.get(axis.owner) is False:
                choices[axis.name] = axis.default
        return choices

    def are_legal(self, choices: Choices) -> bool:
        """Whether choices, from a file say, are such as can be made of this program here."""
        axes = {axis.name: axis.values for axis in self.axes}
        return choices.keys() == axes.keys() and all(
            any(
                choice is value or (choice == value and type(choice) is type(value))
                for value in axes[name]
            )
            for name, choice in choices.items()
        )

    def apply(self, choices: Choices) -> tuple[ModuleOp, OptimizePass]:
        """A copy of the module, and the schedule, with what was chosen."""
        module = self.module.clone()
        for name, op, parameter in _op_parameters(module):
            if name in choices and choices[name] != _held(op, parameter):
                op.choose(parameter.name, choices[name])
        chosen = {name: choices[name] for name in choices if name in self._of_passes}
        if not chosen:
            return module, self.optimize
        # A schedule of its own, to which no device adds the options that were chosen against.
        profile = Profile(self.optimize.profile or Profile.RELEASE)
        options = parse_options(_options(self.optimize.options, chosen))
        policy = self.optimize.policy
        name = None if policy is None else policy.sym_name.data
        schedule = materialize(profile, options, name)
        _leave_out(schedule, [name for name, choice in chosen.items() if choice is False])
        module.body.block.add_op(schedule)
        trusted = trusted_options(options)  # the schedule has the others
        return module, replace(self.optimize, profile=None, options=options_text(trusted) or None)

    @property
    def _of_passes(self) -> frozenset[str]:
        of_ops = {name for name, _, _ in _op_parameters(self.module)}
        return frozenset(axis.name for axis in self.axes) - of_ops


def is_written(module: ModuleOp, optimize: OptimizePass | None) -> bool:
    """Whether a schedule is given, by a file or the module, that says which passes run."""
    return has_own_schedule(module) or (optimize is not None and optimize.schedule is not None)


def _with_open_choices(module: ModuleOp, optimize: OptimizePass) -> ModuleOp:
    """A copy in which ops state what `vyre-expand` would choose of them."""
    module, options = module.clone(), dict(parse_options(optimize.options).get(ExpandPass.name, {}))
    ExpandPass.from_spec(ArgSpec(ExpandPass.name, options)).choose(module)
    return module


def _without_workgroup(module: ModuleOp, optimize: OptimizePass) -> OptimizePass:
    """The schedule that leaves the size of workgroups to the program, which states what it was."""
    (size,) = parse_options(optimize.options).get(CoarsenPass.name, {}).get("workgroup", (0,))
    program = find_program(module)
    open_ones = (each for each in program.get_parameters() if each.name == WORKGROUP_SIZE)
    if not isinstance(size, int) or not any(size in each.values for each in open_ones):
        return optimize
    program.choose(WORKGROUP_SIZE, size)
    chosen = {f"{CoarsenPass.name}.workgroup": 0}
    return replace(optimize, options=_options(optimize.options, chosen))


def _op_parameters(
    module: ModuleOp,
) -> Iterator[tuple[str, HasParametersInterface, Parameter]]:
    """What the ops of a module leave to choose; ops of one name are told apart by a number."""
    ops = [op for op in module.walk() if isinstance(op, HasParametersInterface)]
    several = {name for name, count in Counter(op.name for op in ops).items() if count > 1}
    numbers = Counter[str]()
    for op in ops:
        number = f"#{numbers[op.name]}" if op.name in several else ""
        numbers[op.name] += 1
        for parameter in op.get_parameters():
            yield f"{op.name}{number}.{parameter.name}", op, parameter


def _held(op: HasParametersInterface, parameter: Parameter) -> Choice:
    chosen = op.chosen(parameter.name)
    return parameter.default if chosen is None else chosen


def _op_axes(module: ModuleOp, device: DeviceInfo) -> Iterator[Axis]:
    for name, op, parameter in _op_parameters(module):
        held, values = _held(op, parameter), parameter.values
        if parameter.name == WORKGROUP_SIZE:
            values = tuple(each for each in values if each == held or _fits(each, device))
        if len(values) > 1 and held in values:
            yield Axis(name, values, held)


def _fits(size: Choice, device: DeviceInfo) -> bool:
    """Whether a device can run workgroups of a size."""
    sizes = size_of(size)
    within = zip(sizes, device.max_work_item_sizes, strict=True)
    return prod(sizes) <= device.max_workgroup_size and all(a <= b for a, b in within)


def _pass_axes(optimize: OptimizePass, facts: ProgramFacts) -> Iterator[Axis]:
    given = parse_options(optimize.options)
    profile = Profile(optimize.profile or Profile.RELEASE)
    for name, metadata in scheduled_passes().items():
        is_optional = not _takes_part(metadata, Profile.DATAFLOW)
        if is_optional and not (_takes_part(metadata, profile) and _has_work(metadata, facts)):
            continue
        if metadata.on_request:
            yield Axis(name, (False, True), name in given)
        elif is_optional:
            yield Axis(name, (False, True), True)
        for parameter in metadata.parameters:
            held = given.get(name, {}).get(parameter.name, (parameter.default,))
            default = held[0] if len(held) == 1 else None
            if isinstance(default, int | str):
                yield Axis(f"{name}.{parameter.name}", _with(parameter, default), default)


def _takes_part(metadata: PassMetadata, profile: Profile) -> bool:
    return accepts(profile, metadata.family, preserves_abi=metadata.preserves_abi)


def _has_work(metadata: PassMetadata, facts: ProgramFacts) -> bool:
    """Whether a program is such that passes of this kind are selected."""
    fact, least = THRESHOLDS.get(metadata.family, ("nodes", 0))
    return facts.count(fact) >= least


def _leave_out(schedule: ScheduleOp, names: Collection[str]) -> None:
    """Do without passes; those on request are there only where others require them."""
    known = scheduled_passes()
    for op in schedule.passes():
        if (name := op.sym_name.data) in names and not known[name].on_request:
            op.decide(Decision.of(Reason.LEFT_OUT))


def _with(parameter: Parameter, held: Choice) -> tuple[Choice, ...]:
    """The values of a parameter, and the one that holds."""
    if held in parameter.values or isinstance(held, str):
        return parameter.values
    return tuple(sorted((*parameter.values, held), key=int))


def _options(base: str | None, chosen: Mapping[str, Choice]) -> str | None:
    """Options of passes with what was chosen of them."""
    if not chosen:
        return base
    options = {name: dict(values) for name, values in parse_options(base).items()}
    for name, choice in chosen.items():
        pass_name, _, option = name.partition(".")
        if option:
            options.setdefault(pass_name, {})[option] = (choice,)
        elif choice:
            options.setdefault(pass_name, {})
        else:
            options.pop(pass_name, None)
    for name in [name for name in options if chosen.get(name) is False]:
        del options[name]
    return options_text(options)
