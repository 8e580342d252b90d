"""
How long compiling takes here and in another checkout of vyre, by turns.

    git worktree add ../before COMMIT
    python -m benchmarks.compile_turns ../before PROGRAM... --output FILE.json

Each turn is a process of its own in one of the checkouts, which compiles a program for the default
device once to warm up and once to count: processor time, from the text to that of the kernels. For
what bounds it, `floor` is what xDSL itself takes to parse, verify and canonicalize what the passes
of this checkout come to, when nothing is left to change.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time

from xdsl.transforms.canonicalize import CanonicalizePass

from benchmarks.checkouts import HERE, last_line
from benchmarks.records import Row, milliseconds, ratio, record, write
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.opencl.devices import choose_device
from vyre_dialect.runtime.program.compilation import (
    for_device,
    load_module,
    make_context,
    optimize_module,
    parse_module,
)

COMPILE = """
import sys
from pathlib import Path
from time import process_time
from vyre_dialect.runtime.opencl.devices import choose_device
from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context
device = choose_device().info
for turn in range(2):
    context = make_context()
    begin = process_time()
    compile_module(load_module(Path(sys.argv[1]), context), context=context, device=device)
    seconds = process_time() - begin
print(seconds)
"""


def seconds_in(checkout: Path, program: Path) -> float:
    """Processor time of one compilation by the sources of a checkout."""
    return float(last_line(checkout, COMPILE, program.resolve()))


def floor(program: Path) -> Row:
    """Seconds that xDSL takes for what the passes come to, by what it does, and how many ops."""
    context = make_context()
    module = load_module(program, context)
    optimize_module(module, for_device(OptimizePass(), choose_device().info), context)
    text = str(module)
    return {
        "ops": sum(1 for _ in module.walk()),
        "parse_s": _seconds(lambda: parse_module(text, make_context(), program.name)),
        "verify_s": _seconds(module.verify),
        "canonicalize_s": _seconds(lambda: CanonicalizePass().apply(context, module)),
    }


def _seconds(run: Callable[[], object]) -> float:
    """Of the second time, as the first one imports what it needs."""
    run()
    begin = process_time()
    run()
    return round(process_time() - begin, 3)


def rows(other: Path, programs: Sequence[Path], rounds: int) -> list[Row]:
    """A row for each program."""
    found = list[Row]()
    for program in programs:
        own, before = list[float](), list[float]()
        for _ in range(rounds):
            before.append(seconds_in(other, program))
            own.append(seconds_in(HERE, program))
        row = {
            "program": program.stem,
            "here": milliseconds(own),
            "other": milliseconds(before),
            "other_over_here": ratio(own, before),
            "floor": floor(program),
        }
        print(*(f"{key}={value}" for key, value in row.items()), flush=True)
        found.append(row)
    return found


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path, help="another one, with what it compiles by")
    parser.add_argument("programs", type=Path, nargs="+", help="which both can read")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    arguments = parser.parse_args()
    found = rows(arguments.checkout.resolve(), arguments.programs, arguments.rounds)
    write(arguments.output, record(["xdsl"], found))


if __name__ == "__main__":
    main()
