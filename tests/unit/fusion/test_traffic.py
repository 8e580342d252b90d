"""After fusion nobody loads or stores the handoff in global memory."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from support.example_data import encoded_text
from support.fusion import fused
from support.generated.arms import Arm, Handoff
from support.generated.cases import Case
from support.generated.places import Index, Size, Touch
from support.generated.programs import STRATEGIES
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.passes.fusion.tiling.options import Options, Strategy
from vyre_dialect.runtime.interpreter import ObservedAccess, interpret
from vyre_dialect.runtime.program.compilation import apply_pipeline, load_module, make_context
from vyre_dialect.runtime.program.pipelines import REFERENCE

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.mlir"))
TEXT = (Path(__file__).read_bytes() * 3)[:4608]
N = 1000


class _Traffic:
    """Counts the elements that are touched in global memory, by name of the buffer."""

    def __init__(self) -> None:
        self.elements = Counter[str]()

    def begin_arm(self, arm: int, op: Operation) -> None:
        """Every arm counts."""

    def access(self, access: ObservedAccess) -> None:
        if access.buffer.type.space == MemorySpace.GLOBAL:
            self.elements[access.name] += int(np.count_nonzero(access.in_bounds))

    def end_run(self) -> None:
        """Nothing is left to count."""


def _traffic(module: ModuleOp, inputs: dict[str, npt.NDArray[np.generic]]) -> Counter[str]:
    traffic = _Traffic()
    interpret(module, inputs, observer=traffic)
    return traffic.elements


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_handoff_of_an_example_stays_out_of_global_memory(path: Path) -> None:
    context = make_context()
    before = load_module(path, context)
    inputs = {"encoded": encoded_text(before, TEXT)}
    apply_pipeline(before, REFERENCE, context)
    after, outcome = fused(before, Options())
    unfused, traffic = _traffic(before, inputs), _traffic(after, inputs)
    assert "decoded" in outcome.promoted
    assert unfused["decoded"] >= 2 * len(TEXT) // 4
    assert traffic["decoded"] == 0
    assert traffic.total() < unfused.total()


def _pair(halo: int) -> Case:
    reads = tuple(("decoded", Touch(Index(offset=k))) for k in range(halo + 1))
    return Case(
        (
            Arm("decode", Size(), writes=(("decoded", Touch(Index())),)),
            Arm("scan", Size(), reads=reads),
        ),
        (Handoff("decoded", Size()),),
        n=N,
    )


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("halo", [0, 1, 3])
def test_only_the_halo_is_decoded_again(halo: int, strategy: Strategy) -> None:
    case = _pair(halo)
    module = case.module()
    after, outcome = fused(module, Options(strategy))
    assert list(outcome.promoted) == ["decoded"]
    traffic = _traffic(after, case.inputs())
    tile = re.search(r"buffer<(\d+)xi8, read_write, workgroup>", str(after))
    share = 1 if tile is None else 1 << (int(tile[1]) - halo).bit_length() - 1
    again = sum(min(halo, N - last) for last in range(share, N, share))
    assert traffic["decoded"] == 0
    assert traffic["input_decoded"] == N + again
