"""
How long `vyre scan` takes next to what people use: of the standard library's sources, in base64
against `base64 -d | grep -c` of each file, and plain against ripgrep, or `grep -r` where that is
not installed; and of a large corpus, plain, in which starting is less of it.

    python -m benchmarks.scans --output benchmarks/results/scans.json

Figures are in ms, medians of several processes by turns, with quartiles: wall-clock time and, as
`processor`, what the processes take of processors. All count the same lines in the same files, or
else it is an error. Programs are compiled before, files are in the cache of the system.
"""

from __future__ import annotations

import base64
import os
import resource
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.records import Row, milliseconds, ratio, record_rows

ROUNDS = 5
LITERAL = "import"
RARE = "asyncio"
PROGRAM = Path(__file__).parents[1] / "examples" / "base64_literal.mlir"
SMALL_FILES = 1000
COPIES = 32
"""Of the standard library, each one file, in the large corpus."""

Counts = Mapping[str, int]


@dataclass
class Rival:
    """A command that counts lines in files."""

    name: str
    command: Sequence[str]
    parse: Callable[[str], Counts]
    seconds: list[float] = field(default_factory=list[float])
    processor: list[float] = field(default_factory=list[float])

    def run(self, folder: Path) -> Counts:
        """
        Run it once in `folder`, beside which there is room; gives how many lines it counts in each
        file that has some.
        """
        environment = _keeping_bytecode(folder.parent / "bytecode")
        used, start = _processor_seconds(), perf_counter()
        done = subprocess.run(
            self.command, cwd=folder, capture_output=True, text=True, env=environment
        )
        self.seconds.append(perf_counter() - start)
        self.processor.append(_processor_seconds() - used)
        if done.returncode > 1:
            raise RuntimeError(f"{self.name}: {done.stderr}")
        return self.parse(done.stdout)

    def row(self, what: str, own: Rival) -> Row:
        """The times of all runs, and how many times as fast `own` is."""
        processor = milliseconds(self.processor)
        return {
            "what": f"{what}, {self.name}",
            **milliseconds(self.seconds),
            **{f"processor_{name}": value for name, value in processor.items()},
            "vyre_is_faster_by": ratio(own.seconds, self.seconds)["ratio"],
        }


def _keeping_bytecode(folder: Path) -> Mapping[str, str]:
    """An environment in which Python keeps what it has made of sources, as pip leaves packages."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return others | {"PYTHONPYCACHEPREFIX": str(folder)}


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _by_name(text: str) -> Counts:
    pairs = (line.rpartition(":") for line in text.splitlines())
    return {os.path.normpath(name): int(count) for name, _, count in pairs if int(count)}


def vyre(literal: str, *options: str) -> Rival:
    """`vyre scan` itself."""
    command = str(Path(sys.executable).with_name("vyre"))
    arguments = ["scan", "--count", "--literal", literal, *options, "."]
    return Rival("vyre scan", [command, *arguments], _by_name)


def decoding_each(literal: str) -> Rival:
    """`base64 -d | grep -c` of one file after the other."""
    loop = (
        "find . -type f | while read -r name; do "
        f'echo "$name:$(base64 -d "$name" | grep -c -F {literal})"; done'
    )
    return Rival("base64 -d | grep -c", ["sh", "-c", loop], _by_name)


def searching(literal: str) -> Rival:
    """What people search plain files by."""
    if shutil.which("rg") is not None:
        return Rival("ripgrep", ["rg", "--no-config", "-c", "-F", literal, "."], _by_name)
    return Rival("grep -r", ["grep", "-r", "-c", "-F", literal, "."], _by_name)


def running(pattern: str) -> Rival:
    """`vyre run` on many files, one after the other."""
    command = str(Path(sys.executable).with_name("vyre"))
    return Rival(
        "vyre run", [command, "run", str(PROGRAM), "--input", f"encoded={pattern}"], _by_output
    )


def _by_output(text: str) -> Counts:
    pairs = (line.split(": count = [") for line in text.splitlines() if ": count = " in line)
    return {name: int(count.rstrip("]")) for name, count in pairs}


def compared(what: str, folder: Path, own: Rival, *others: Rival) -> Iterator[Row]:
    """All rivals by turns, after a run of each that does not count."""
    rivals = (own, *others)
    for number in range(ROUNDS + 1):
        counts = [rival.run(folder) for rival in rivals]
        if any(each != counts[0] for each in counts):
            raise RuntimeError(f"{what}: the counts differ")
        if not number:
            for rival in rivals:
                rival.seconds.clear()
                rival.processor.clear()
    yield from (rival.row(what, own) for rival in rivals)


def sources() -> Iterator[tuple[str, bytes]]:
    """The standard library, by names of one level."""
    root = Path(sysconfig.get_path("stdlib"))
    for path in sorted(root.rglob("*.py")):
        name = str(path.relative_to(root))
        if "site-packages" not in name:
            yield name.replace(os.sep, "_"), path.read_bytes()


def rows() -> Iterator[Row]:
    """All measurements."""
    with TemporaryDirectory() as made:
        encoded, plain, large, small, one = (
            Path(made) / name for name in ("encoded", "plain", "large", "small", "one")
        )
        for folder in (encoded, plain, large, small, one):
            folder.mkdir()
        for name, data in sources():
            (plain / name).write_bytes(data)
            (encoded / name).write_bytes(base64.encodebytes(data))
        whole = b"".join(data for _, data in sources())
        for number in range(COPIES):
            (large / f"{number:02}").write_bytes(whole)
        for number in range(SMALL_FILES):
            (small / f"{number:04}").write_bytes(base64.b64encode(b"%04d import" % number))
        (one / "one").write_bytes(base64.b64encode(b"import"))
        decoding = ("--decode", "base64")
        each = vyre(LITERAL, *decoding), decoding_each(LITERAL)
        yield from compared("the standard library in base64", encoded, *each)
        pair = vyre(LITERAL), searching(LITERAL)
        yield from compared("the standard library", plain, *pair)
        pair = vyre(RARE), searching(RARE)
        yield from compared(f"{len(whole) * COPIES >> 20} MiB in {COPIES} files", large, *pair)
        yield from compared("one small file in base64", one, vyre(LITERAL, *decoding))
        yield from compared(f"{SMALL_FILES} small files", small, vyre(LITERAL, *decoding))
        for pattern in ("0000", "*"):
            own = running(f"{small}/{pattern}")
            yield from compared(f"{len(list(small.glob(pattern)))} small files", small, own)


def main() -> None:
    """Measure, and write what the command line asks for."""
    assert __doc__ is not None
    record_rows(__doc__, rows(), ("xdsl", "pyopencl", "numpy"))


if __name__ == "__main__":
    main()
