"""
Writes launches of examples and generated programs, with their PTX, for `cuda_driver.py`.

    PYTHONPATH=tests:. python tests/support/record_launches.py LAUNCHES [PROGRAMS]

where MLIR's tools are; then `python tests/support/cuda_driver.py LAUNCHES`, where a GPU is.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from support.example_data import encoded_text, matching_text
from support.fusion import is_defined
from support.generated.drawing import for_each
from support.generated.programs import Sample, programs
from support.gpu_launches import launches_of
from support.mlir_tools import ptx_of
from vyre_dialect.lowering.mlir.target import print_module
from vyre_dialect.runtime.program.compilation import apply_pipeline, load_module, make_context

ROOT = Path(__file__).parents[2]
CONTEXT = make_context()
PIPELINES = (
    "vyre-expand,vyre-outline-kernels,canonicalize",
    "vyre-expand,vyre-decode-scan-fuse,vyre-outline-kernels,canonicalize,vyre-prove-accesses",
    "vyre-optimize",
)
TEXT_BYTES = 100_000


def recorded(
    name: str, module: ModuleOp, inputs: Mapping[str, Any], pipeline: str
) -> Iterator[dict[str, Any]]:
    """The launches of a program, as `cuda_driver.py` takes them."""
    lowered = module.clone()
    apply_pipeline(lowered, pipeline, CONTEXT)
    text = print_module(lowered)
    ptx = ptx_of(text) if "gpu.func" in text else ""
    for launch in launches_of(lowered, inputs):
        if min(launch.grid) == 0 or any(each.kind == "f" for each in launch.dtypes):
            continue  # of a NaN, only that it is one is specified
        yield {
            **{"name": name, "ptx": ptx, "kernel": launch.kernel},
            **{"grid": launch.grid, "workgroup": launch.workgroup},
            "arguments": [
                each if isinstance(each, int) else each.tobytes() for each in launch.arguments
            ],
            "results": [each.tobytes() for each in launch.results if each is not None],
        }


def launches(count: int) -> list[dict[str, Any]]:
    """Those of all examples, and of so many generated programs."""
    found = list[dict[str, Any]]()
    for path in sorted((ROOT / "examples").glob("*.mlir")):
        module = load_module(path, CONTEXT)
        inputs = {"encoded": encoded_text(module, matching_text(TEXT_BYTES))}
        for pipeline in PIPELINES:
            found += recorded(path.stem, module, inputs, pipeline)

    def each(sample: Sample) -> None:
        if is_defined(sample.module, sample.inputs):  # a race has more than one result
            found.extend(recorded("generated", sample.module, sample.inputs, PIPELINES[1]))

    for_each(programs(), each, examples=count)
    return found


def main() -> None:
    """Write the file."""
    path, count = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 50
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(launches(count)))


if __name__ == "__main__":
    main()
