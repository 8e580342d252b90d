"""Damaged files of every kind that vyre reads, drawn by a seed, and the commands that read them."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from support.mutations import ROOT, Outcomes, mutated, snapshot
from support.parquet_mutants import mutants
from vyre_dialect.runtime.cli import main

ADD = """
vyre.program @add {
  %a = vyre.buffer @a : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %a : !vyre.buffer<?xi8, read_only>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "add" invocations [%n] {
    %i = vyre.invocation_id x
    %first = arith.constant 0 : index
    %x = vyre.load %a[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %y = arith.extui %x : i8 to i32
    %old = vyre.atomic_rmw addi %y, %sum[%first] : i32, !vyre.buffer<1xi32, read_write>
  }
}
"""
LIVES = "id,lower,upper,size\n" + "".join(f"b{n},{n},{n + 3},{16 * n + 4}\n" for n in range(9))
_INPUT = ("--input", "a=text:abcdefgh")
_SPECIAL = (0, 0x7F, 0x80, 0xFF)


@dataclass(frozen=True)
class Kind:
    """Files of one kind."""

    name: str
    path: str
    """Where they lie in the folder; a pattern for those whose names vyre chooses."""
    commands: Sequence[Sequence[str]]
    """What reads them, one of which is drawn."""
    is_text: bool = False


KINDS = (
    Kind("npy", "a.npy", [["run", "add.mlir", "--input", "a=a.npy", "--device", "reference"]]),
    Kind("hints", "hints.json", [["compile", "add.mlir", "--hints", "hints.json"]], is_text=True),
    Kind(
        *("previous", "previous.json"),
        [["compile", "add.mlir", "--previous", "previous.json"]],
        is_text=True,
    ),
    Kind("csv", "lives.csv", [["plan", "lives.csv", "--seconds", "0"]], is_text=True),
    Kind(
        *("decisions", "cache/vyre/tuner/*.toml"),
        [["tune", "add.mlir", "--show"], ["run", "add.mlir", *_INPUT]],
        is_text=True,
    ),
    Kind(
        *("hot paths", "cache/vyre/hot-paths/*.json"),
        [["hot-paths", "show"], ["run", "add.mlir", *_INPUT]],
        is_text=True,
    ),
    Kind("kernels", "cache/vyre/kernels/*", [["run", "add.mlir", *_INPUT]]),
    Kind("programs", "cache/vyre/programs/*", [["run", "add.mlir", *_INPUT]]),
    Kind("parquet", "table.parquet", [["query", "table.parquet", "--device", "reference"]]),
)


def make_folder(folder: Path) -> None:
    """Fill the folder that one is in with a file of each kind, its cache with what runs leave."""
    (folder / "add.mlir").write_text(ADD)
    (folder / "lives.csv").write_text(LIVES)
    np.save(folder / "a.npy", np.arange(40, dtype=np.uint8))
    (folder / "table.parquet").touch()
    commands = (
        ["tune", "add.mlir", "--input", "a=random:100000:1", "--evaluations", "3"],
        ["run", "add.mlir", *_INPUT],
        ["compile", "add.mlir", "--report", "previous.json", "-o", "kernels.cl"],
    )
    for command in commands:
        assert main(command) == 0
    (hot_paths,) = folder.glob("cache/vyre/hot-paths/*.json")
    (folder / "hints.json").write_bytes(hot_paths.read_bytes())


def check_files(count: int, seed: int, folder: Path) -> tuple[Outcomes, Counter[str]]:
    """
    Let commands read `count` damaged files in `folder`, which `make_folder` has filled; what came
    of it, and of which kinds they were. Nothing else in the folder may change, but the cache.
    """
    outcomes, kinds = Outcomes(), Counter[str]()
    for number in range(count):
        draw = random.Random(f"file {seed} {number}")
        kind = draw.choice(KINDS)
        path = draw.choice([each for each in sorted(folder.glob(kind.path)) if each.is_file()])
        whole = path.read_bytes()
        path.write_bytes(_damaged(kind, whole, draw))
        before = _without_cache(folder)
        try:
            outcomes.check(draw.choice(kind.commands))
            assert _without_cache(folder) == before
        except AssertionError as error:
            raise AssertionError(f"file {number} of seed {seed}, {kind.name}: {error}") from error
        finally:
            path.write_bytes(whole)
        kinds[kind.name] += 1
    return outcomes, kinds


def _without_cache(folder: Path) -> dict[str, tuple[int, object]]:
    found = snapshot(folder)
    return {name: state for name, state in found.items() if not name.startswith("cache")}


def _damaged(kind: Kind, whole: bytes, draw: random.Random) -> bytes:
    if kind.name == "parquet":
        seed = draw.randrange(1 << 30)
        return next(mutants(range(seed, seed + 1)))[1]
    if kind.is_text and draw.randrange(5):
        text = mutated(whole.decode(errors="replace"), draw)
        return text.encode(errors="replace")
    return _with_other_bytes(whole, draw)


def _with_other_bytes(whole: bytes, draw: random.Random) -> bytes:
    """The bytes with a few of them changed, a part left out, or the end gone."""
    data = bytearray(whole)
    changes: list[Callable[[int], None]] = [
        lambda at: data.__setitem__(at, draw.choice(_SPECIAL)),
        lambda at: data.__setitem__(at, data[at] ^ 1 << draw.randrange(8)),
        lambda at: data.__delitem__(slice(at, at + draw.randrange(1, 30))),
        lambda at: data.__delitem__(slice(at, None)),
    ]
    for _ in range(draw.randrange(1, 4)):
        if data:
            draw.choice(changes)(draw.randrange(len(data)))
    return bytes(data)


def seed_schedules() -> list[str]:
    """The schedules that are broken: the policies, and those of the tests."""
    paths = [*(ROOT / "passes/schedule").glob("*.mlir")]
    paths += (ROOT / "tests/filecheck").rglob("*.mlir")
    texts = list[str]()
    for path in sorted(paths):
        if "invalid" not in str(path):
            texts += re.split(r"^// -----.*$", path.read_text(), flags=re.MULTILINE)
    return [text for text in texts if "vyre.schedule" in text]


def check_schedules(count: int, seed: int, folder: Path) -> Outcomes:
    """Compile a program in `folder` by `count` broken schedules; no file there may change."""
    outcomes, texts = Outcomes(), seed_schedules()
    for number in range(count):
        draw = random.Random(f"schedule {seed} {number}")
        text = mutated(draw.choice(texts), draw)
        (folder / "schedule.mlir").write_text(text, encoding="utf-8", errors="replace")
        before = snapshot(folder)
        try:
            outcomes.check(["compile", "add.mlir", "--schedule", "schedule.mlir"])
            assert snapshot(folder) == before
        except AssertionError as error:
            raise AssertionError(f"schedule {number} of seed {seed}:\n{text}\n{error}") from error
    return outcomes
