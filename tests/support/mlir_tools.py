"""MLIR's own tools: what they make of kernels, and kernels that run on the processor by them."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from support.gpu_launches import Bytes, Launch

NVVM = "--gpu-lower-to-nvvm-pipeline=cubin-format=isa cubin-chip=sm_80 cubin-features=+ptx80"
TO_LLVM = (
    *("--arith-expand", "--convert-scf-to-cf", "--memref-expand", "--expand-strided-metadata"),
    *("--convert-vector-to-llvm", "--convert-math-to-llvm", "--finalize-memref-to-llvm"),
    *("--convert-arith-to-llvm", "--convert-func-to-llvm", "--convert-cf-to-llvm"),
    "--reconcile-unrealized-casts",
)


@cache
def _installed(package: str) -> Path | None:
    spec = find_spec(package)
    places = None if spec is None else spec.submodule_search_locations
    return Path(next(iter(places))) if places else None


def require_tools() -> None:
    """Skip a test where the extra `mlir` is not installed."""
    folder = _installed("mlir")
    if folder is None or not (folder / "bin" / "mlir-opt").exists() or _installed("llvm") is None:
        pytest.skip("the extra 'mlir' is not installed")


def run_tool(name: str, *arguments: str, given: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run a tool of MLIR, which reads a file as its standard input."""
    tools, libraries = _installed("mlir"), _installed("llvm")
    assert tools is not None and libraries is not None
    environment = os.environ | {"LD_LIBRARY_PATH": str(libraries / "lib")}
    with tempfile.TemporaryFile() as file:
        file.write(given)
        file.seek(0)
        command = [str(tools / "bin" / name), *arguments]
        return subprocess.run(
            command, stdin=file, env=environment, capture_output=True, check=False, timeout=120
        )


def mlir_opt(text: str, *passes: str) -> str:
    """What `mlir-opt` prints, which verifies it; an error of it is a failure."""
    done = run_tool("mlir-opt", *passes, given=text.encode())
    assert done.returncode == 0, f"{done.stderr.decode()[:4000]}\n{text}"
    return done.stdout.decode()


def ptx_of(text: str) -> str:
    """Kernels as PTX, by way of NVVM."""
    (assembly,) = re.findall(r'assembly = "((?:[^"\\]|\\.)*)"', mlir_opt(text, NVVM))
    raw = re.sub(r"\\([0-9A-F]{2})", lambda code: chr(int(code[1], 16)), assembly)
    return raw.rstrip("\0")


# On the processor.


def can_run_here(text: str, kernel: str) -> bool:
    """Whether invocations of a kernel may run one after the other."""
    function = _function(text, kernel)
    return "gpu.barrier" not in function and " workgroup(" not in function.partition("\n")[0]


def run_here(text: str, launch: Launch) -> list[Bytes]:
    """The bytes of all buffers after a launch whose invocations run one after the other."""
    sizes = [each.size for each in launch.arguments if not isinstance(each, int)]
    given = b"".join(each.tobytes() for each in launch.arguments if not isinstance(each, int))
    lowered = mlir_opt(_host_program(text, launch), *TO_LLVM)
    with tempfile.NamedTemporaryFile(suffix=".bin") as data:
        data.write(given)
        data.flush()
        done = _run_lowered(lowered, Path(data.name))
    ends = np.cumsum(sizes)[:-1]
    assert len(done) == sum(sizes)
    return np.split(np.frombuffer(done, np.uint8), ends)


