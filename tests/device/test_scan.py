"""`vyre scan` finds on every device what Python finds."""

from __future__ import annotations

import base64
import subprocess
import sys
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from support.scanning import PythonRuns, as_array, xor

from vyre_dialect.runtime.cli import main
from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.opencl.devices import Device, list_devices
from vyre_dialect.runtime.scanning.arrays import Offsets
from vyre_dialect.runtime.scanning.chain import parse_chain
from vyre_dialect.runtime.scanning.device_programs import DeviceRuns, ReferenceRuns, Runs, Text
from vyre_dialect.runtime.scanning.errors import FileError
from vyre_dialect.runtime.scanning.scanner import Matches, Scanner

LITERALS = (b"abab", b"b\n", b"a" * 40)
SIZES = (0, 1, 2, 3, 100, 1023, 1024, 1025, 5000)


def texts(sizes: tuple[int, ...]) -> list[bytes]:
    random = np.random.default_rng(3)
    pieces = np.array([b"ab", b"a" * 40, b"b\n", b"\xff", b"c"])
    return [b"".join(random.choice(pieces, size // 4 + 1).tolist())[:size] for size in sizes]


def check(runs: Runs, sizes: tuple[int, ...]) -> None:
    chain = parse_chain("base64,xor:key")
    files = [as_array(base64.encodebytes(xor(each, b"key"))) for each in texts(sizes)]
    files.insert(2, as_array(b"not base64"))
    expected = Scanner(chain, PythonRuns(LITERALS)).scan(files)
    for _ in range(2):  # the second time, memory has been used before
        for found, wanted in zip(Scanner(chain, runs).scan(files), expected, strict=True):
            if isinstance(wanted, FileError):
                assert str(found) == str(wanted)
                continue
            assert isinstance(found, Matches)
            assert found.text == wanted.text
            for name in ("decoded", "encoded", "which"):
                np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))


@pytest.mark.slow
def test_files_side_by_side_have_their_own_matches(device: Device):
    check(DeviceRuns(device, LITERALS), SIZES)


def test_the_interpreter_finds_the_same():
    check(ReferenceRuns(LITERALS), (0, 3, 100))


def test_a_file_that_is_scanned_where_it_was_read(device: Device, tmp_path: Path):
    """A large one is not copied."""
    from vyre_dialect.runtime.scanning.reading import read_named

    data = (b"x" * 999 + b"\n") * 2000 + b"abab"
    (tmp_path / "large").write_bytes(data)
    runs = DeviceRuns(device, LITERALS)
    (found,) = Scanner((), runs).scan([read_named(str(tmp_path / "large"), runs.most_bytes)])
    assert isinstance(found, Matches)
    assert found.decoded.tolist() == [len(data) - 4]


@pytest.mark.device
def test_standard_input_is_read():
    scan = subprocess.run(
        [str(Path(sys.executable).with_name("vyre")), "scan", "--literal", "abab", "-"],
        input=b"\nabab\n",
        capture_output=True,
    )
    assert (scan.returncode, scan.stdout) == (0, b"-:1:1:abab\n")


@pytest.mark.slow
@pytest.mark.device
def test_many_files_take_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    from vyre_dialect.runtime.opencl.executor import Executor

    runs = list[str]()
    started = Executor.start

    def counted(self: Executor, *given: object, **more: object) -> object:
        runs.append(self.compiled.name)
        return started(self, *given, **more)  # pyright: ignore[reportArgumentType]

    for number in range(300):
        (tmp_path / f"{number:03}").write_bytes(base64.b64encode(b"x" * number + b"abab"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Executor, "start", counted)
        assert main(["scan", "--decode", "base64", "--literal", "abab", str(tmp_path)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 300
    assert runs == ["decode", "locate"]


@pytest.mark.slow
@pytest.mark.device
@pytest.mark.parametrize("failing", [None, 0, 1])
def test_devices_share_files_and_take_those_of_one_that_fails(
    failing: int | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    from vyre_dialect.runtime.scanning import batches

    devices = [device for device in list_devices() if not device.info.simulator]
    if len(devices) < 2:
        pytest.skip("one device is nobody to share with")
    for number in range(60):
        data = b"." * number + b"abab"
        (tmp_path / f"{number:02}").write_bytes(base64.b64encode(data))
    monkeypatch.setattr(batches, "BATCH_FILES", 3)
    lost = None if failing is None else devices[failing].info.label
    locate, has_failed = DeviceRuns.locate, Event()

    def failing_locate(self: DeviceRuns, text: Text) -> tuple[Offsets, Offsets]:
        if self.name == lost:
            has_failed.set()
            raise DeviceError("lost")
        assert lost is None or has_failed.wait(300)
        return locate(self, text)

    monkeypatch.setattr(DeviceRuns, "locate", failing_locate)
    arguments = ["scan", "--devices", "all", "--decode", "base64", "--literal", "abab"]
    assert main([*arguments, str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert [line.split(":")[1] for line in said.out.splitlines()] == list(map(str, range(60)))
    assert said.err == (
        "" if lost is None else f"vyre: warning: {lost} failed, others go on: lost\n"
    )


LOADED = """
import sys
from vyre_dialect.runtime.cli import main
status = main(sys.argv[1:])
unwanted = "vyre_dialect.builder", "vyre_dialect.passes.expansions", "vyre_dialect.dialect", "islpy"
print(status, *sorted(name for name in sys.modules if name.startswith(unwanted)), file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [(), pytest.param(("--decode", "base64,xor:key"), marks=pytest.mark.slow)],
    ids=["plain", "decoded"],
)
def test_the_second_scan_makes_no_program(
    options: tuple[str, ...], device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """It is not even written down: what was made of the same literals and decoders is taken."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.delenv("VYRE_NO_CACHE", raising=False)
    text = base64.b64encode(xor(b"..abab", b"key")) if options else b"..abab"
    (tmp_path / "text").write_bytes(text)
    arguments = ["scan", "--literal", "abab", "--count", "--device", device.info.name, *options]
    outputs = list[str]()
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", LOADED, *arguments, str(tmp_path / "text")],
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.append(done.stderr.splitlines()[-1])
        assert done.stdout.strip().endswith("1")
    assert outputs[0].startswith("0 ") and "vyre_dialect.builder" in outputs[0].split()
    assert outputs[1] == "0"


@pytest.mark.slow
def test_what_is_kept_of_other_literals_is_not_taken(device: Device):
    for literals, expected in (((b"ab",), [0, 3]), ((b"ab", b"xab"), [0, 2, 3]), ((b"b",), [1, 4])):
        for _ in range(2):
            (found,) = Scanner((), DeviceRuns(device, literals)).scan([as_array(b"abxab")])
            assert isinstance(found, Matches)
            assert found.decoded.tolist() == expected
