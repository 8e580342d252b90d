"""What a pass says about itself, so that schedules can select, order and judge it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.utils.str_enum import StrEnum

from vyre_dialect.ir.tuning import Parameter


class Profile(StrEnum):
    """What a program is compiled for."""

    RELEASE = "release"
    """Arms that have nothing to do with each other stay apart."""
    DATAFLOW = "dataflow"
    """Each arm stays a kernel of its own, so that its timings are its own, too."""
    MEGAKERNEL = "megakernel"
    """Every pass."""


class Phase(StrEnum):
    """The form of a program that a pass works on; the phases of a schedule follow one another."""

    EXPAND = "expand"
    """Library ops become arms, and the invocations of arms lanes."""
    ARMS = "arms"
    OUTLINE = "outline"
    """From arms to kernels."""
    KERNELS = "kernels"


class Family(StrEnum):
    """The model of cost by which a pass is selected and judged."""

    SCALAR = "scalar"
    LOOP = "loop"
    MEMORY = "memory"
    FUSION = "fusion"
    SYNC = "sync"
    DATAFLOW = "dataflow"
    MEGAKERNEL = "megakernel"
    UNKNOWN = "unknown"
    """No model: the pass lowers the program, or states facts."""


class Boundary(StrEnum):
    """The largest thing across whose parts a pass moves or merges code."""

    ARM = "arm"
    """Nothing leaves an arm or a kernel."""
    PROGRAM = "program"
    """Arms and buffers of a program change."""
    MODULE = "module"
    """Programs and kernels change."""


class Reason(StrEnum):
    """Why a pass is selected, or not."""

    ALWAYS_ON = "always_on"
    PROGRAM_SHAPE = "program_shape"
    HOT_PATH_TELEMETRY = "hot_path_telemetry"
    PASS_COST_REPORT = "pass_cost_report"
    REQUIRED_DEPENDENCY = "required_dependency"
    PROFILE_REJECTED = "profile_rejected"
    CAPABILITY_MISSING = "capability_missing"
    BELOW_THRESHOLD = "below_threshold"
    NOT_REQUESTED = "not_requested"
    """It takes part on request, and is there for what may require it."""
    ASKED_FOR = "asked_for"
    """Whoever compiles names it: in a pipeline, or as inserted at a stage."""
    LEFT_OUT = "left_out"
    """Whoever compiles does without it, whatever requires it."""

    @property
    def selects(self) -> bool:
        """Whether a pass runs for this reason."""
        return self.priority > 0

    @property
    def priority(self) -> int:
        """How strong the evidence is; nothing for a pass that does not run."""
        return _PRIORITIES.get(self, 0)


_PRIORITIES = {
    Reason.ASKED_FOR: 600,
    Reason.HOT_PATH_TELEMETRY: 500,
    Reason.PASS_COST_REPORT: 400,
    Reason.PROGRAM_SHAPE: 300,
    Reason.ALWAYS_ON: 200,
    Reason.REQUIRED_DEPENDENCY: 100,
}

_NOT_MERGING = frozenset(Family) - {Family.MEGAKERNEL}
_FAMILIES = {
    Profile.RELEASE: _NOT_MERGING,
    Profile.DATAFLOW: _NOT_MERGING - {Family.FUSION},
    Profile.MEGAKERNEL: frozenset(Family),
}


def accepts(profile: Profile, family: Family, *, preserves_abi: bool) -> bool:
    """Whether passes of a family take part under a profile; only `megakernel` changes an ABI."""
    if not preserves_abi and profile != Profile.MEGAKERNEL:
        return False
    return family in _FAMILIES[profile]


@dataclass(frozen=True)
class PassMetadata:
    """
    What a pass declares, as `metadata` of its class, to take part in schedules.

        class FooPass(ModulePass):
            name = "foo"
            metadata: ClassVar[PassMetadata] = PassMetadata(Phase.KERNELS, Family.SCALAR)
    """

    phase: Phase
    family: Family
    requires: tuple[str, ...] = ()
    """Passes that have run before it, with nothing left to do."""
    invalidates: tuple[str, ...] = ()
    """Passes that may find something to do once it has changed the program."""
    boundary: Boundary = Boundary.ARM
    capabilities: tuple[str, ...] = ()
    """What the device must be able to do: `int64_atomics`, `subgroups`, `fp16`, `fp64`."""
    preserves_abi: bool = True
    """Whether the host sees the same buffers before and after it."""
    parameters: tuple[Parameter, ...] = ()
    """Options that a tuner may choose."""
    on_request: bool = False
    """Whether it takes part only in schedules that are given options for it, be they none."""
    profile_options: tuple[tuple[Profile, str, bool | int | str], ...] = ()
    """What options are under a profile, in place of their defaults: the profile, name, value."""
    trusted_options: tuple[str, ...] = ()
    """
    Options that name files, commands or the like. Whoever compiles gives them; a schedule that is
    read from a program or a file cannot.
    """
