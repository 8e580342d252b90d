// RUN: xdsl-opt %s -p 'vyre-vectorize{lanes=4 annotate=true}' | filecheck %s

// An arm that hands on to one that depends on its workgroups, which tiles are shared with as it is.
// CHECK: vyre.region "producer" invocations [64] attributes {vyre.not_vectorized = {reason = "cooperative", detail = "'consumer', which uses '@between', too, depends on the workgroup"}} {
// CHECK: vyre.region "aside" invocations [16] attributes {vyre.lanes = 4 : i64} {
vyre.program @beside_cooperative {
  %x = vyre.buffer @x : !vyre.buffer<64xi32, read_only>
  %between = vyre.buffer @between initial undefined : !vyre.buffer<64xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  %also = vyre.buffer @also live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "producer" invocations [64] {
    %i = vyre.invocation_id x
    %value = vyre.load %x[%i] : !vyre.buffer<64xi32, read_only> -> i32
    vyre.store %value, %between[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
  vyre.region "consumer" invocations [64] {
    %i = vyre.invocation_id x
    %value = vyre.load %between[%i] : !vyre.buffer<64xi32, read_write> -> i32
    vyre.barrier
    vyre.store %value, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
  vyre.region "aside" invocations [64] {
    %i = vyre.invocation_id x
    %value = vyre.load %x[%i] : !vyre.buffer<64xi32, read_only> -> i32
    vyre.store %value, %also[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}
