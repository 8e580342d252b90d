vyre.program @p {
  %out = vyre.buffer @out live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "a" invocations [4] {
    %i = vyre.invocation_id x
    %c = "arith.cmpi"(%i, %i) <{predicate = -1 : i64}> : (index, index) -> i1
    %v = arith.extui %c : i1 to i32
    vyre.store %v, %out[%i] : i32, !vyre.buffer<4xi32, read_write>
  }
}
