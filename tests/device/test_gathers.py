"""Elements that the data choose, some of which are in no buffer, are loaded by all lanes."""

from __future__ import annotations

import numpy as np
import pytest
from support.on_devices import require_results

from vyre_dialect.runtime.opencl.devices import Device

LOOK_UP = """
vyre.program @look_up {
  %codes = vyre.buffer @codes : !vyre.buffer<?xi32, read_only>
  %table = vyre.buffer @table : !vyre.buffer<COUNTxELEMENT, read_only>
  %n = vyre.buf_len %codes : !vyre.buffer<?xi32, read_only>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xELEMENT, read_write>
  vyre.region "look_up" invocations [%n] {
    %i = vyre.invocation_id x
    %coded = vyre.load %codes[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %mask = arith.constant MASK : i32
    %code = arith.xori %coded, %mask : i32
    %place = arith.index_cast %code : i32 to index
    %value = vyre.load %table[%place] : !vyre.buffer<COUNTxELEMENT, read_only> -> ELEMENT
    vyre.store %value, %out[%i] : ELEMENT, !vyre.buffer<?xELEMENT, read_write>
  }
}
"""
MASK = 85
EDGES = (0, 1, 4, 5, 6, 299, 300, -1, -(2**31), 2**31 - 1)
DTYPES = {"i8": np.uint8, "i32": np.int32, "i64": np.int64, "f32": np.float32}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("count", ["?", "5"])
@pytest.mark.parametrize("element", DTYPES)
def test_codes_of_no_element_are_looked_up_as_0(device: Device, element: str, count: str) -> None:
    text = LOOK_UP.replace("COUNT", count).replace("ELEMENT", element).replace("MASK", str(MASK))
    random = np.random.default_rng(1)
    counts = (5,) if count == "5" else (0, 1, 5, 300)
    inputs = [
        {
            "codes": random.choice(np.array(EDGES, np.int32), length) ^ MASK,
            "table": random.integers(1, 100, size).astype(DTYPES[element]),
        }
        for length in (0, 1, 15, 16, 17, 200)
        for size in counts
    ]
    require_results(device, text, inputs)
