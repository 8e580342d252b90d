"""What `vyre explain` advises works as it stands there, added to the command that said it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.devices import small_device
from support.explained import only

from examples.data import EXAMPLES
from vyre_dialect.runtime.cli import main

NAMES = ("base64_literal", "base64_patterns", "delta_filter", "hex_histogram", "xor_literal")

SLOW_NAMES = [pytest.param(name, marks=pytest.mark.slow) for name in NAMES]
PAIR = """
vyre.program @pair workgroup_size [4] {{
  %text = vyre.buffer @text : !vyre.buffer<4096xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<4096xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<8xi8, write_only>
  vyre.region "decode" invocations [4096] {{
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<4096xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<4096xi8, read_write>
  }}
  vyre.region "scan" invocations [8] {{
    %i = vyre.invocation_id x
    %step = arith.constant {step} : index
    %first = arith.muli %i, %step : index
    %bytes = vyre.load %decoded[%first] : !vyre.buffer<4096xi8, read_write> -> vector<{reads}xi8>
    %sum = vector.reduction <add>, %bytes : vector<{reads}xi8> into i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<8xi8, write_only>
  }}
}}
"""
PLAIN = PAIR.format(step=8, reads=8)
UNEVEN = PAIR.format(step=3, reads=4)
DEAR = """
vyre.program @mirrored workgroup_size [64] {
  %text = vyre.buffer @text : !vyre.buffer<4096xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<4096xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<4096xi8, write_only>
  vyre.region "decode" invocations [4096] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<4096xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<4096xi8, read_write>
  }
  vyre.region "scan" invocations [4096] {
    %i = vyre.invocation_id x
    %l = vyre.local_id x
    %g = vyre.workgroup_id x
    %last = arith.constant 63 : index
    %four = arith.constant 64 : index
    %first = arith.muli %g, %four : index
    %mirrored = arith.subi %last, %l : index
    %other = arith.addi %first, %mirrored : index
    %byte = vyre.load %decoded[%other] : !vyre.buffer<4096xi8, read_write> -> i8
    vyre.barrier
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<4096xi8, write_only>
  }
}
"""
"""A workgroup decodes what its scanners read from the other end: for one of them, far too much."""
LIBRARY = """
vyre.program @library {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<?xi8, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi32, read_write>
  vyre.decode.xor %text to %decoded key "a"
    : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
  vyre.scan.histogram %decoded bins %bins
    : !vyre.buffer<?xi8, read_write>, !vyre.buffer<256xi32, read_write>
}
"""
ONLY_FUSION = ("--stop-after", "vyre-decode-scan-fuse")
Explained = dict[str, Any]
Run = Callable[..., tuple[str, list[Explained]]]


@pytest.fixture
def explain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """
    Runs `vyre explain` where the one device has only ordinary memory; gives what it says in words,
    and of each handoff as data.
    """
    only(monkeypatch, small_device(1 << 15, has_own_local_mem=False))
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        Path(f"{name}.mlir").write_text((EXAMPLES / f"{name}.mlir").read_text())
    Path("dear.mlir").write_text(DEAR)
    Path("uneven.mlir").write_text(UNEVEN)
    Path("library.mlir").write_text(LIBRARY)

    def run(*arguments: str) -> tuple[str, list[Explained]]:
        command = ["explain", *arguments, *ONLY_FUSION]
        assert main(command) == 0
        words = capsys.readouterr().out
        assert main([*command, "--json"]) == 0
        return words, json.loads(capsys.readouterr().out)["handoffs"]

    return run


PIPELINE = "vyre-expand,vyre-decode-scan-fuse{local_memory=global steps=8 tile=0},canonicalize"
OTHERS = "vyre-coarsen{items=2},vyre-decode-scan-fuse{budget=20000}"


@pytest.mark.parametrize("given", [(), ("--options", OTHERS), ("-p", PIPELINE)], ids=str)
@pytest.mark.parametrize("name", ["dear", "uneven", *SLOW_NAMES])
def test_all_that_is_advised_takes_effect_as_it_is_typed(
    name: str, given: tuple[str, ...], explain: Run
) -> None:
    words, handoffs = explain(f"{name}.mlir", *given)
    advised = [(each["name"], advice) for each in handoffs for advice in each.get("advice", ())]
    typed = [line.partition(" with ")[2] for line in words.splitlines() if " with -" in line]
    assert [shlex.split(line) for line in typed] == [advice["arguments"] for _, advice in advised]
    assert all(each["fused"] or each["advice"] for each in handoffs)
    for handoff, advice in advised:
        _, after = explain(f"{name}.mlir", *given, *advice["arguments"])
        (found,) = (each for each in after if each["name"] == handoff)
        assert found["fused"]
        assert (found["memory_space"], found["bytes"]) == (advice["memory_space"], advice["bytes"])


def test_what_one_invocation_cannot_do_needs_advice(explain: Run) -> None:
    (handoff,) = explain("dear.mlir")[1]
    assert [each["memory_space"] for each in handoff["advice"]] == ["private", "workgroup"]


def test_what_asks_for_too_much_is_advised_to_ask_for_less(explain: Run) -> None:
    options = ("--options", "vyre-decode-scan-fuse{strategy=workgroup steps=1 tile=7}")
    words, (handoff,) = explain("uneven.mlir", *options)
    assert handoff["reason"] == "mismatched-tiles"
    assert "vyre-decode-scan-fuse{tile=0}" in [each["options"] for each in handoff["advice"]]
    for advice in handoff["advice"]:
        assert explain("uneven.mlir", *options, *advice["arguments"])[1][0]["fused"], words


def test_what_no_option_helps_gets_no_advice(explain: Run) -> None:
    Path("covered.mlir").write_text(PLAIN.replace("invocations [4096]", "invocations [7]"))
    words, (handoff,) = explain("covered.mlir")
    assert handoff["reason"] == "not-covered"
    assert handoff["advice"] == []
    assert "fuses in" not in words


def test_a_library_op_is_advised_to_be_expanded(explain: Run) -> None:
    _, (handoff,) = explain("library.mlir", "-p", "vyre-decode-scan-fuse")
    assert (
        handoff["detail"] == "'vyre.decode.xor' uses it, which is no arm: run 'vyre-expand' before"
    )
    _, (handoff,) = explain("library.mlir", "-p", "vyre-expand,vyre-decode-scan-fuse")
    assert handoff["fused"]


def test_a_kernel_is_advised_to_be_fused_before(explain: Run) -> None:
    outlining, fusing = "vyre-outline-kernels", "vyre-decode-scan-fuse"
    _, (handoff,) = explain("library.mlir", "-p", f"vyre-expand,{outlining},{fusing}")
    assert handoff["detail"].endswith("which is no arm: fuse before 'vyre-outline-kernels'")
    _, (handoff,) = explain("library.mlir", "-p", f"vyre-expand,{fusing},{outlining}")
    assert handoff["fused"]
