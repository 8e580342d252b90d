"""
Breaks vyre on purpose, at places drawn from its syntax trees, and says which breaks no test sees.

    python tools/mutants.py --count 120 --seed 0 --jobs 2

Each mutant is one change to one file, in a copy of the tree: a comparison turned, or shifted by
one, a sum for a difference, `and` for `or`, a negation left out, a number off by one, a call left
out. Those quick tests run that run its lines, the fastest first, and all texts; the first that
fails kills it. Which these are is found out once, and kept beside the result: remove it where tests
have changed. Source: DeMillo, Lipton and Sayward, "Hints on Test Data Selection", 1978.
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
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import cast

from covering_tests import CoveringTests

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
NOT_RUN = ("annotation", "returns", "msg", "exc", "cause", "decorator_list")
"""Fields of nodes without mutants: types, what errors say, and what classes and functions are."""
MOST_SECONDS = 1800
"""After which a mutant whose tests still run is taken for one that does not end: killed."""
FIRST = 40
"""Tests that run before those that take longer."""


@dataclass(frozen=True)
class Mutant:
    """One change of one file."""

    path: str
    line: int
    before: str
    after: str
    start: int
    """Where `before` begins, in bytes."""
    in_function: bool
    """Whether it runs when something is called; else when the file is loaded."""

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
    tree = ast.parse(text)
    called = {
        id(each) for function in _functions(tree) for part in function for each in ast.walk(part)
    }
    for node in _nodes_that_run(tree):
        if (after := _changed(node)) is None:
            continue
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = starts[node.lineno - 1] + node.col_offset
        before = text[start : starts[node.end_lineno - 1] + node.end_col_offset].decode()
        name = str(path.relative_to(ROOT))
        yield Mutant(name, node.lineno, before, after, start, id(node) in called)


def _functions(tree: ast.AST) -> Iterator[Sequence[ast.stmt | ast.expr]]:
    """What each function runs when it is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node.body
        elif isinstance(node, ast.Lambda):
            yield [node.body]


def _nodes_that_run(tree: ast.AST) -> Iterator[ast.AST]:
    left_out = {id(each) for name, each in _children(tree) if name in NOT_RUN}
    for node in ast.iter_child_nodes(tree):
        if id(node) not in left_out and not isinstance(node, ast.JoinedStr):
            yield node
            yield from _nodes_that_run(node)


def _children(tree: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The nodes right below one, each with the name of its field."""
    for name, field in ast.iter_fields(tree):
        for each in cast("list[object]", field) if isinstance(field, list) else [field]:
            if isinstance(each, ast.AST):
                yield name, each


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


def _commands(mutant: Mutant, covering: CoveringTests, tree: Path) -> Iterator[list[str]]:
    """What runs the tests of a mutant: a few fast ones that run its lines, texts, and the rest."""
    lines = range(mutant.line, mutant.line + mutant.before.count("\n") + 1)
    tests = covering.of(mutant.path, lines if mutant.in_function else None)
    texts = sorted((tree / "tests/filecheck").rglob(f"{Path(mutant.path).stem}*"))
    if tests:
        yield _pytest(tests[:FIRST], tree)
    if texts:
        yield _lit([str(each) for each in texts])
    if tests[FIRST:]:
        yield _pytest(tests[FIRST:], tree)
    yield _lit([str(tree / "tests/filecheck")])


def _pytest(tests: Sequence[str], tree: Path) -> list[str]:
    listed = tree / ".tests"
    listed.write_text("\n".join(tests))
    options = ("-x", "-q", "--no-header", "-n0", "--timeout=200", "-p", "no:cacheprovider")
    return [sys.executable, "-m", "pytest", *options, f"@{listed}"]


def _lit(paths: Sequence[str]) -> list[str]:
    return [str(Path(sys.executable).with_name("lit")), "-q", "-j1", "--max-failures=1", *paths]


def fate_of(mutant: Mutant, covering: CoveringTests, tree: Path) -> Fate:
    """Break a copy of the tree, run its tests, and mend it."""
    file, begin = tree / mutant.path, time.monotonic()
    whole = file.read_bytes()
    file.write_bytes(mutant.applied_to(whole))
    try:
        killer = _first_that_fails(_commands(mutant, covering, tree), tree)
    finally:
        file.write_bytes(whole)
    return Fate(mutant, killer, round(time.monotonic() - begin, 1))


def _first_that_fails(commands: Iterable[list[str]], tree: Path) -> str | None:
    # The copy stands in front of the installed tree; bytecode of a mutant must not outlive it.
    environment = os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    environment["XDG_CACHE_HOME"] = str(tree / ".cache")
    for command in commands:
        shown = Path(command[0]).name if "pytest" not in command else "pytest"
        try:
            done = subprocess.run(
                command,
                cwd=tree,
                env=environment,
                capture_output=True,
                timeout=MOST_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"{shown}: no end"
        if b"not found: " in done.stderr:
            sys.exit("tests have changed: remove the folder 'covering' beside the result")
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
    parser.add_argument("--output", type=Path, default=ROOT / "build/mutants.json")
    given = parser.parse_args()
    given.output.parent.mkdir(parents=True, exist_ok=True)
    fates = list[Fate]()
    covering = CoveringTests.recorded(ROOT, given.output.parent / "covering")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.jobs) as pool:
        free = _copies(given.jobs, Path(folder))

        def attempt(mutant: Mutant) -> Fate:
            tree = free.get()
            try:
                return fate_of(mutant, covering, tree)
            finally:
                free.put(tree)

        attempts = [
            pool.submit(attempt, each) for each in drawn(given.count, given.seed, given.packages)
        ]
        for done in as_completed(attempts):
            fates.append(fate := done.result())
            given.output.write_text(json.dumps([asdict(each) for each in fates], indent=1))
            each = fate.mutant
            verdict = f"killed by {fate.killed_by}" if fate.killed_by else "SURVIVES"
            print(f"{each.path}:{each.line}: {each.before} -> {each.after}: {verdict}", flush=True)
    killed = sum(each.killed_by is not None for each in fates)
    print(f"{killed} of {len(fates)} killed")


if __name__ == "__main__":
    main()
