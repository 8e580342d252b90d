"""Broken programs and command lines, drawn by a seed, and what may become of them."""

from __future__ import annotations

import io
import os
import random
import re
import signal
import traceback
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import FrameType

from vyre_dialect.runtime.cli import main

ROOT = Path(__file__).parents[2]
SUPPORT = Path(__file__).parent

PATIENCE_SECONDS = 10 if "VYRE_FUZZ_EXAMPLES" in os.environ else 60
"""Processor time after which a command hangs; more in tests, which busy machines may not fail."""

MOST_CHARACTERS = 5000
"""Longer programs take seconds as they are, and have no syntax that the shorter ones lack."""

SLOW = {"layers.mlir"}
"""Of nine arms in one: takes most of the time that a command may, as it is."""

TOKENS = re.compile(r'"(?:[^"\\\n]|\\.)*"|[%@!#^]?[\w.$]+|\S|\s+')
# A line of a program, and a caret below it.
EXCERPT = re.compile(r"\n    [^\n]*\n    [ ]*\^\n\Z")
STRANGE = [
    *("0", "-1", "4294967296", "99999999999999999999", "0x", "1.0", "1e999", "?", "x", "-", "->"),
    *('"', '"\\', '"\\FF"', "\\", "/*", "//", "{", "}", "(", ")", "[", "]", "<", ">", ":", ","),
    *("%", "@", "!", "#", "^", "{-#", "#-}", "...", "é", "¾", "\0", "\n", "\r", "\ufeff", "\u2028"),
    *("i0", "i1", "i65", "i16777216", "index", "f32", "none", "vector<4xi32>", "vector<0xi8>"),
    *("!vyre.buffer<", "!vyre.buffer<?xi8, read_write>", "tensor<?xi8>", "dense<0>", "live_out"),
    *("vyre.barrier", "scf.yield", "vyre.region", "builtin.module", "unrealized", "loc(unknown)"),
]


class HangError(BaseException):
    """A command took too long. Not an Exception, so that nobody takes it for one."""


