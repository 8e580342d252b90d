vyre.program @p {
  %out = vyre.buffer @out live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "a" invocations [4] {
    %i = vyre.invocation_id x
    %x = arith.constant 1.0 : f32
    %c = "arith.cmpf"(%x, %x) <{predicate = 16 : i64, fastmath = #arith.fastmath<none>}> : (f32, f32) -> i1
    %v = arith.extui %c : i1 to i32
    vyre.store %v, %out[%i] : i32, !vyre.buffer<4xi32, read_write>
  }
}
