// RUN: xdsl-opt %s -p vyre-decode-scan-fuse | filecheck %s

// Nothing that is said of an arm is lost: not its subgroups, attributes or sources.

// CHECK-LABEL: vyre.program @hints
vyre.program @hints workgroup_size [64] entry_op_id "hot" {
  %in = vyre.buffer @in : !vyre.buffer<256xi32, read_only>
  %mid = vyre.buffer @mid binding 3 initial undefined {hint = "kept"} : !vyre.buffer<256xi32, read_write>
  %out = vyre.buffer @out live_out output_range [0, 64] : !vyre.buffer<256xi32, write_only>
  vyre.region "decode" source "a" invocations [256] attributes {first = 1 : i32} {
    %i = vyre.invocation_id x
    %v = vyre.load %in[%i] : !vyre.buffer<256xi32, read_only> -> i32
    vyre.store %v, %mid[%i] : i32, !vyre.buffer<256xi32, read_write>
  }
  vyre.region "scan" source "b" invocations [256] subgroup_size 16 attributes {second = 2 : i32} {
    %i = vyre.invocation_id x
    %v = vyre.load %mid[%i] : !vyre.buffer<256xi32, read_write> -> i32
    %s = vyre.subgroup_reduce addi %v : i32
    vyre.store %s, %out[%i] : i32, !vyre.buffer<256xi32, write_only>
  }
}

// CHECK-SAME: workgroup_size [64] entry_op_id "hot"
// CHECK:      vyre.buffer @mid {hint = "kept"} : !vyre.buffer<{{[0-9]+}}xi32, read_write, {{.*}}>
// CHECK:      vyre.buffer @out live_out output_range [0, 64]
// CHECK:      vyre.region "decode+scan" source "a+b" invocations [%{{.*}}] workgroup_size [64] subgroup_size 16 attributes {first = 1 : i32, second = 2 : i32}
