"""
Breaks vyre on purpose, at places drawn from its syntax trees, and says which breaks no test sees.

    python tools/mutants.py --count 120 --seed 0 --jobs 2

Each mutant is one change to one file, in a copy of the tree: a comparison turned, or shifted by
one, a sum for a difference, `and` for `or`, a negation left out, a number off by one, a call left
out. First those tests run that mirror the file, then all; the first that fails kills it. Source:
DeMillo, Lipton and Sayward, "Hints on Test Data Selection", 1978.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (
    *("passes", "lowering", "runtime", "vyre_dialect/analysis", "vyre_dialect/builder"),
    *("vyre_dialect/columns", "vyre_dialect/ir", "vyre_dialect/meanings", "vyre_dialect/ops"),
)
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
NOT_RUN = ("annotation", "returns", "msg", "exc", "cause")
"""Fields of nodes without mutants: types, and what errors say."""
MIRRORED_SECONDS, ALL_SECONDS = 400, 3600
"""After which a mutant whose tests still run is taken for one that does not end: killed."""


@dataclass(frozen=True)
class Mutant:
    """One change of one file."""

    path: str
    line: int
    before: str
    after: str
    start: int
    """Where `before` begins, in bytes."""

    def applied_to(self, text: bytes) -> bytes:
        """The file with the change."""
        end = self.start + len(self.before.encode())
        return text[: self.start] + self.after.encode() + text[end:]


@dataclass(frozen=True)
class Fate:
    """What became of a mutant: which tests killed it, if any."""

    mutant: Mutant
    killed_by: str | None
    seconds: float


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Every mutant of a file."""
    text = path.read_bytes()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in _nodes_that_run(ast.parse(text)):
        if (after := _changed(node)) is None:
            continue
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = starts[node.lineno - 1] + node.col_offset
        before = text[start : starts[node.end_lineno - 1] + node.end_col_offset].decode()
        yield Mutant(str(path.relative_to(ROOT)), node.lineno, before, after, start)


def _nodes_that_run(tree: ast.AST) -> Iterator[ast.AST]:
    left_out = {id(getattr(tree, name, None)) for name in NOT_RUN}
    for node in ast.iter_child_nodes(tree):
        if id(node) not in left_out and not isinstance(node, ast.JoinedStr):
            yield node
            yield from _nodes_that_run(node)


