"""
Fused against unfused, on one device, in one process.

    python -m benchmarks.fusion --device gpu --mib 256 --output benchmarks/results/fusion-gpu.json

Every variant of a program runs once per round, so that drift hits all alike; the figures are
medians of event timings over the rounds, with the quartiles beside them. Answers are compared
with Python's own in every round.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median, quantiles

from xdsl.context import Context

from benchmarks.rounds import Rounds
from benchmarks.workloads import MAKERS, Workload, make
from vyre_dialect.ir.byte_strings import (
    byte_string_attr,
)
from vyre_dialect.ir.types import sizes_attr
from vyre_dialect.ops.literals import LiteralOp
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.opencl.devices import Device, choose_device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import (
    CompiledProgram,
    compile_module,
    load_module,
    make_context,
)
from vyre_dialect.runtime.program.pipelines import KERNEL_PASSES

FUSE = "vyre-decode-scan-fuse"
STRATEGIES = ("unfused", "auto", "workgroup", "private")


@dataclass(frozen=True)
class Variant:
    """One way to compile a program."""

    strategy: str
    workgroup_size: int

    @property
    def pipeline(self) -> str:
        fuse = "" if self.strategy == "unfused" else f"{FUSE}{{strategy={self.strategy}}},"
        return f"vyre-expand,{fuse}{KERNEL_PASSES}"

    def __str__(self) -> str:
        return f"{self.strategy}/{self.workgroup_size}"


def measure(
    workload: Workload, variants: list[Variant], device: Device, rounds: int
) -> dict[str, list[int]]:
    """Kernel times in ns of each variant, per round, warm-up left out."""
    context, session = make_context(), Session(device)
    executors = {
        str(variant): Executor(_compiled(workload, variant, context, device), session)
        for variant in variants
    }
    inputs = {"encoded": workload.encoded}
    measured = Rounds(workload.name, inputs, workload.expected, session, executors)
    measured.run(rounds)
    return {name: measured.times[name] for name in executors}


def _compiled(
    workload: Workload, variant: Variant, context: Context, device: Device
) -> CompiledProgram:
    module = load_module(workload.path, context)
    program = find_program(module)
    program.workgroup_size = sizes_attr([variant.workgroup_size])
    for op in program.walk():
        if isinstance(op, LiteralOp):
            op.literal = byte_string_attr(workload.literal)
    return compile_module(module, pipeline=variant.pipeline, context=context, device=device.info)


def _summary(workload: Workload, times: dict[str, list[int]]) -> Iterator[dict[str, object]]:
    size = workload.encoded.nbytes
    for name, each in times.items():
        low, middle, high = quantiles(each, n=4)
        yield {
            "workload": workload.name,
            "variant": name,
            "kernel_ns": median(each),
            "quartiles_ns": [low, high],
            "gb_per_s": round(size / middle, 2),
        }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Fused against unfused, on one device.")
    parser.add_argument("--device", help="as for 'vyre run'")
    parser.add_argument("--mib", type=int, default=64, help="encoded input, in MiB")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--literal", default="self", help="what the literal scans look for")
    parser.add_argument("--only", nargs="*", choices=list(MAKERS), default=list(MAKERS))
    parser.add_argument("--strategies", nargs="*", choices=STRATEGIES, default=list(STRATEGIES))
    parser.add_argument("--workgroups", nargs="*", type=int, default=[64])
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    return parser.parse_args()


def main() -> None:
    """Run it from the command line."""
    arguments = _arguments()
    device = choose_device(arguments.device)
    variants = [
        Variant(strategy, size)
        for size in arguments.workgroups
        for strategy in arguments.strategies
    ]
    rows = list[dict[str, object]]()
    for name in arguments.only:
        workload = make(name, arguments.mib << 20, arguments.literal.encode())
        found = list(_summary(workload, measure(workload, variants, device, arguments.rounds)))
        rows += found
        for row in found:
            print(f"{name:16} {row['variant']!s:14} {row['gb_per_s']!s:>9} GB/s", flush=True)
    record = {
        "date": datetime.now(UTC).date().isoformat(),
        "device": device.info.name,
        "platform": device.info.platform,
        "driver": device.info.driver,
        "versions": {name: version(name) for name in ("xdsl", "pyopencl", "islpy", "numpy")},
        "literal": arguments.literal,
        "encoded_mib": arguments.mib,
        "rounds": arguments.rounds,
        "rows": rows,
    }
    if arguments.output is not None:
        arguments.output.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
