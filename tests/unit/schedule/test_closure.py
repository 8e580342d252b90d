"""What a pass of any package requires is there, and runs where a selected one requires it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.schedules import CONTEXT, PLAIN, install, made_pass, tiny
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.ir.scheduling import Family, Phase, Profile, Reason
from vyre_dialect.ops.schedule_attributes import (
    Decision,
)
from vyre_dialect.passes.schedule import registry
from vyre_dialect.passes.schedule.materialize_schedule import materialize
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.program.compilation import compile_module

ON_REQUEST = replace(PLAIN, on_request=True)


def nothing(module: ModuleOp) -> None:
    """Does nothing."""


def waiting(name: str, *requires: str) -> type[ModulePass]:
    """A pass on request."""
    return made_pass(name, nothing, replace(ON_REQUEST, requires=requires))


def asking(
    name: str, *requires: str, family: Family = Family.SCALAR, phase: Phase = Phase.KERNELS
) -> type[ModulePass]:
    """A pass that takes part unasked."""
    metadata = replace(PLAIN, requires=requires, family=family, phase=phase)
    return made_pass(name, nothing, metadata)


def decisions(monkeypatch: pytest.MonkeyPatch, *passes: type[ModulePass]) -> dict[str, Decision]:
    """What is decided on the passes of the standard schedule, where there are only these."""
    install(monkeypatch, *passes)
    optimized = OptimizePass().run(CONTEXT, tiny())
    ran = {run.name for run in optimized.report.runs if run.ran}
    decided = {op.sym_name.data: op.decision for op in optimized.schedule.passes()}
    assert ran == {name for name, each in decided.items() if each is not None and each.selected}
    return {name: each for name, each in decided.items() if each is not None}


def test_a_pass_on_request_is_selected_by_whom_requires_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert decisions(monkeypatch, asking("user", "used"), waiting("used"), waiting("other")) == {
        "user": Decision(True, Reason.ALWAYS_ON),
        "used": Decision(True, Reason.REQUIRED_DEPENDENCY, "user"),
    }


def test_a_chain_of_passes_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = [asking("z", "y"), waiting("y", "x"), waiting("x", "w"), waiting("w")]
    reasons = {name: str(each) for name, each in decisions(monkeypatch, *chain).items()}
    assert reasons == {
        "z": "always_on",
        "y": "required_dependency: z",
        "x": "required_dependency: y",
        "w": "required_dependency: x",
    }


def test_a_diamond_of_passes_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    sides = [waiting("left", "top"), waiting("right", "top")]
    decided = decisions(monkeypatch, asking("bottom", "left", "right"), *sides, waiting("top"))
    assert {
        name for name, each in decided.items() if each.reason == Reason.REQUIRED_DEPENDENCY
    } == {
        *("left", "right", "top"),
    }


def test_what_no_selected_pass_requires_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    user = asking("user", "used", family=Family.LOOP)
    decided = decisions(monkeypatch, user, waiting("used"))
    assert decided["user"].reason == Reason.BELOW_THRESHOLD
    assert decided["used"] == Decision(False, Reason.NOT_REQUESTED)


def test_options_ask_for_a_pass_that_is_required_too(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, asking("user", "used"), waiting("used", "first"), waiting("first"))
    passes = materialize(Profile.RELEASE, {"used": {}}).passes()
    assert not any(op.on_request for op in passes)


@pytest.mark.parametrize(
    ("passes", "message"),
    [
        (
            [asking("user", "nowhere")],
            "^pass 'user' requires 'nowhere', which is not installed$",
        ),
        (
            [asking("user", "used"), waiting("used", "nowhere")],
            "^pass 'used' requires 'nowhere', which is not installed$",
        ),
        (
            [asking("user", "used"), made_pass("used", nothing, None)],  # pyright: ignore[reportArgumentType]
            "^pass 'user' requires 'used', which takes no part in schedules$",
        ),
        (
            [asking("user", "used", phase=Phase.ARMS), waiting("used")],
            "'vyre.pass' @user of phase arms: requires '@used' of the later phase kernels",
        ),
        (
            [
                asking("user", "used"),
                made_pass("used", nothing, replace(ON_REQUEST, family=Family.MEGAKERNEL)),
            ],
            "pass 'user' requires 'used', which the profile 'release' rejects",
        ),
    ],
)
def test_a_requirement_that_cannot_be_met_names_both(
    monkeypatch: pytest.MonkeyPatch, passes: list[type[ModulePass]], message: str
) -> None:
    install(monkeypatch, *passes)
    with pytest.raises(PassFailedException, match=message):
        OptimizePass().run(CONTEXT, tiny())


def test_a_pass_of_another_package_may_require_one_of_vyre_on_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    acme = asking("acme", "vyre-unroll", "vyre-sroa")
    installed = {**registry.installed_passes(), "acme": lambda: acme}
    monkeypatch.setattr(registry, "installed_passes", lambda: installed)
    optimized = OptimizePass().run(CONTEXT, tiny())
    reasons = {op.sym_name.data: str(op.decision) for op in optimized.schedule.passes()}
    assert reasons["vyre-unroll"] == "required_dependency: acme"
    assert reasons["vyre-sroa"] == "required_dependency: acme"
    assert reasons["vyre-reassociate"] == "required_dependency: vyre-sroa"
    assert "__kernel" in compile_module(tiny(), context=CONTEXT).source
