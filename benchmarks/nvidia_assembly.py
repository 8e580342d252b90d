"""
What the NVIDIA driver makes of an example's kernels: PTX, and (where `ptxas` is) SASS.

    python -m benchmarks.nvidia_assembly examples/xor_literal.mlir PIPELINE FOLDER
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import cast

import pyopencl as cl

from vyre_dialect.runtime.opencl.devices import choose_device, create_context_and_queue
from vyre_dialect.runtime.opencl.kernel_build import build_kernels
from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context


def main() -> None:
    """Run it from the command line."""
    path, pipeline, folder = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    device = choose_device("nvidia")
    context = make_context()
    compiled = compile_module(
        load_module(path, context),
        pipeline=pipeline,
        context=context,
        device=device.info,
    )
    program = build_kernels(create_context_and_queue(device)[0], device, compiled.source)
    (ptx,) = cast("list[bytes]", program.get_info(cl.program_info.BINARIES))
    stem = folder / path.stem
    stem.with_suffix(".cl").write_text(compiled.source)
    stem.with_suffix(".ptx").write_bytes(ptx.rstrip(b"\0"))
    cubin = stem.with_suffix(".cubin")
    command = ["ptxas", "-arch=sm_90", "-v", str(stem.with_suffix(".ptx")), "-o", str(cubin)]
    print(subprocess.run(command, capture_output=True, text=True, check=True).stderr)
    sass = subprocess.run(
        ["cuobjdump", "-sass", str(cubin)], capture_output=True, text=True, check=True
    )
    stem.with_suffix(".sass").write_text(sass.stdout)


if __name__ == "__main__":
    main()