@contextmanager
def patience() -> Generator[None]:
    """Raise HangError where what is done takes longer than it may."""

    def give_up(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise HangError

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def seed_programs() -> list[str]:
    """The programs that are broken: valid ones, of the examples, the gate and the tests."""
    paths = [*(ROOT / "examples").glob("*.mlir"), SUPPORT / "kernels.mlir"]
    paths += (ROOT / "benchmarks/programs").glob("*.mlir")
    paths += (ROOT / "tests/filecheck").rglob("*.mlir")
    texts = list[str]()
    for path in sorted(paths):
        if "invalid" not in str(path) and path.name not in SLOW:
            texts += re.split(r"^// -----.*$", path.read_text(), flags=re.MULTILINE)
    return [text for text in texts if "vyre.program" in text and len(text) <= MOST_CHARACTERS]


def mutated(text: str, draw: random.Random) -> str:
    """`text` with a few of its tokens or characters removed, repeated, exchanged or replaced."""
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        split: Callable[[str], list[str]] = draw.choice((TOKENS.findall, list))
        text = "".join(_mutate(split(text), draw))
    return text


def _mutate(parts: list[str], draw: random.Random) -> list[str]:
    if not parts:
        return [draw.choice(STRANGE)]
    at, other = draw.randrange(len(parts)), draw.randrange(len(parts))
    match draw.randrange(6):
        case 0:
            del parts[at]
        case 1:
            parts.insert(at, parts[other])
        case 2:
            parts[at], parts[other] = parts[other], parts[at]
        case 3:
            parts[at] = draw.choice(STRANGE)
        case 4:
            parts.insert(at, draw.choice(STRANGE))
        case _:
            del parts[at : at + draw.choice((2, 5, 20, len(parts)))]
    return parts


class Outcomes:
    """Runs commands, and counts what they came to."""

    def __init__(self) -> None:
        self.statuses = Counter[int | None]()

    def check(self, arguments: Sequence[str]) -> None:
        """
        Run a command, and assert that it ends, in time, and says why in one line, with nothing
        below but the line of the program that it is about.
        """
        out, err = io.StringIO(), io.StringIO()
        status: int | str | None
        try:
            with patience(), redirect_stdout(_Text(out)), redirect_stderr(err):
                status = main(list(arguments))
        except SystemExit as ended:  # as after --help
            status = ended.code or 0
        except HangError as error:
            where = "".join(traceback.format_tb(error.__traceback__)[-12:])
            raise AssertionError(f"{arguments!r} hangs:\n{where}") from error
        assert isinstance(status, int)
        self.statuses[status] += 1
        said = err.getvalue()
        assert status in (0, 1, 2), f"{arguments!r} exits {status}: {said}"
        assert "Traceback" not in said or "--debug" in arguments
        if status:
            last = EXCERPT.sub("", said).rstrip("\n").rpartition("\n")[2]
            assert last.startswith("vyre: error: ") or out.getvalue(), f"{arguments!r}: {said}"

    def __str__(self) -> str:
        return ", ".join(f"{count} exit {status}" for status, count in self.statuses.items())


class _Text(io.TextIOWrapper):
    """Standard output that is kept, and has bytes and a descriptor as a real one."""

    def __init__(self, text: io.StringIO):
        self._sink = open(os.devnull, "wb")
        super().__init__(self._sink, encoding="utf-8")
        self._text = text

    def write(self, text: str, /) -> int:
        return self._text.write(text)


def check_programs(count: int, seed: int, path: Path) -> Outcomes:
    """Compile and explain `count` broken programs, written to `path`, alone in its folder."""
    outcomes, texts = Outcomes(), seed_programs()
    assert len(texts) > 100
    for number in range(count):
        draw = random.Random(f"{seed} {number}")
        text = mutated(draw.choice(texts), draw)
        path.write_text(text, encoding="utf-8", errors="replace")
        command = draw.choice(("compile", "compile", "explain"))
        try:
            outcomes.check([command, str(path)])
            assert os.listdir(path.parent) == [path.name]
        except AssertionError as error:
            raise AssertionError(f"program {number} of seed {seed}:\n{text}\n{error}") from error
    return outcomes


def command_lines(folder: Path) -> list[list[str]]:
    """Command lines that work in `folder`, which `make_folder` has filled."""
    reference = ["--device", "reference"]
    run = ["run", "add.mlir", "--input", "a=a", "--input", "b=link", *reference]
    return [
        ["compile", "add.mlir"],
        ["compile", "add.mlir", "-o", "new.cl", "--json"],
        ["compile", "add.mlir", "-p", "vyre-expand,vyre-outline-kernels,canonicalize"],
        ["explain", "add.mlir", "--json"],
        ["compile", "add.mlir", "--dump", "dump", "--no-fuse", "--print-ir-after-all"],
        ["compile", "add.mlir", "--stop-after", "arms", "--before", "arms=cse", "-o", "new.mlir"],
        ["explain", "add.mlir", "-p", "vyre-decode-scan-fuse{strategy=workgroup tile=64}", "-v"],
        ["explain", "add.mlir", "--options", "vyre-coarsen{items=4}", "--skip", "canonicalize"],
        run,
        [*run, "--json", "--repeat", "2"],
        [*run, "--output", "sums=new.npy", "--check"],
        [*run, "--output", "sums=out-link", "--program", "add"],
        ["run", str(folder / "add.mlir"), "--input", "a=a.npy", "--input", "b=a", *reference],
    ]


WORDS = [
    *("-", "--", "-o", "-p", "--json", "--debug", "--check", "--device", "--input", "--output"),
    *("sums=new", "a=a", "a=", "=a", "=", "sums=folder", "sums=missing/x", "a=folder", "", "\n"),
    *("read-only", "folder", "missing", "run", "compile", "0", "-1", "9" * 20, "\udcff", "é"),
    *("vyre-expand", "canonicalize", "vyre-decode-scan-fuse{budget=-1}", "no-such-pass", "x{"),
    *("--dump", "--stop-before", "kernels", "--skip", "--after", "kernels=cse", "arms=x{", "dump"),
    *("--help", "--version", "--repeat", "--program", "reference", "cpu", "a" * 300, "new.npy/x"),
]


def mutated_command(arguments: Sequence[str], draw: random.Random) -> list[str]:
    """A command line with a few of its words removed, repeated, exchanged or changed."""
    words = list(arguments)
    for _ in range(draw.choice((1, 1, 2, 3))):
        at = draw.randrange(len(words)) if words else 0
        match draw.randrange(5):
            case 0 if words:
                del words[at]
            case 1 if words:
                words.insert(at, draw.choice(words))
            case 2 if words:
                words[at] = (
                    "".join(_mutate(list(words[at]), draw)).replace("/", "").replace("\0", "")
                )
            case 3 if words:
                words[at] = draw.choice(WORDS)
            case _:
                words.insert(at, draw.choice(WORDS))
    return words


def make_folder(folder: Path, program: str) -> None:
    """Fill a folder with a program, its inputs, and what must not be touched unasked."""
    (folder / "add.mlir").write_text(program)
    (folder / "a").write_bytes(b"\1\2\3\4")
    import numpy as np

    np.save(folder / "a.npy", np.arange(4, dtype=np.uint8))
    (folder / "out").write_bytes(b"old")
    (folder / "link").symlink_to("a")
    (folder / "out-link").symlink_to("out")
    (folder / "dangling").symlink_to("nowhere")
    os.mkfifo(folder / "pipe")
    (folder / "read-only").write_bytes(b"kept")
    (folder / "read-only").chmod(0o444)
    (folder / "folder").mkdir()
    (folder / "folder" / "inner").write_bytes(b"inner")


def snapshot(folder: Path) -> dict[str, tuple[int, object]]:
    """What stands in a folder: for each path its mode and its contents, target or device."""
    return {str(path.relative_to(folder)): _state(path) for path in sorted(folder.rglob("*"))}


def _state(path: Path) -> tuple[int, object]:
    mode = path.lstat().st_mode
    if path.is_symlink():
        return mode, os.readlink(path)
    return mode, path.read_bytes() if path.is_file() else None


def asked_for(arguments: Sequence[str], folder: Path) -> Iterator[str]:
    """The paths, relative to `folder`, that a command line may write to."""
    for word in arguments:
        for name in (word, word.partition("=")[2], word.removeprefix("-o")):
            path = Path(os.path.realpath(folder / name.replace("\0", "")))
            if path.is_relative_to(folder) and path != folder:
                yield str(path.relative_to(folder))
