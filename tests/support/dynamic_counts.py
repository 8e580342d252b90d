"""A program whose second arm has as many invocations as its first has counted."""


def counted(*, ids: str = "i32", count: str = "") -> str:
    """It gives as many `ids` as `values` add up to; `count` is what `@count` is declared with."""
    return f"""
vyre.program @counted {{
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count {count}: !vyre.buffer<1xi32, read_write>
  %n = vyre.buf_len %values : !vyre.buffer<?xi32, read_only>
  %c0 = arith.constant 0 : index
  vyre.region "count" invocations [%n] {{
    %i = vyre.invocation_id x
    %v = vyre.load %values[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %old = vyre.atomic_rmw addi %v, %count[%c0] : i32, !vyre.buffer<1xi32, read_write>
  }}
  %counted = vyre.load %count[%c0] : !vyre.buffer<1xi32, read_write> -> i32
  %m = arith.index_cast %counted : i32 to index
  %ids = vyre.buffer @ids[%m] live_out initial undefined : !vyre.buffer<?x{ids}, read_write>
  vyre.region "number" invocations [%m] {{
    %i = vyre.invocation_id x
    %id = arith.index_cast %i : index to {ids}
    vyre.store %id, %ids[%i] : {ids}, !vyre.buffer<?x{ids}, read_write>
  }}
}}
"""
