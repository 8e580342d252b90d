"""What passes say of their changes: that there were any, and which facts hold no longer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Self

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.analysis.manager import Analysis, AnalysisManager
from vyre_dialect.ir.scheduling import Phase
from vyre_dialect.passes.memory.prove_accesses import ProveAccessesPass
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.schedule.registry import installed_passes, metadata_of
from vyre_dialect.runtime.program.compilation import load_module, make_context

ROOT = Path(__file__).parents[3]
PROGRAMS = sorted([*ROOT.glob("examples/*.mlir"), *ROOT.glob("benchmarks/programs/*.mlir")])
QUICK = ("xor_literal.mlir", "records.mlir")

OPTIONS: Mapping[str, Mapping[str, object]] = {
    "vyre-coarsen": {"items": 4, "groups": 8, "workgroup": 64},
    "vyre-vectorize": {"lanes": 4, "annotate": True},
    "vyre-form-work-item-loops": {"annotate": True},
    "vyre-decode-scan-fuse": {"annotate": True},
    "vyre-fuse-horizontally": {"small": 65536},
    "vyre-stage-tables": {"budget": 16384},
    "vyre-privatize-reductions": {"scope": "workgroup", "lanes": True},
    "vyre-unroll": {"loops": "all"},
    "vyre-push-down-predicates": {"annotate": True},
}
"""With which passes have more to do than by their defaults."""


class Known(Analysis):
    """A fact that rests on everything."""

    @classmethod
    def of_scope(cls, scope: Operation, facts: AnalysisManager) -> Self:
        return cls()


def rewrite_passes() -> list[type[RewritePass]]:
    """The passes that take part in schedules, in the order of their phases."""
    found = [(metadata_of(name), factory) for name, factory in installed_passes().items()]
    phased = [(tuple(Phase).index(said.phase), factory()) for said, factory in found if said]
    in_order = [each for _, each in sorted(phased, key=lambda pair: pair[0])]
    return [each for each in in_order if issubclass(each, RewritePass)]


def test_every_pass_of_vyre_says_whether_it_changed_anything() -> None:
    plain = {"vyre-optimize", "vyre-select-passes", "vyre-close-requirements"}
    plain |= {"vyre-materialize-schedule"}  # which change schedules, not programs
    silent = [
        name
        for name, factory in installed_passes().items()
        if name.startswith("vyre-") and not issubclass(factory(), RewritePass)
    ]
    assert set(silent) == plain


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=() if path.name in QUICK else pytest.mark.slow)
        for path in PROGRAMS
    ],
)
def test_passes_say_what_they_change(path: Path) -> None:
    """Each twice in a row, and all of them on what those before have left."""
    context = make_context()
    module = load_module(path, context)
    changed = set[str]()
    for each in rewrite_passes():
        for _ in range(2):
            changed |= {each.name} if _run(each(**OPTIONS.get(each.name, {})), module) else set()
    module.verify()
    assert "vyre-outline-kernels" in changed


def _run(pass_: RewritePass, module: ModuleOp) -> bool:
    facts, before = AnalysisManager(), module.clone()
    known = {root: facts.get(Known, root) for root in module.ops}
    copies = {root: root.clone() for root in known}
    try:
        said = pass_.rewrite(make_context(), module, facts)
    except PassFailedException:
        assert module.is_structurally_equivalent(before)
        return False
    assert said != module.is_structurally_equivalent(before), f"'{pass_.name}' says {said}"
    if not isinstance(pass_, ProveAccessesPass):  # whose marks no fact rests on
        kept = [root for root, fact in known.items() if facts.get(Known, root) is fact]
        changed = [root for root in kept if not root.is_structurally_equivalent(copies[root])]
        assert not changed, f"'{pass_.name}' tells nobody that it changed '{changed[0].name}'"
    return said
