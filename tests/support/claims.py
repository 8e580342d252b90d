"""Programs that claim what does not hold, each with what it gives when nobody believes it."""

from __future__ import annotations

import numpy as np

from vyre_dialect.runtime.interpreter.arrays import Array

DATA = np.arange(1, 17, dtype=np.uint8)
"""The contents of the input `a` of each program."""

_ARM = """
vyre.program @p {{
  %a = vyre.buffer @a : !vyre.buffer<16xi8, read_only>
  %o = vyre.buffer @o live_out : !vyre.buffer<16xi8, read_write>
  vyre.region "r" invocations [16] {{
    %i = vyre.invocation_id x
    %far = arith.constant {far} : index
    %j = arith.addi %i, %far{flags} : index
    {body}
  }}
}}
"""

_LOAD = """%v = vyre.load %a[%j] in_bounds : !vyre.buffer<16xi8, read_only> -> i8
    vyre.store %v, %o[%i] : i8, !vyre.buffer<16xi8, read_write>"""
_STORE = """%v = vyre.load %a[%i] : !vyre.buffer<16xi8, read_only> -> i8
    vyre.store %v, %o[%j] in_bounds : i8, !vyre.buffer<16xi8, read_write>"""
_ALIGNED = """%v = vyre.load %a[%j] aligned 4 : !vyre.buffer<16xi8, read_only> -> i32
    %t = arith.trunci %v : i32 to i8
    vyre.store %t, %o[%i] : i8, !vyre.buffer<16xi8, read_write>"""

# Past the largest number a sum is negative, which a believed flag denies.
_WRAPPED = """%zero = arith.constant 0 : index
    %positive = arith.cmpi sge, %j, %zero : index
    scf.if %positive {
      %v = vyre.load %a[%i] : !vyre.buffer<16xi8, read_only> -> i8
      vyre.store %v, %o[%i] : i8, !vyre.buffer<16xi8, read_write>
    }"""

# The counter is 0, and then a number that wraps around to one below 16.
_LOOP = """%zero = arith.constant 0 : index
    %step = arith.constant 9223372036854775800 : index
    %end = arith.constant 9223372036854775801 : index
    scf.for %k = %zero to %end step %step {
      %v = vyre.load %a[%i] : !vyre.buffer<16xi8, read_only> -> i8
      %p = arith.addi %k, %i : index
      vyre.store %v, %o[%p] : i8, !vyre.buffer<16xi8, read_write>
    } {vyre.no_wrap}"""

_KERNEL = """
vyre.program @p {
  %a = vyre.buffer @a : !vyre.buffer<16xi8, read_only>
  %o = vyre.buffer @o live_out : !vyre.buffer<16xi8, read_write>
  vyre.launch @k[4](%a, %o) : (!vyre.buffer<16xi8, read_only>, !vyre.buffer<16xi8, read_write>)
}
vyre.kernel @k(%a : !vyre.buffer<16xi8, read_only>, %o : !vyre.buffer<16xi8, read_write>)
    workgroup_size [16, 1, 1] generator "k" {
  %i = vyre.invocation_id x
  %far = arith.constant 16384 : index
  %p = arith.muli %i, %far : index
  %q = arith.addi %p, %i : index
  %v = vyre.load %a[%q] in_bounds : !vyre.buffer<16xi8, read_only> -> i8
  vyre.store %v, %o[%i] in_bounds : i8, !vyre.buffer<16xi8, read_write>
}
"""

_ATOMIC = """
vyre.program @p {
  %a = vyre.buffer @a : !vyre.buffer<16xi8, read_only>
  %n = vyre.buffer @n : !vyre.buffer<1xi32, read_write>
  %o = vyre.buffer @o live_out : !vyre.buffer<16xi8, read_write>
  vyre.region "r" invocations [16] {
    %i = vyre.invocation_id x
    %far = arith.constant 1099511627776 : index
    %j = arith.addi %i, %far : index
    %one = arith.constant 1 : i32
    %x = vyre.atomic_rmw addi %one, %n[%j] in_bounds : i32, !vyre.buffer<1xi32, read_write>
    %y = vyre.atomic_cas %x, %one, %n[%j] in_bounds : i32, !vyre.buffer<1xi32, read_write>
    %t = arith.trunci %y : i32 to i8
    vyre.store %t, %o[%i] : i8, !vyre.buffer<16xi8, read_write>
  }
}
"""

_FAR = 1 << 40
_NOTHING = np.zeros(16, np.uint8)

CLAIMS: dict[str, tuple[str, Array]] = {
    "a load": (_ARM.format(far=_FAR, flags="", body=_LOAD), _NOTHING),
    "a load nearby": (
        _ARM.format(far=8, flags="", body=_LOAD),
        np.concatenate([DATA[8:], _NOTHING[8:]]),
    ),
    "a store": (_ARM.format(far=_FAR, flags="", body=_STORE), _NOTHING),
    "an alignment": (
        _ARM.format(far=1, flags="", body=_ALIGNED),
        np.concatenate([DATA[1:], _NOTHING[:1]]),
    ),
    "a sum": (
        _ARM.format(far=2**63 - 8, flags=" overflow<nsw>", body=_WRAPPED),
        np.concatenate([DATA[:8], _NOTHING[8:]]),
    ),
    "a loop": (_ARM.format(far=0, flags="", body=_LOOP), DATA),
    "a kernel": (_KERNEL, np.concatenate([DATA[:1], _NOTHING[1:]])),
    "atomics": (_ATOMIC, _NOTHING),
}
"""Programs by what they claim, each with what is in `o` after a run."""