def _changed(node: ast.AST) -> str | None:
    """What stands in place of a node in its mutant, if it has one."""
    match node:
        case ast.Compare(left, [op], right):
            return f"({ast.unparse(ast.Compare(left, [COMPARISONS[type(op)]()], right))})"
        case ast.BinOp(left, op, right) if type(op) in ARITHMETIC:
            return f"({ast.unparse(ast.BinOp(left, ARITHMETIC[type(op)](), right))})"
        case ast.BoolOp(op, values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            return f"({ast.unparse(ast.BoolOp(other, values))})"
        case ast.UnaryOp(ast.Not(), operand):
            return f"({ast.unparse(operand)})"
        case ast.Constant(bool() as value):
            return str(not value)
        case ast.Constant(int() as value):
            return str(value + 1)
        case ast.Expr(ast.Call()):
            return "pass"
        case _:
            return None


def drawn(count: int, seed: int, packages: Sequence[str]) -> list[Mutant]:
    """So many mutants, each package's by how many it has. The same seed draws the same."""
    files = sorted(path for each in packages for path in (ROOT / each).rglob("*.py"))
    every = [mutant for path in files for mutant in mutants_of(path)]
    return random.Random(seed).sample(every, min(count, len(every)))


def tests_of(path: str, tree: Path) -> list[list[str]]:
    """The commands that run the tests that mirror a file: those of its name, and of its folder."""
    file, units = Path(path), tree / "tests/unit"
    named = [str(each) for each in sorted((tree / "tests").rglob(f"test_{file.stem}*.py"))]
    texts = [str(each) for each in sorted((tree / "tests/filecheck").rglob(f"{file.stem}*"))]
    folders = [units / each for each in (file.parent.name, *file.parts[-3:-2], file.parts[0])]
    near = [str(each) for each in folders if each.is_dir()][:1]
    commands = [_pytest(named)] if named else []
    commands += [_lit(texts)] if texts else []
    return commands + ([_pytest(near)] if near else [])


def all_tests(tree: Path) -> list[list[str]]:
    """The commands that run every test but the slow ones."""
    return [_lit([str(tree / "tests/filecheck")]), _pytest([str(tree / "tests")])]


def _pytest(paths: Sequence[str]) -> list[str]:
    options = ("-x", "-q", "--no-header", "-p", "no:cacheprovider", "-m", "not slow")
    return [sys.executable, "-m", "pytest", *options, *paths]


def _lit(paths: Sequence[str]) -> list[str]:
    return [str(Path(sys.executable).with_name("lit")), "-q", "-j1", "--max-failures=1", *paths]


def fate_of(mutant: Mutant, tree: Path, *, only_mirrored: bool) -> Fate:
    """Break a copy of the tree, run its tests, and mend it."""
    file, begin = tree / mutant.path, time.monotonic()
    whole = file.read_bytes()
    file.write_bytes(mutant.applied_to(whole))
    try:
        killer = _first_that_fails(tests_of(mutant.path, tree), tree, MIRRORED_SECONDS)
        if killer is None and not only_mirrored:
            killer = _first_that_fails(all_tests(tree), tree, ALL_SECONDS)
    finally:
        file.write_bytes(whole)
    return Fate(mutant, killer, round(time.monotonic() - begin, 1))


def _first_that_fails(commands: Sequence[list[str]], tree: Path, seconds: int) -> str | None:
    # The copy stands in front of the installed tree; bytecode of a mutant must not outlive it.
    environment = os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    environment["XDG_CACHE_HOME"] = str(tree / ".cache")
    for command in commands:
        shown = " ".join(each.removeprefix(f"{tree}/") for each in command[1:] if "/" in each)
        try:
            done = subprocess.run(
                command,
                cwd=tree,
                env=environment,
                capture_output=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"{shown} (no end)"
        if done.returncode not in (0, 5):  # 5: pytest has found no test
            return shown
    return None


def _copies(count: int, folder: Path) -> SimpleQueue[Path]:
    """So many copies of what git knows of the tree, to be taken and given back."""
    free = SimpleQueue[Path]()
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for number in range(count):
        tree = folder / str(number)
        for name in filter(None, files.split("\0")):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name, follow_symlinks=False)
        free.put(tree)
    return free


def main() -> None:
    """Draw mutants, try them side by side, and write what became of each as JSON."""
    parser = argparse.ArgumentParser(description="Break vyre on purpose.")
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--packages", nargs="+", default=list(PACKAGES))
    parser.add_argument("--only-mirrored", action="store_true", help="leave out all other tests")
    parser.add_argument("--output", type=Path, default=ROOT / "build/mutants.json")
    given = parser.parse_args()
    given.output.parent.mkdir(parents=True, exist_ok=True)
    fates = list[Fate]()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.jobs) as pool:
        free = _copies(given.jobs, Path(folder))

        def attempt(mutant: Mutant) -> Fate:
            tree = free.get()
            try:
                return fate_of(mutant, tree, only_mirrored=given.only_mirrored)
            finally:
                free.put(tree)

        for fate in pool.map(attempt, drawn(given.count, given.seed, given.packages)):
            fates.append(fate)
            given.output.write_text(json.dumps([asdict(each) for each in fates], indent=1))
            each, verdict = (
                fate.mutant,
                f"killed by {fate.killed_by}" if fate.killed_by else "SURVIVES",
            )
            print(f"{each.path}:{each.line}: {each.before} -> {each.after}: {verdict}", flush=True)
    killed = sum(each.killed_by is not None for each in fates)
    print(f"{killed} of {len(fates)} killed")


if __name__ == "__main__":
    main()
