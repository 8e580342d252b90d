"""The demo measures what it says and notices a wrong answer."""

import re
from dataclasses import replace

import numpy as np
import pytest
from support.documents import ROOT, blocks_of
from xdsl.dialects.builtin import UnitAttr

from examples import demo
from examples.data import (
    EXAMPLES,
    Example,
    count,
    encode,
    load_example,
    standard_library_tar,
)
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.runtime.opencl.devices import Device, choose_device
from vyre_dialect.runtime.opencl.results import ArmTiming, RunResult


@pytest.fixture
def default_device(device: Device) -> Device:
    """The device that the demo takes, once."""
    if device != choose_device():
        pytest.skip("the demo takes the default device")
    return device


@pytest.fixture
def small_input(monkeypatch: pytest.MonkeyPatch) -> bytes:
    data = standard_library_tar(0)[:60_000]
    monkeypatch.setattr(demo, "standard_library_tar", lambda: data)
    monkeypatch.setattr(demo, "ROUNDS", 1)
    return data


@pytest.mark.slow
def test_the_input_is_large_and_always_the_same() -> None:
    tar = standard_library_tar(20 << 20)
    assert len(tar) >= 20 << 20
    assert tar == standard_library_tar(20 << 20)
    assert b"class TarInfo(object):" in tar


@pytest.mark.slow
@pytest.mark.usefixtures("small_input")
def test_every_answer_is_right(default_device: Device, capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.main() == 0
    out = capsys.readouterr().out
    assert "all 5 answers equal Python's own" in out
    assert "base64_literal, unfused" in out
    assert "decode.xor+scan.literal" in out
    fused = set(re.findall(r"^  (\w+), fused ", out, re.MULTILINE))
    refused = set(re.findall(r"^  (\w+), not fused: [a-z]", out, re.MULTILINE))
    assert "xor_literal" in fused
    assert fused.isdisjoint(refused)
    assert len(fused | refused) == 5
    said = [line for line in out.splitlines() if line.startswith("not fused: ")]
    assert refused == {name for line in said for name in refused if name in line}
    if not default_device.info.has_own_local_mem:
        assert row_titles(out) == row_titles(shown_in_readme())


def shown_in_readme() -> str:
    """What its page shows of the demo, on a device without workgroup memory of its own."""
    blocks = (block for _, block in blocks_of(ROOT / "docs" / "demo.md"))
    return next(block for block in blocks if block.startswith("17.6 MB"))


def row_titles(out: str) -> list[list[str]]:
    """The words of a table and below it, without the numbers, and what they led to."""
    lines = out.partition("equal Python's own")[0].splitlines()[1:]
    return [
        [word for word in line.split() if not re.fullmatch(r"[0-9.]+|-", word)]
        for line in lines
        if not line.startswith("slower fused this time: ")
    ]


@pytest.mark.slow
def test_the_reason_is_that_of_the_compiler(device: Device, small_input: bytes) -> None:
    example = load_example(EXAMPLES / "xor_literal.mlir", small_input)
    for buffer in example.module.walk():
        if isinstance(buffer, BufferOp) and buffer.sym_name.data == "decoded":
            buffer.live_out = UnitAttr()
            buffer.initial = None
    measured = demo.measure(example, device, rounds=1)
    assert list(measured.runs) == ["unfused"]
    assert [each.reason for each in measured.refusals] == ["live-out"]
    assert any(row[0] == "xor_literal, not fused: live-out" for row in demo.rows(measured))


@pytest.mark.usefixtures("default_device", "small_input")
def test_a_wrong_answer_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def load(data: bytes) -> list[Example]:
        example = load_example(EXAMPLES / "xor_literal.mlir", data)
        return [replace(example, expected={"count": np.array([-1], np.int32)})]

    monkeypatch.setattr(demo, "load_examples", load)
    assert demo.main() == 1
    out = capsys.readouterr().out
    assert re.search(r"xor_literal, unfused: 'count' is \[[0-9]+\], expected \[-1\]", out)
    assert "equal Python's own" not in out


@pytest.mark.slow
def test_variants_take_turns(device: Device, small_input: bytes) -> None:
    example = load_example(EXAMPLES / "xor_literal.mlir", small_input)
    runs = demo.measure(example, device, rounds=3).runs
    assert list(runs) == list(demo.VARIANTS)
    assert [run.repeats for run in runs.values()] == [3] * len(runs)


@pytest.mark.parametrize(
    ("unfused", "fused", "speedup"), [(300, 100, "3.00"), (200, 200, "1.00"), (300, None, "")]
)
def test_fused_runs_are_compared_with_unfused_ones(
    unfused: int | None, fused: int | None, speedup: str
) -> None:
    example = load_example(EXAMPLES / "xor_literal.mlir", b"text")
    runs = {
        variant: RunResult("p", "d", (ArmTiming("arm", time, 1),), {}, 1)
        for variant, time in (("unfused", unfused), ("fused", fused))
    }
    shown = {row[0]: row[-1] for row in demo.rows(demo.Measured(example, runs))}
    name = example.name
    assert (shown[f"{name}, unfused"], shown[f"{name}, fused"]) == ("", speedup)


@pytest.mark.parametrize(
    ("data", "pattern", "expected"),
    [
        (b"", b"a", 0),
        (b"aaaa", b"aa", 3),
        (b"abababa", b"aba", 3),
        (b"abcabcab", b"abc", 2),
        (b"selfself", b"self", 2),
    ],
)
def test_overlapping_places_are_counted(data: bytes, pattern: bytes, expected: int) -> None:
    assert count(data, pattern) == expected


def test_deltas_are_coded_by_the_book() -> None:
    from vyre_dialect.ops.decode import DeltaOp

    module = load_example(EXAMPLES / "delta_filter.mlir", b"").module
    (decoder,) = [op for op in module.walk() if isinstance(op, DeltaOp)]
    values = np.array([5, 4, 6, 6, -3], np.int32)
    # The first value itself, then zigzag: -1 is 1, +2 is 4, 0 is 0, -9 is 17.
    assert encode(decoder, values).tolist() == [5, 1, 4, 0, 17]
