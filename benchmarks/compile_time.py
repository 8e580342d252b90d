"""
How long compiling takes: fusion, what the scheduler does itself, and whole examples by pass.

    python -m benchmarks.compile_time --output benchmarks/results/compile-time.json
    python -m benchmarks.compile_time --schedules --output benchmarks/results/schedules.json

Figures are processor time in ms, medians of several runs with the quartiles beside them. Those of
fusion are of the pass alone, on a program that is parsed and expanded.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain as chained
from pathlib import Path
from statistics import median
from time import process_time

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i8, i32
from xdsl.parser import Parser
from xdsl.passes import ModulePass

from benchmarks.records import Row, milliseconds, record, write
from examples.data import EXAMPLES
from vyre_dialect.analysis.program_facts import ProgramFacts
from vyre_dialect.builder import program
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase, Profile, Reason
from vyre_dialect.ir.types import Access, Initial
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.ops.schedule import (
    PassOp,
    ScheduleOp,
)
from vyre_dialect.ops.schedule_attributes import (
    Decision,
)
from vyre_dialect.passes.fusion.decode_scan_fuse import fuse_program
from vyre_dialect.passes.fusion.tiling.options import Options
from vyre_dialect.passes.schedule.close_requirements import CloseRequirementsPass
from vyre_dialect.passes.schedule.instrumentation import Instrumentation
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.passes.schedule.report import PassRun
from vyre_dialect.passes.schedule.snapshot import Snapshot
from vyre_dialect.runtime.opencl.devices import choose_device
from vyre_dialect.runtime.program.compilation import (
    apply_pipeline,
    compile_module,
    for_device,
    load_module,
    make_context,
    optimize_module,
)
from vyre_dialect.runtime.program.device_info import DeviceInfo

PAIRS = (125, 250, 500, 1000)
ROUNDS = 15
ARMS = (100, 200, 400)
"""In a chain, and in a fan-out."""
ROUNDS_OF_MANY = 3
PASSES = (500, 1000, 2000, 4000)
"""In a schedule."""
ROUNDS_OF_COMPILATIONS = 5
OPS = (12_500, 25_000, 50_000, 100_000)
"""In a program."""


def expanded_examples() -> dict[str, ModuleOp]:
    """The examples as fusion gets them, by name."""
    context = make_context()
    modules = {path.stem: load_module(path, context) for path in sorted(EXAMPLES.glob("*.mlir"))}
    for module in modules.values():
        apply_pipeline(module, "vyre-expand", context)
    return modules


def many_pairs(count: int) -> ModuleOp:
    """A program of `count` independent pairs, that is of twice as many arms."""
    with program("many") as p:
        source = p.buffer("source", i8, access=Access.READ_ONLY)
        n = source.length
        for k in range(count):
            decoded = p.buffer(f"decoded{k}", i8, n, initial=Initial.UNDEFINED)
            found = p.buffer(f"found{k}", i8, n, live_out=True)
            with p.arm(f"decode{k}", n) as i:
                decoded[i] = source[i] ^ k % 128
            with p.arm(f"scan{k}", n) as i:
                found[i] = decoded[i] + decoded[i + 1]
    return p.module


def seconds_to_fuse(module: ModuleOp, options: Options | None = None) -> tuple[float, int]:
    """Processor time to fuse a copy of a module of one program, and how many handoffs fuse."""
    op = module.clone().body.block.first_op
    assert isinstance(op, ProgramOp)
    start = process_time()
    outcome = fuse_program(op, options or Options())
    return process_time() - start, len(outcome.promoted)


def chain(count: int) -> ModuleOp:
    """A program of `count` arms, each of which hands on to the next."""
    with program("chain") as p:
        source = p.buffer("source", i8, access=Access.READ_ONLY)
        n, last = source.length, source
        for k in range(count):
            is_last = k == count - 1
            changed = p.buffer(f"b{k}", i8, n, initial=Initial.UNDEFINED, live_out=is_last)
            with p.arm(f"change{k}", n) as i:
                changed[i] = last[i] ^ k % 128
            last = changed
    return p.module


def fan_out(count: int) -> ModuleOp:
    """A program of one producer and `count` consumers."""
    with program("fan_out") as p:
        source = p.buffer("source", i8, access=Access.READ_ONLY)
        n = source.length
        decoded = p.buffer("decoded", i8, n, initial=Initial.UNDEFINED)
        with p.arm("decode", n) as i:
            decoded[i] = source[i] ^ 1
        for k in range(count):
            found = p.buffer(f"found{k}", i8, n, live_out=True)
            with p.arm(f"scan{k}", n) as i:
                found[i] = decoded[i] + k % 100
    return p.module


def halos(count: int) -> ModuleOp:
    """A program of `count` arms, each of which reads two neighbours of what the last one wrote."""
    with program("halos") as p:
        source = p.buffer("source", i32, access=Access.READ_ONLY)
        n, last = source.length, source
        for k in range(count):
            is_last = k == count - 1
            changed = p.buffer(f"b{k}", i32, n, initial=Initial.UNDEFINED, live_out=is_last)
            with p.arm(f"change{k}", n) as i:
                changed[i] = last[i] + last[i + 1] + 1
            last = changed
    return p.module


def readers(count: int) -> ModuleOp:
    """A program of `count` arms that read one input, and have nothing else in common."""
    with program("readers") as p:
        source = p.buffer("source", i32, access=Access.READ_ONLY)
        n = source.length
        for k in range(count):
            changed = p.buffer(f"b{k}", i32, n, initial=Initial.UNDEFINED, live_out=True)
            with p.arm(f"change{k}", n) as i:
                changed[i] = source[i] ^ k
    return p.module


def _row(name: str, module: ModuleOp, handoffs: int, rounds: int) -> Row:
    runs = [seconds_to_fuse(module) for _ in range(rounds)]
    if any(promoted != handoffs for _, promoted in runs):
        raise RuntimeError(f"'{name}' expected to fuse {handoffs} handoffs, got {runs[0][1]}")
    seconds = [each for each, _ in runs]
    return {"program": name, "handoffs": handoffs} | milliseconds(seconds)


def _fusion_rows() -> Iterator[Row]:
    for name, module in expanded_examples().items():
        yield _row(name, module, 1, ROUNDS)
    for count in PAIRS:
        yield _row(f"{count} pairs", many_pairs(count), count, ROUNDS_OF_MANY)
    for count in ARMS:
        yield _row(f"chain of {count}", chain(count), count - 1, ROUNDS_OF_MANY)
        yield _row(f"fan-out of {count}", fan_out(count), 1, ROUNDS_OF_MANY)


def many_passes(count: int) -> ModuleOp:
    """A schedule of `count` passes whose first is selected; each requires the two that follow."""
    names = [f"p{k}" for k in range(count)]
    ops = list[PassOp]()
    for k, name in enumerate(names):
        required = tuple(names[k + 1 : k + 3])
        ops.append(PassOp(name, PassMetadata(Phase.KERNELS, Family.SCALAR, requires=required)))
    ops[0].decide(Decision.of(Reason.ALWAYS_ON))
    return ModuleOp([ScheduleOp("many", Profile.RELEASE, ops)])


def close_and_order(module: ModuleOp) -> list[PassOp]:
    """The passes of the only schedule of a module in order, once what they require is selected."""
    CloseRequirementsPass().apply(Context(), module)
    schedule = module.body.block.first_op
    assert isinstance(schedule, ScheduleOp)
    schedule.verify()
    return schedule.ordered()


def many_ops(count: int) -> ModuleOp:
    """A program of at least `count` ops, in arms of a thousand."""
    with program("long") as p:
        out = p.buffer("out", i32, 1024, live_out=True)
        for k in range(-(-count // 1000)):
            with p.arm(f"arm{k}", 1024) as i:
                value = out[i]
                for _ in range(1000):
                    value = value + value
                out[i] = value
    return p.module


def _timed(rounds: int, run: Callable[[], object]) -> list[float]:
    seconds = list[float]()
    for _ in range(rounds):
        start = process_time()
        run()
        seconds.append(process_time() - start)
    return seconds


def _scheduler_rows() -> Iterator[Row]:
    """What the scheduler does itself, by the size of schedules and programs."""
    for count in PASSES:
        modules = iter([many_passes(count) for _ in range(ROUNDS)])
        seconds = _timed(ROUNDS, lambda modules=modules: close_and_order(next(modules)))
        yield {"what": "closure, verification and order", "passes": count} | milliseconds(seconds)
    for count in OPS:
        module = many_ops(count)
        facts = {"ops": ProgramFacts.of(module).nodes}
        seconds = _timed(ROUNDS, lambda module=module: ProgramFacts.of(module))
        yield {"what": "facts"} | facts | milliseconds(seconds)
        before = Snapshot(module)
        seconds = _timed(ROUNDS, lambda module=module, before=before: Snapshot(module) == before)
        yield {"what": "whether it changed"} | facts | milliseconds(seconds)


def devices() -> dict[str, DeviceInfo]:
    """The default device, and a GPU of the size of an H200, which need not be there."""
    cpu = choose_device().info
    gpu = replace(cpu, has_own_local_mem=True, local_mem_bytes=227 << 10, compute_units=132)
    return {"global": replace(cpu, has_own_local_mem=False), "own": gpu}


def _program_rows() -> Iterator[Row]:
    """What whole programs of many arms take, from the source to the text of their kernels."""
    for name, module in {"60 halos": halos(60), "1000 readers": readers(1000)}.items():
        for memory, device in devices().items():
            compiled = partial(compile_module, module, context=make_context(), device=device)
            row = {"what": name, "workgroup_memory": memory}
            yield row | milliseconds(_timed(ROUNDS_OF_MANY, compiled))


class PassTimes:
    """Looks on while a schedule runs, and adds up the processor time of each pass, in seconds."""

    def __init__(self) -> None:
        self.seconds = dict[str, float]()
        self._start = 0.0

    def __call__(self, ran: ModulePass | None, module: ModuleOp, begins: ModulePass | None) -> None:
        if ran is not None:
            spent = process_time() - self._start
            self.seconds[ran.name] = self.seconds.get(ran.name, 0) + spent
        self._start = process_time()


@dataclass
class Compilations:
    """Compilations of one example by the standard schedule, for one kind of workgroup memory."""

    path: Path
    memory: str
    device: DeviceInfo
    seconds: list[float] = field(default_factory=list[float])
    times: list[PassTimes] = field(default_factory=list[PassTimes])
    """Of the passes, in each compilation."""
    runs: list[PassRun] = field(default_factory=list[PassRun])
    """Of the passes, in the last one; the others are the same."""
    text: str = ""
    """What comes out."""

    def add(self) -> None:
        """Compile once more."""
        context = make_context()
        module = load_module(self.path, context)
        optimize = for_device(OptimizePass(), self.device)
        times = PassTimes()
        start = process_time()
        optimized = optimize_module(module, optimize, context, Instrumentation(observers=[times]))
        self.seconds.append(process_time() - start)
        self.times.append(times)
        self.runs = [run for run in optimized.report.runs if run.ran]
        self.text = str(module)

    def row(self) -> Row:
        """The time, that of the passes alone, and that of reading what goes in and comes out."""
        measured = milliseconds(self.seconds)
        source, made = self.path.read_text(), self.text
        passes = milliseconds([sum(each.seconds.values()) for each in self.times])
        read = {
            "passes_ms": passes["ms"],
            "read_source_ms": _milliseconds_to_read(source),
            "read_result_ms": _milliseconds_to_read(made),
        }
        nodes = self.runs[-1].after.nodes
        example = {"program": self.path.stem, "workgroup_memory": self.memory, "ops": nodes}
        return example | measured | read


def _milliseconds_to_read(text: str) -> object:
    """To parse and verify with xDSL."""

    def read() -> None:
        Parser(make_context(), text).parse_module().verify()

    return milliseconds(_timed(ROUNDS_OF_COMPILATIONS, read))["ms"]


def compilations() -> list[Compilations]:
    """All examples for all kinds of devices, compiled by turns."""
    paths = sorted(EXAMPLES.glob("*.mlir"))
    found = [
        Compilations(path, memory, device) for path in paths for memory, device in devices().items()
    ]
    for each in found:
        each.add()  # what is found out once in a process
        each.seconds.clear()
        each.times.clear()
    for each in chained.from_iterable([found] * ROUNDS_OF_COMPILATIONS):
        each.add()
    return found


def pass_rows(compiled: Iterable[Compilations]) -> list[Row]:
    """What each pass costs in all compilations together, the dearest first."""
    compilations = list(compiled)
    ran = [run for each in compilations for run in each.runs]
    runs = Counter(run.name for run in ran)
    changed = Counter(run.name for run in ran if run.changed)
    rounds = list(zip(*(each.times for each in compilations), strict=True))
    seconds = {
        name: [sum(times.seconds.get(name, 0) for times in each) for each in rounds]
        for name in runs
    }
    total = sum(map(median, seconds.values()))
    return [
        {"pass": name, "runs": runs[name], "changed": changed[name]}
        | milliseconds(seconds[name])
        | {"share": round(median(seconds[name]) / total, 3)}
        for name in sorted(seconds, key=lambda name: -median(seconds[name]))
    ]


def _shown(rows: Iterable[Row]) -> list[Row]:
    """The rows, once each is printed as it comes."""
    shown = list[Row]()
    for row in rows:
        shown.append(row)
        print(*(f"{key}={value}" for key, value in row.items()), flush=True)
    return shown


def _figures(*, with_fusion: bool) -> dict[str, object]:
    """All figures, each printed as it comes."""
    fusion = _shown(_fusion_rows()) if with_fusion else []
    scheduler = _shown(chained(_scheduler_rows(), _program_rows()))
    compiled = compilations()
    return record(("xdsl", "islpy"), fusion) | {
        "scheduler": scheduler,
        "examples": _shown(each.row() for each in compiled),
        "passes": _shown(pass_rows(compiled)),
    }


def main() -> None:
    """Measure, print a line for each row, and write the figures if asked to."""
    parser = ArgumentParser(description="How long compiling takes.")
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    parser.add_argument("--schedules", action="store_true", help="leave out fusion by itself")
    arguments = parser.parse_args()
    write(arguments.output, _figures(with_fusion=not arguments.schedules))


if __name__ == "__main__":
    main()
