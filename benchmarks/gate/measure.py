"""What the gate measures of a program on a device, and what that says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks.arithmetic_limits import LANE_BITS, data_bits_per_ns
from benchmarks.gate.arithmetic import data_bits
from benchmarks.gate.forms import DEFAULT, TUNED, UNFUSED, Forms, Tuned
from benchmarks.gate.program import Answers, GateProgram, Inputs
from benchmarks.records import Row, microseconds, ratio
from benchmarks.rounds import Rounds, WrongAnswerError, check
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compiled_program import CompiledProgram
from vyre_dialect.runtime.program.program_work import counts_of
from vyre_dialect.runtime.progress import Progress
from vyre_dialect.runtime.tuning.tuner import BusyError, CandidateError

LEAST_OF_UNFUSED, LEAST_OF_TUNED = 0.95, 0.9
"""A default whose speed is a smaller share of the other form's loses to it."""

CPU_LANE_BITS = 8
"""What the registers of CPUs are divided into; those of GPUs have whole words."""


@dataclass(frozen=True)
class Extent:
    """How much is measured."""

    size: int
    """Bytes of input."""
    checked_size: int
    """Bytes up to which NumPy gives the answer; that of more input, the unfused form."""
    rounds: int
    tuning_seconds: float
    """0 for no tuning."""
    options: Sequence[str] = ()
    """With which the default is measured, too."""


def figures(program: GateProgram, session: Session, extent: Extent, progress: Progress) -> Row:
    """The row of a program; where it does not run or answers wrongly, with the reason."""
    head = {"program": program.name, "device": session.device.info.label}
    try:
        return head | _measured(program, session, extent, progress)
    except (VyreError, CandidateError, BusyError, WrongAnswerError) as error:
        return head | {"failed": str(error)}


def _measured(
    program: GateProgram, session: Session, extent: Extent, progress: Progress
) -> dict[str, object]:
    forms = Forms(program, session)
    progress(f"{program.name}: compiling", None)
    executors = {DEFAULT: forms.default(), UNFUSED: forms.unfused()}
    executors |= {options: forms.with_options(options) for options in extent.options}
    progress(f"{program.name}: answering", None)
    inputs = program.inputs(program.units(extent.size))
    expected = _expected(program, inputs, extent, executors)
    tuned = None
    if extent.tuning_seconds:
        tuned = forms.tuned(inputs, extent.tuning_seconds, progress)
        executors |= {TUNED: tuned.executor} if tuned.choices else {}
    progress(f"{program.name}: measuring", None)
    rounds = Rounds(program.name, inputs, expected, session, executors)
    rounds.run(extent.rounds)
    sizes = {"input_bytes": _bytes(inputs), "output_bytes": _bytes(expected)}
    largest = max(each.nbytes for each in inputs.values())
    arithmetic_ns = _arithmetic_ns(forms.plain(), executors[DEFAULT].compiled, inputs, session)
    return sizes | _compared(rounds.times, sizes, largest, arithmetic_ns) | _choice(tuned)


def _arithmetic_ns(
    plain: CompiledProgram, default: CompiledProgram, inputs: Inputs, session: Session
) -> float:
    """
    Ns in which a device does the arithmetic on data of the program, as it is written or as it is
    compiled, whichever has less of it.
    """
    least_bits = CPU_LANE_BITS if session.device.info.kind == "cpu" else LANE_BITS
    sizes = {name: each.nbytes for name, each in inputs.items()}
    bits = (
        data_bits(each.program, counts_of(each.program, sizes), least_bits)
        for each in (plain, default)
    )
    return min(bits) / data_bits_per_ns(session)


def _expected(
    program: GateProgram, inputs: Inputs, extent: Extent, executors: Mapping[str, Executor]
) -> Answers:
    """What forms must answer: by NumPy, or, on large input, by a form that NumPy agrees with."""
    if extent.size <= extent.checked_size:
        return program.answer(**inputs)
    fewer = program.inputs(program.units(extent.checked_size))
    answers = program.answer(**fewer)
    for form, executor in executors.items():
        check(f"{program.name}, {form}", executor.run(fewer).outputs, answers)
    outputs = executors[UNFUSED].run(inputs).outputs
    return {name: outputs[name].view(answer.dtype) for name, answer in answers.items()}


def _bytes(arrays: Mapping[str, Array]) -> int:
    return sum(each.nbytes for each in arrays.values())


def _compared(
    times: Mapping[str, Sequence[int]], sizes: Mapping[str, int], largest: int, arithmetic_ns: float
) -> dict[str, object]:
    """The times of forms, how they compare, and how near the default comes to its bounds."""
    default = times[DEFAULT]
    memory_ns = memory_bound_ns(times, sizes["input_bytes"], sizes["output_bytes"], largest)
    others = [form for form in times if form != DEFAULT and not form.startswith("plain")]
    return {
        **{form: microseconds(each) for form, each in times.items()},
        **{f"default_over_{form}": ratio(default, times[form]) for form in others},
        "memory_bound_us": round(memory_ns / 1e3, 1),
        "arithmetic_bound_us": round(arithmetic_ns / 1e3, 1),
        "share_of_bound": round(max(memory_ns, arithmetic_ns) / median(default), 3),
    }


def memory_bound_ns(
    times: Mapping[str, Sequence[int]], read_bytes: int, written_bytes: int, measured_bytes: int
) -> float:
    """
    Ns in which a device reads and writes so many bytes once, as plain loops over `measured_bytes`
    do in their fastest round: a copy takes what a read takes, and what writing as much takes.
    """
    read_ns, copy_ns = (min(times[f"plain {each}"]) for each in ("read", "copy"))
    write_ns = max(0.0, copy_ns - read_ns)
    return (read_bytes * read_ns + written_bytes * write_ns) / measured_bytes


def _choice(tuned: Tuned | None) -> dict[str, object]:
    if tuned is None:
        return {}
    return {
        "choices": dict(tuned.choices),
        "candidates": tuned.candidates,
        "failures": dict(tuned.failures),
    }


def loses(row: Row) -> bool:
    """Whether the default of a row is slower than it may be, wrong, or does not run."""
    return "failed" in row or any(
        speed(row, form) < least
        for form, least in ((UNFUSED, LEAST_OF_UNFUSED), (TUNED, LEAST_OF_TUNED))
    )


def speed(row: Row, form: str) -> float:
    """The speed of the default over another form's, 1 where there is none of its own."""
    compared: Any = row.get(f"default_over_{form}", {"ratio": 1.0})
    return float(compared["ratio"])


def summary(rows: Iterable[Row]) -> dict[str, object]:
    """How the programs of one device do together."""
    every = list(rows)
    run = [row for row in every if "failed" not in row]
    shares = [float(str(row["share_of_bound"])) for row in run]
    return {
        "programs": len(every),
        "median_share_of_bound": round(median(shares), 3) if shares else None,
        "lose_to_unfused": sum(speed(row, UNFUSED) < LEAST_OF_UNFUSED for row in run),
        "lose_to_tuned": sum(speed(row, TUNED) < LEAST_OF_TUNED for row in run),
        "failed": [row["program"] for row in every if "failed" in row],
    }