def _run_lowered(lowered: str, data: Path) -> bytes:
    """What a program writes to standard output that reads `data` as standard input."""
    tools, libraries = _installed("mlir"), _installed("llvm")
    assert tools is not None and libraries is not None
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file, data.open("rb") as opened:
        file.write(lowered)
        file.flush()
        command = [str(tools / "bin" / "mlir-runner"), file.name, "-e", "main"]
        done = subprocess.run(
            [*command, "--entry-point-result=void", "-O0"],
            stdin=opened,
            env=os.environ | {"LD_LIBRARY_PATH": str(libraries / "lib")},
            capture_output=True,
            check=False,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr.decode()[:4000]
    return done.stdout


def _function(text: str, kernel: str) -> str:
    """The text of a kernel."""
    found = re.search(rf"^    gpu\.func @{kernel}\(.*?^    }}$", text, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[0]


_IDS = [f"{kind}_{axis}" for kind in ("block_id", "thread_id") for axis in "xyz"]


def _as_function(text: str) -> str:
    """A kernel as a function that takes its ids, too."""
    head, _, body = text.partition("\n")
    private = re.search(r" private\((.*?)\) kernel", head)
    locals_ = private[1].split(", %") if private else []
    allocated = [each.lstrip("%").replace(" : ", " = memref.alloca() : ", 1) for each in locals_]
    head = re.sub(r"\)(?: private\(.*\))? kernel attributes .*{$", "", head)
    head = head.replace("gpu.func", "func.func")
    ids = ", ".join(f"%{each}: index" for each in _IDS)
    comma = "" if head.endswith("(") else ", "
    lines = [f"{head}{comma}{ids}) {{", "%nothing = arith.constant 0 : index"]
    lines += [f"%{each}" for each in allocated]
    body = re.sub(
        r"gpu\.(block_id|thread_id) +([xyz])", r"arith.addi %\1_\2, %nothing : index", body
    )
    text = "\n".join((*lines, body.replace("gpu.return", "func.return")))
    return re.sub(r", #gpu\.address_space<\w+>", "", text)


def _host_program(text: str, launch: Launch) -> str:
    """A program that reads buffers, runs all invocations of a kernel, and writes the buffers."""
    function = _as_function(_function(text, launch.kernel))
    types = re.findall(r"%\w+: ([^,()]+?(?:<[^>]*>)?)(?=[,)])", function.partition("\n")[0])
    names, reading, writing = list[str](), list[str](), list[str]()
    for number, argument in enumerate(launch.arguments):
        if isinstance(argument, int):
            names.append(f"%argument{number}")
            reading.append(f"%argument{number} = arith.constant {argument} : index")
            continue
        lines = _allocated(number, types[number], argument.size)
        names.append(f"%argument{number}")
        reading += [*lines, _transfer("read", 0, number)]
        writing.append(_transfer("write", 1, number))
    loops, ends = _loops(launch)
    ids = [f"%at_{each}" for each in _IDS]
    call = f"func.call @{launch.kernel}({', '.join((*names, *ids))}) : ({', '.join(types)}) -> ()"
    body = "\n".join((*reading, *loops, call, *ends, *writing, "func.return"))
    return (
        "func.func private @read(i32, index, index) -> index\n"
        "func.func private @write(i32, index, index) -> index\n"
        f"{function}\nfunc.func @main() {{\n{body}\n}}\n"
    )


def _allocated(number: int, type: str, size: int) -> list[str]:
    """A memref of a type with room for some bytes, and for an element more."""
    bits = {"i8": 8, "i16": 16, "f16": 16, "i32": 32, "f32": 32, "i64": 64, "f64": 64}
    count, scalar = re.findall(r"memref<(\?|\d+)x(\w+)>", type)[0]
    elements = size // (bits[scalar] // 8)
    dynamic = f"%count{number}" if count == "?" else ""
    return [
        f"%count{number} = arith.constant {elements} : index",
        f"%size{number} = arith.constant {size} : index",
        f"%argument{number} = memref.alloc({dynamic}) : {type}",
        f"%place{number} = memref.extract_aligned_pointer_as_index %argument{number} "
        f": {type} -> index",
    ]


def _transfer(name: str, descriptor: int, number: int) -> str:
    return (
        f"%{name}_from{number} = arith.constant {descriptor} : i32\n"
        f"func.call @{name}(%{name}_from{number}, %place{number}, %size{number}) "
        ": (i32, index, index) -> index"
    )


def _loops(launch: Launch) -> tuple[list[str], list[str]]:
    """Loops around all invocations, and their ends."""
    starts = ["%zero = arith.constant 0 : index", "%one = arith.constant 1 : index"]
    for name, count in zip(_IDS, (*launch.grid, *launch.workgroup), strict=True):
        starts.append(f"%count_{name} = arith.constant {count} : index")
    starts += [f"scf.for %at_{each} = %zero to %count_{each} step %one {{" for each in _IDS]
    return starts, ["}"] * len(_IDS)
