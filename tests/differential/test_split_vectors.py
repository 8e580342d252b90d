"""Vectors of any number of lanes give on devices what the interpreter gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.compilation import make_context, parse_module

CONTEXT = make_context()
ITEMS = 5
LANES = (5, 6, 7, 9, 12, 17, 24, 33, 64)

PROGRAM = """
vyre.program @p {
  %in = vyre.buffer @in : !vyre.buffer<?xTYPE, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<TOTALxTYPE, read_write>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<ITEMSxTYPE, read_write>
  vyre.region "r" invocations [ITEMS] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %lanes = arith.constant LANES : index
    %j = arith.muli %i, %lanes : index
    %v = vyre.load %in[%j] : !vyre.buffer<?xTYPE, read_only> -> vector<LANESxTYPE>
    %k = arith.constant dense<[NUMBERS]> : vector<LANESxTYPE>
    %w = scf.for %n = %zero to %i step %one iter_args(%acc = %v) -> (vector<LANESxTYPE>) {
      %s = arith.ADD %acc, %k : vector<LANESxTYPE>
      scf.yield %s : vector<LANESxTYPE>
    }
    %beyond = arith.constant 3 : index
    %far = arith.muli %i, %beyond : index
    %x = vector.extract %w[%far] : TYPE from vector<LANESxTYPE>
    %splat = vector.broadcast %x : TYPE to vector<LANESxTYPE>
    %y = vector.insert %x, %w [%far] : TYPE into vector<LANESxTYPE>
    %last = vector.extract %y[LAST] : TYPE from vector<LANESxTYPE>
    %z = vector.insert %last, %splat [0] : TYPE into vector<LANESxTYPE>
    %shuffled = vector.shuffle %y, %z [MASK] : vector<LANESxTYPE>, vector<LANESxTYPE>
    vyre.store %shuffled, %out[%j] : vector<LANESxTYPE>, !vyre.buffer<TOTALxTYPE, read_write>
    %sum = vector.reduction <add>, %shuffled : vector<LANESxTYPE> into TYPE
    %most = vector.reduction <MAX>, %y, %sum : vector<LANESxTYPE> into TYPE
    vyre.store %most, %sums[%i] : TYPE, !vyre.buffer<ITEMSxTYPE, read_write>
  }
}
"""


def program(type: str, lanes: int, mask: list[int]) -> str:
    is_float = type.startswith("f")
    values = {
        "NUMBERS": ", ".join(f"{k}.5" if is_float else str(k) for k in range(lanes)),
        "MASK": ", ".join(map(str, mask)),
        "ADD": "addf" if is_float else "addi",
        "MAX": "maxnumf" if is_float else "maxsi",
        "LAST": str(lanes - 1),
        "LANES": str(lanes),
        "ITEMS": str(ITEMS),
        "TOTAL": str(ITEMS * lanes - 2),  # a part of the last vector is dropped
        "TYPE": type,
    }
    text = PROGRAM
    for name, value in values.items():
        text = text.replace(name, value)
    return text


@pytest.mark.device
@pytest.mark.one_in(15)
@pytest.mark.parametrize(
    ("lanes", "type"),
    [*((lanes, "i32") for lanes in LANES), (5, "i8"), (33, "i8"), (7, "f32"), (24, "f32")],
)
def test_vectors_of_any_number_of_lanes(device: Device, lanes: int, type: str) -> None:
    rng = np.random.default_rng(lanes)
    mask = rng.integers(0, 2 * lanes, lanes).tolist()
    module = parse_module(program(type, lanes, mask), CONTEXT)
    dtype = np.dtype(type.replace("i8", "int8").replace("i32", "int32").replace("f32", "float32"))
    # The last elements are missing.
    data = rng.integers(0, 100, ITEMS * lanes - 3).astype(dtype)
    expected = run_module(module, {"in": data}, device="reference", context=CONTEXT).outputs
    found = run_module(module, {"in": data}, device=device, context=CONTEXT).outputs
    for name in ("out", "sums"):
        assert found[name].tobytes() == expected[name].tobytes(), name


MASKS = """
vyre.program @p {
  %counts = vyre.buffer @counts : !vyre.buffer<?xi64, read_only>
  %n = vyre.buf_len %counts : !vyre.buffer<?xi64, read_only>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "r" invocations [%n] {
    %i = vyre.invocation_id x
    %count = vyre.load %counts[%i] : !vyre.buffer<?xi64, read_only> -> i64
    %k = arith.index_cast %count : i64 to index
    %mask = vector.create_mask %k : vector<5xi1>
    %last = vector.extract %mask[4] : i1 from vector<5xi1>
    %byte = arith.extui %last : i1 to i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}
"""


@pytest.mark.device
def test_masks_of_any_count_are_split(device: Device) -> None:
    least = np.iinfo(np.int64).min
    counts = np.array([least, least + 5, -1, 0, 4, 5, 9, np.iinfo(np.int64).max])
    module = parse_module(MASKS, CONTEXT)
    found = run_module(module, {"counts": counts}, device=device, context=CONTEXT)
    assert found.outputs["out"].tolist() == [0, 0, 0, 0, 0, 1, 1, 1]


BITCAST = """
vyre.program @p {
  %in = vyre.buffer @in : !vyre.buffer<96xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<96xi8, read_write>
  vyre.region "r" invocations [1] {
    %i = vyre.invocation_id x
    %v = vyre.load %in[%i] : !vyre.buffer<96xi8, read_only> -> vector<FROM>
    %w = vector.bitcast %v : vector<FROM> to vector<TO>
    vyre.store %w, %out[%i] : vector<TO>, !vyre.buffer<96xi8, read_write>
  }
}
"""


@pytest.mark.slow
@given(
    size=st.sampled_from([8, 16, 24, 40, 48, 56, 64, 96]),
    widths=st.tuples(*[st.sampled_from([8, 16, 32, 64])] * 2),
)
def test_bits_are_cast_whatever_the_lanes(size: int, widths: tuple[int, int]) -> None:
    """By interpretation of the split form: `-p vyre-split-vectors` runs over arms, too."""
    given, taken = (f"{size * 8 // width}xi{width}" for width in widths)
    module = parse_module(BITCAST.replace("FROM", given).replace("TO", taken), CONTEXT)
    data = np.arange(96, dtype=np.uint8)
    run = run_module(
        module, {"in": data}, device="reference", pipeline="vyre-split-vectors", context=CONTEXT
    )
    assert run.outputs["out"].tolist() == [*range(size), *[0] * (96 - size)]
