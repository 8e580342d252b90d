"""What lies in the current folder is not what OpenCL runtimes go by, and not run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import command_line, process

from vyre_dialect.runtime.opencl.current_folder import leave_current_folder
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.waiting import awaited

alone = pytest.mark.skipif(
    not awaited(leave_current_folder), reason="threads share a folder here: it is refused"
)
FORBIDDEN = "import vyre_dialect.runtime.opencl.current_folder as it; it._CLONE_FS = -1; "
"""What a sandbox does that forbids threads a folder of their own."""

# Where math is relaxed, no number is NaN.
NANS = """
vyre.program @nans {
  %values = vyre.buffer @values : !vyre.buffer<?xf32, read_only>
  %marks = vyre.buffer @marks live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "mark" invocations [4] {
    %i = vyre.invocation_id x
    %value = vyre.load %values[%i] : !vyre.buffer<?xf32, read_only> -> f32
    %is_nan = arith.cmpf uno, %value, %value : f32
    %mark = arith.extui %is_nan : i1 to i32
    vyre.store %mark, %marks[%i] : i32, !vyre.buffer<4xi32, read_write>
  }
}
"""
RUN = """
import json, sys
import numpy as np
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.opencl.devices import list_devices
from vyre_dialect.runtime.program.compilation import make_context, parse_module
device = next(each for each in list_devices() if each.info.label == sys.argv[1])
given = {"values": np.array([np.nan, 1, np.nan, 1], dtype=np.float32)}
outputs = run_module(parse_module(sys.argv[2], make_context()), given, device=device).outputs
print(json.dumps(outputs["marks"].tolist()))
"""


def marks_in(folder: Path, device: Device, cache: Path) -> list[int]:
    """What a process in a folder computes that has kept no kernels before."""
    run = [sys.executable, "-P", "-c", RUN, device.info.label, NANS]
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    done = subprocess.run(
        run, cwd=folder, env=environment, check=True, capture_output=True, timeout=120
    )
    return json.loads(done.stdout)


@alone
@pytest.mark.slow
def test_no_file_of_it_configures_a_runtime(device: Device, tmp_path: Path) -> None:
    folder, cache = tmp_path / "folder", tmp_path / "cache"
    folder.mkdir()
    log = tmp_path / "log"
    settings = ("USE_FAST_RELAXED_MATH = True", "USER_LOGGER = True", f"LOG_FILE = {log}")
    (folder / "cl.cfg").write_text("".join(f"CL_CONFIG_{each}\n" for each in settings))
    for where in (folder, tmp_path):  # and nothing of that is kept
        assert marks_in(where, device, cache) == [1, 0, 1, 0]
    assert [path.name for path in folder.iterdir()] == ["cl.cfg"]
    assert not list(tmp_path.glob("log*"))


@alone
@pytest.mark.slow
def test_no_file_of_it_is_waited_for(device: Device, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "cl.cfg")
    assert marks_in(tmp_path, device, tmp_path / "cache") == [1, 0, 1, 0]


@alone
@pytest.mark.slow
@pytest.mark.parametrize("library", ["librt.so.1", "libz.so.1", "libgcc_s.so.1", "libm.so.6"])
def test_no_library_of_it_is_loaded(device: Device, tmp_path: Path, library: str) -> None:
    for folder in (tmp_path, tmp_path / "tls"):
        folder.mkdir(exist_ok=True)
        (folder / library).write_text("no library: who loads it fails")
    assert marks_in(tmp_path, device, tmp_path / "cache") == [1, 0, 1, 0]


def test_a_folder_is_refused_where_threads_have_none_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "nans.mlir").write_text(NANS)
    (tmp_path / "cl.cfg").touch()
    run = ("run", "nans.mlir", "--input", "values=hex:0000c07f")
    refused = process(*run, cwd=tmp_path, before=FORBIDDEN)
    refusal = "the current folder has 'cl.cfg', which OpenCL runtimes read: change to another one"
    assert (refused.returncode, refused.stderr) == (1, f"vyre: error: {refusal}\n")
    done = process(*run, "--device", "reference", cwd=tmp_path, before=FORBIDDEN)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("given", ["text:0000c07f", "hex:0000c07f", "zeros:8", "random:8:1"])
def test_data_on_the_command_line_is_no_file_of_it(tmp_path: Path, given: str) -> None:
    (tmp_path / "nans.mlir").write_text(NANS)
    os.mkfifo(tmp_path / given)
    run = command_line("run", "nans.mlir", "--input", f"values={given}")
    subprocess.run(run, cwd=tmp_path, check=True, timeout=120)
