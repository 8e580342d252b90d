"""Arms of several axes are fused as if they had one, and lanes share what neighbours load."""

from __future__ import annotations

import numpy as np
import pytest
from support.on_devices import require_results
from support.tiers import crossed

from benchmarks.gate.programs import PROGRAMS
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context

PICTURE = """
vyre.program @picture workgroup_size [64] {{
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %shades = vyre.buffer @shades contents dense<[7, 3, 250, 0]> : vector<4xi8>
      : !vyre.buffer<4xi8, uniform>
  %length = vyre.buf_len %packed : !vyre.buffer<?xi8, read_only>
  %each = arith.constant {each} : index
  %width = arith.constant {width} : index
  %values = arith.muli %length, %each : index
  %height = arith.divui %values, %width : index
  %n = arith.muli %height, %width : index
  %cells = vyre.buffer @cells[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %columns = vyre.buffer @columns live_out : !vyre.buffer<{width}xi32, read_write>
  %rows = vyre.buffer @rows[%height] live_out : !vyre.buffer<?xi32, read_write>
  %edges = vyre.buffer @edges live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode" invocations [%n] {{
    %i = vyre.invocation_id x
    %of_byte = arith.constant {each} : index
    %bits = arith.constant {bits} : i32
    %mask = arith.constant 3 : i32
    %place = arith.divui %i, %of_byte : index
    %within = arith.remui %i, %of_byte : index
    %byte = vyre.load %packed[%place] : !vyre.buffer<?xi8, read_only> -> i8
    %word = arith.extui %byte : i8 to i32
    %number = arith.index_cast %within : index to i32
    %shift = arith.muli %number, %bits : i32
    %down = arith.shrui %word, %shift : i32
    %code = arith.andi %down, %mask : i32
    %row = arith.index_cast %code : i32 to index
    %shade = vyre.load %shades[%row] : !vyre.buffer<4xi8, uniform> -> i8
    vyre.store %shade, %cells[%i] : i8, !vyre.buffer<?xi8, read_write>
  }}
  vyre.region "scan" invocations [{width}, %height] {{
    %x = vyre.invocation_id x
    %y = vyre.invocation_id y
    %zero = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %wide = arith.constant {width} : index
    %last = arith.constant {last} : index
    %before = arith.muli %y, %wide : index
    %i = arith.addi %before, %x : index
    %right = arith.addi %i, %c1 : index
    %up = arith.subi %i, %wide : index
    %here = vyre.load %cells[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %next = vyre.load %cells[%right] : !vyre.buffer<?xi8, read_write> -> i8
    %above = vyre.load %cells[%up] : !vyre.buffer<?xi8, read_write> -> i8
    %rises = arith.cmpi ult, %here, %next : i8
    %falls = arith.cmpi ult, %above, %here : i8
    %is_inside = arith.cmpi ult, %x, %last : index
    %either = arith.ori %rises, %falls : i1
    %counts = arith.andi %either, %is_inside : i1
    %value = arith.extui %here : i8 to i32
    %one = arith.constant 1 : i32
    {updates}
  }}
}}
"""
UPDATES = {
    "edges": """
    scf.if %counts {
      %a = vyre.atomic_rmw addi %one, %edges[%zero] : i32, !vyre.buffer<1xi32, read_write>
    }""",
    "columns": """
    %a = vyre.atomic_rmw addi %value, %columns[%x] : i32, !vyre.buffer<{width}xi32, read_write>
    %b = vyre.atomic_rmw addi %one, %edges[%zero] : i32, !vyre.buffer<1xi32, read_write>""",
    "columns of edges": """
    scf.if %counts {
      %a = vyre.atomic_rmw maxu %value, %columns[%x] : i32, !vyre.buffer<{width}xi32, read_write>
    }""",
    "rows": """
    %a = vyre.atomic_rmw addi %value, %rows[%y] : i32, !vyre.buffer<?xi32, read_write>""",
}
WIDTHS = (3, 16, 48, 64, 100, 640)
HEIGHTS = (0, 1, 2, 7, 70)


def some_bytes(size: int) -> Array:
    """As many bytes."""
    return np.random.default_rng(size).integers(0, 256, size, np.uint8)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("each", "width", "updates"), crossed((1, 2, 4), WIDTHS, list(UPDATES)))
def test_pictures(device: Device, each: int, width: int, updates: str) -> None:
    text = UPDATES[updates].replace("{width}", str(width))
    program = PICTURE.format(
        each=each, bits=8 // each % 8, width=width, last=width - 1, updates=text
    )
    sizes = [height * width // each + 3 for height in HEIGHTS]
    require_results(device, program, [{"packed": some_bytes(size)} for size in sizes])


@pytest.mark.parametrize("name", ["volume_surface", "edge_pixels"])
def test_pictures_and_volumes_are_one_kernel(device: Device, name: str) -> None:
    module = load_module(PROGRAMS[name].path, make_context())
    kernels = compile_module(module, device=device.info).source.count("__kernel ")
    assert kernels == 1


TABLE = """
vyre.program @letters workgroup_size [64] {{
  %codes = vyre.buffer @codes : !vyre.buffer<?xi8, read_only>
  %table = vyre.buffer @table contents dense<{contents}> : vector<{size}x{type}>
      : !vyre.buffer<{size}x{type}, uniform>
  %n = vyre.buf_len %codes : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out[%n] live_out initial undefined : !vyre.buffer<?x{type}, read_write>
  vyre.region "look up" invocations [%n] {{
    %i = vyre.invocation_id x
    %mask = arith.constant 3 : i8
    %byte = vyre.load %codes[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %code = arith.andi %byte, %mask : i8
    %row = arith.index_cast %code : i8 to index
    %letter = vyre.load %table[%row] : !vyre.buffer<{size}x{type}, uniform> -> {type}
    vyre.store %letter, %out[%i] : {type}, !vyre.buffer<?x{type}, read_write>
  }}
}}
"""


@pytest.mark.parametrize("size", [4, 5, 17])
@pytest.mark.parametrize("type", ["i1", "i8", "i16", "i32", "i64"])
def test_small_tables(device: Device, type: str, size: int) -> None:
    numbers = [place % 2 if type == "i1" else place * 29 % 250 - 120 for place in range(size)]
    contents = [str(bool(each)).lower() if type == "i1" else str(each) for each in numbers]
    program = TABLE.format(contents=f"[{', '.join(contents)}]", size=size, type=type)
    lengths = (0, 1, 15, 16, 17, 1000)
    require_results(device, program, [{"codes": some_bytes(length)} for length in lengths])
