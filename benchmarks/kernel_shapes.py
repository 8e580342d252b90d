"""
The examples in the forms that passes can give their kernels, next to what memory allows.

    python -m benchmarks.kernel_shapes --device gpu --mib 512 --forms --output shapes.json

All forms of an example run once per round on the same input in the same memory, after a plain
read and a plain copy of it, so that drift and placement hit all alike; `--reallocate` moves all
memory before each round instead. Every answer of every round is compared with Python's own.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from statistics import quantiles
from typing import get_args

from benchmarks.records import Row
from benchmarks.rounds import Rounds
from benchmarks.workloads import EXAMPLES, MAKERS, PLAIN, Workload, make
from vyre_dialect.ir.byte_strings import (
    byte_string_attr,
)
from vyre_dialect.ir.types import sizes_attr
from vyre_dialect.ops.literals import LiteralOp
from vyre_dialect.passes.schedule.materialize_schedule import ProfileName
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.opencl.devices import Device, choose_device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context
from vyre_dialect.runtime.program.pipelines import KERNEL_PASSES

DEFAULT_WORKGROUP = 128
"""Invocations of a workgroup, as the examples state them."""
LEAST_ROUNDS = 15
LARGE_BUDGET = 40960
"""Bytes of workgroup memory for tiles that are larger than usual, with room for sums."""
UNSTEADY = 1.6
"""A form whose slowest round takes so many times its fastest one says little."""


@dataclass(frozen=True)
class Form:
    """What passes make of an example, apart from those that all kernels go through."""

    fuse: str | None = None
    """The strategy of fusion."""
    tile: int = 0
    """Elements of the handoff per tile, if not as many as the planner takes."""
    workgroup: int = 128
    items: int = 1
    order: str = "strided"
    groups_per_unit: int = 0
    """Workgroups of a persistent grid for each compute unit of the device."""
    aggregate: str | None = None
    """The scope of aggregation."""
    copies: int = 1
    values: bool = False
    """Whether private tiles become values, and the interior is told from the tail."""
    stage: bool = False
    """Whether tables go to workgroup memory."""
    choices: tuple[str, ...] = ()
    """Parameters of library ops, as `vyre-expand` takes them."""

    def pipeline(self, units: int) -> str:
        """The passes, on a device with so many compute units."""
        choices = ",".join(f'"{choice}"' for choice in self.choices)
        passes = [f"vyre-expand{{choices={choices}}}" if choices else "vyre-expand"]
        if self.fuse is not None:
            tile = f" tile={self.tile} budget={LARGE_BUDGET}" if self.tile else ""
            passes.append(f"vyre-decode-scan-fuse{{strategy={self.fuse}{tile}}}")
        if self.items > 1 or self.groups_per_unit:
            groups = self.groups_per_unit * units
            passes.append(f"vyre-coarsen{{items={self.items} order={self.order} groups={groups}}}")
        if self.aggregate is not None:
            passes.append(
                f"vyre-privatize-reductions{{scope={self.aggregate} copies={self.copies}}}"
            )
        if self.stage:
            passes.append(f"vyre-stage-tables{{budget={LARGE_BUDGET}}}")
        if self.values:
            passes += ["vyre-unroll,vyre-sroa,canonicalize,vyre-cse,vyre-split-index-sets"]
        return ",".join([*passes, KERNEL_PASSES])

    def __str__(self) -> str:
        parts = [self.fuse or "unfused", f"wg{self.workgroup}"]
        parts += [f"tile{self.tile}"] if self.tile else []
        parts += [f"items{self.items} {self.order}"] if self.items > 1 else []
        parts += [f"groups{self.groups_per_unit}/unit"] if self.groups_per_unit else []
        parts += [f"per {self.aggregate}"] if self.aggregate is not None else []
        parts += [f"copies{self.copies}"] if self.copies > 1 else []
        parts += ["tables"] if self.stage else []
        parts += ["values"] if self.values else []
        parts += self.choices
        return " ".join(parts)


PLAIN_FORMS = (Form(), Form("auto"))
"""Neither coarsened nor aggregated: what the others are to beat."""
SUMS = (
    *PLAIN_FORMS,
    Form("auto", aggregate="workgroup"),
    Form("private", groups_per_unit=16, aggregate="workgroup"),
    Form("private", groups_per_unit=32, aggregate="workgroup"),
    Form("private", groups_per_unit=32, aggregate="workgroup", values=True),
    Form("private", workgroup=256, groups_per_unit=8, aggregate="workgroup", values=True),
    Form("private", groups_per_unit=32, aggregate="invocation"),
    Form("workgroup", groups_per_unit=16, aggregate="workgroup"),
    Form("workgroup", workgroup=512, groups_per_unit=4, aggregate="workgroup"),
    Form("workgroup", workgroup=512, groups_per_unit=32, aggregate="workgroup"),
    Form("workgroup", workgroup=512, groups_per_unit=4, aggregate="workgroup", values=True),
    Form("private", items=4, aggregate="workgroup", values=True),
    Form("private", items=2, order="blocked", groups_per_unit=32, aggregate="workgroup"),
    Form(groups_per_unit=32, aggregate="workgroup"),
)
STATES = "counters=state"
TABLES = (
    *PLAIN_FORMS,
    Form("private", aggregate="workgroup"),
    Form("private", groups_per_unit=16, aggregate="workgroup"),
    Form("private", workgroup=512, groups_per_unit=4, aggregate="workgroup"),
    Form("private", workgroup=512, groups_per_unit=4, aggregate="workgroup", copies=4),
    Form("private", workgroup=512, groups_per_unit=4, aggregate="workgroup", values=True),
    Form("workgroup", groups_per_unit=16, aggregate="workgroup"),
    Form("workgroup", workgroup=512, groups_per_unit=4, aggregate="workgroup"),
    Form(groups_per_unit=16, aggregate="workgroup"),
    *(
        Form("workgroup", items=4, aggregate="workgroup", stage=stage, choices=(STATES, chunk))
        for chunk in ("chunk=80", "chunk=128", "chunk=144")
        for stage in (False, True)
    ),
    Form("private", items=4, aggregate="workgroup", stage=True, choices=(STATES, "chunk=48")),
    Form(items=4, aggregate="workgroup", stage=True, choices=(STATES, "chunk=80")),
)
BINS = (
    *PLAIN_FORMS,
    *(Form("auto", groups_per_unit=groups, aggregate="workgroup") for groups in (4, 8, 16)),
    Form("auto", items=8, aggregate="workgroup"),
    Form("auto", groups_per_unit=8, aggregate="workgroup", values=True),
    Form(groups_per_unit=16, aggregate="workgroup"),
)
FORMS: dict[str, tuple[Form, ...]] = {
    "base64_literal": SUMS,
    "base64_patterns": TABLES,
    "hex_histogram": BINS,
    "xor_literal": SUMS,
    "delta_filter": (
        *SUMS,
        Form("workgroup", tile=8192, workgroup=64, aggregate="workgroup"),
        Form("workgroup", tile=8192, workgroup=64, groups_per_unit=4, aggregate="workgroup"),
        Form("workgroup", tile=4096, workgroup=32, groups_per_unit=8, aggregate="workgroup"),
        Form(items=4, aggregate="workgroup", choices=("values=4",)),
        Form(groups_per_unit=16, aggregate="workgroup", choices=("values=4",)),
        *(
            Form("auto", items=4, aggregate="workgroup", choices=(values,))
            for values in ("values=4", "values=8", "values=16")
        ),
        Form("auto", groups_per_unit=32, aggregate="workgroup", choices=("values=8",)),
        Form("auto", groups_per_unit=32, aggregate="workgroup", values=True, choices=("values=8",)),
    ),
}
"""The forms of each example that are worth a look."""


class Builder:
    """Builds an example in its forms, for one device."""

    def __init__(self, name: str, literal: bytes, session: Session):
        self._name, self._session = name, session
        self._context = make_context()
        self._module = load_module(EXAMPLES / f"{name}.mlir", self._context)
        for op in self._module.walk():
            if isinstance(op, LiteralOp):
                op.literal = byte_string_attr(literal)
        self.executors: dict[str, Executor] = {}

    def add(
        self,
        name: str,
        pipeline: str | None,
        workgroup: int,
        optimize: OptimizePass | None = None,
    ) -> None:
        """
        Build a form, without a pipeline what `vyre run` would take, also with what `optimize` says
        otherwise. One that the device or a pass refuses is named and left out.
        """
        find_program(self._module).workgroup_size = sizes_attr([workgroup])
        try:
            compiled = compile_module(
                self._module,
                pipeline=pipeline,
                optimize=optimize,
                context=self._context,
                device=self._session.device.info,
            )
            self.executors[name] = Executor(compiled, self._session)
        except VyreError as error:
            print(f"{self._name}: '{name}' is left out: {error}", flush=True)


def figures(workload: Workload, times: Mapping[str, Sequence[int]], data: str) -> Iterator[Row]:
    """The figures of each form, by what it took in each round."""
    size, read_ns = workload.encoded.nbytes, min(times["plain read"])
    for name, each in times.items():
        low, middle, high = quantiles(each, n=4)
        yield {
            "workload": workload.name,
            "data": data,
            "form": name,
            "kernel_ns": middle,
            "quartiles_ns": [low, high],
            "slowest_over_fastest": round(max(each) / min(each), 2),
            "gb_per_s": round(size / middle, 2),
            "share_of_plain_read": round(read_ns / middle, 3),
        }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Forms of kernels on one device.")
    parser.add_argument("--device", help="as for 'vyre run'")
    parser.add_argument("--mib", type=int, default=64, help="encoded input, in MiB")
    parser.add_argument("--rounds", type=int, default=LEAST_ROUNDS)
    parser.add_argument("--literal", default="self", help="what the literal scans look for")
    parser.add_argument("--only", nargs="*", choices=list(MAKERS), default=list(MAKERS))
    parser.add_argument("--data", nargs="*", choices=list(PLAIN), default=list(PLAIN))
    parser.add_argument("--forms", action="store_true", help="the forms of the table, too")
    parser.add_argument("--workgroups", nargs="*", type=int, help="instead of the table's own")
    parser.add_argument("--pipeline", nargs="*", default=[], help="whole pipelines to add")
    parser.add_argument("--options", nargs="*", default=[], help="options of passes to try")
    parser.add_argument(
        "--profiles",
        nargs="*",
        choices=get_args(ProfileName),
        default=["release"],
        help="to try options by",
    )
    parser.add_argument("--reallocate", action="store_true", help="fresh memory in each round")
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    return parser.parse_args()


def _forms(name: str, workgroups: Sequence[int] | None) -> list[Form]:
    if workgroups is None:
        return list(FORMS[name])
    each = (replace(form, workgroup=size) for form in FORMS[name] for size in workgroups)
    return list(dict.fromkeys(each))


def _executors(name: str, session: Session, arguments: argparse.Namespace) -> dict[str, Executor]:
    """An example in all its forms."""
    builder = Builder(name, arguments.literal.encode(), session)
    forms = _forms(name, arguments.workgroups) if arguments.forms else []
    sizes: Sequence[int] = arguments.workgroups or (DEFAULT_WORKGROUP,)
    builder.add("default", None, DEFAULT_WORKGROUP)
    for form in forms:
        pipeline = form.pipeline(session.device.info.compute_units)
        builder.add(str(form), pipeline, form.workgroup)
    for pipeline in arguments.pipeline:
        for size in sizes:
            builder.add(f"wg{size} {pipeline}", pipeline, size)
    for profile, options in product(arguments.profiles, arguments.options):
        for size in sizes:
            optimize = OptimizePass(profile=profile, options=options)
            builder.add(f"{profile} wg{size} {options}", None, size, optimize)
    return builder.executors


def main() -> None:
    """Run it from the command line."""
    arguments = _arguments()
    session = Session(choose_device(arguments.device))
    rows = list[Row]()
    for name in arguments.only:
        executors = _executors(name, session, arguments)
        for data in arguments.data:
            workload = make(name, arguments.mib << 20, arguments.literal.encode(), data)
            inputs = {"encoded": workload.encoded}
            rounds = Rounds(name, inputs, workload.expected, session, executors)
            rounds.run(arguments.rounds, reallocate=arguments.reallocate)
            for row in figures(workload, rounds.times, data):
                rows.append(row)
                _show(row)
    if arguments.output is not None:
        record = _record(session.device, arguments, rows)
        arguments.output.write_text(json.dumps(record, indent=1) + "\n")


def _show(row: Row) -> None:
    spread = row["slowest_over_fastest"]
    assert isinstance(spread, float)
    remark = "  unsteady" if spread > UNSTEADY else ""
    print(
        f"{row['workload']!s:16} {row['data']!s:6} {row['gb_per_s']!s:>9} GB/s "
        f"{row['share_of_plain_read']!s:>6}  {row['form']}{remark}",
        flush=True,
    )


def _record(device: Device, arguments: argparse.Namespace, rows: list[Row]) -> dict[str, object]:
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "device": device.info.name,
        "platform": device.info.platform,
        "driver": device.info.driver,
        "literal": arguments.literal,
        "encoded_mib": arguments.mib,
        "rounds": arguments.rounds,
        "reallocated": arguments.reallocate,
        "rows": rows,
    }


if __name__ == "__main__":
    main()
