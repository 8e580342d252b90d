"""
How long the kernels of the examples take here and in another checkout of vyre, by turns.

    git worktree add ../before COMMIT
    python -m benchmarks.kernel_turns ../before --device intel portable --output FILE.json

Each turn is a process of its own in one of the checkouts, which compiles an example by its default
and runs it on the same input; times are of events, medians of the runs of a process, and of those
over all turns. Every answer is compared with Python's.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.checkouts import HERE, last_line
from benchmarks.records import Row, microseconds, ratio, record, write
from benchmarks.rounds import check
from benchmarks.workloads import MAKERS, PLAIN, Workload, make
from vyre_dialect.runtime.opencl.devices import choose_device

WARM_UP, RUNS = 4, 15
RUN = """
import json, sys
from pathlib import Path
from statistics import median
import numpy as np
from vyre_dialect.runtime.opencl.devices import choose_device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context
path, encoded, name, warm_up, runs = sys.argv[1:]
device, context = choose_device(name), make_context()
module = load_module(Path(path), context)
executor = Executor(compile_module(module, context=context, device=device.info), device)
data, times = np.load(encoded), []
for turn in range(int(warm_up) + int(runs)):
    result = executor.run({"encoded": data})
    times.append(sum(arm.kernel_ns or 0 for arm in result.arms))
outputs = {key: each.reshape(-1).tolist() for key, each in result.outputs.items()}
print(json.dumps([median(times[int(warm_up):]), outputs]))
"""


def nanoseconds(checkout: Path, work: Workload, encoded: Path, device: str) -> float:
    """What the kernels of an example take by the sources of a checkout."""
    program = checkout / work.path.relative_to(HERE)
    found: float
    outputs: Mapping[str, list[int]]
    found, outputs = json.loads(last_line(checkout, RUN, program, encoded, device, WARM_UP, RUNS))
    got = {name: np.array(outputs[name]).astype(each.dtype) for name, each in work.expected.items()}
    check(f"{work.name} in {checkout}", got, work.expected)
    return found


def rows(arguments: argparse.Namespace) -> Iterator[Row]:
    """A row for each example, kind of data and device."""
    other = arguments.checkout.resolve()
    with TemporaryDirectory() as folder:
        encoded = Path(folder) / "encoded.npy"
        for name in arguments.programs:
            for data in PLAIN:
                work = make(name, arguments.mib << 20, data=data)
                np.save(encoded, work.encoded)
                for device in arguments.device:
                    turns = [
                        [nanoseconds(each, work, encoded, device) for each in (HERE, other)]
                        for _ in range(arguments.rounds)
                    ]
                    own, before = ([turn[place] for turn in turns] for place in (0, 1))
                    yield {
                        **{"program": name, "data": data},
                        "device": choose_device(device).info.label,
                        "here": microseconds(own),
                        "other": microseconds(before),
                        "other_over_here": ratio(own, before),
                    }


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path, help="another one, with the same examples")
    parser.add_argument("--device", nargs="+", required=True, help="each as for 'vyre run'")
    parser.add_argument("--programs", nargs="+", choices=list(MAKERS), default=list(MAKERS))
    parser.add_argument("--mib", type=int, default=16, help="of encoded input")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    arguments = parser.parse_args()
    found = list[Row]()
    for row in rows(arguments):
        found.append(row)
        print(*(f"{key}={value}" for key, value in row.items()), flush=True)
        write(arguments.output, record(["xdsl", "pyopencl"], found))


if __name__ == "__main__":
    main()
