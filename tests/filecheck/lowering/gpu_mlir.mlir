// RUN: xdsl-opt %s -p vyre-outline-kernels -t vyre-gpu-mlir | filecheck %s

// A buffer is a memref, and its length stands behind it. An access is guarded unless it is proven to
// stay inside; a quotient is 0 where the divisor is.
vyre.program @quotients workgroup_size [64] {
  %in = vyre.buffer @in : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi32, read_only>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi32, read_write>
  vyre.region "quotients" invocations [%n] {
    %i = vyre.invocation_id x
    %a = vyre.load %in[%i] in_bounds : !vyre.buffer<?xi32, read_only> -> i32
    %seven = arith.constant 7 : i32
    %b = arith.divui %seven, %a : i32
    vyre.store %b, %out[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
}

// CHECK:      module attributes {gpu.container_module} {
// CHECK-NEXT:   gpu.module @kernels {
// CHECK-NEXT:     gpu.func @quotients_0_quotients(%in: memref<?xi32>, %in_len: index, %out: memref<?xi32>, %out_len: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
// CHECK-NEXT:       [[SIZE:%\S+]] = arith.constant 64 : index
// CHECK-NEXT:       [[GROUP:%\S+]] = gpu.block_id x
// CHECK-NEXT:       [[FIRST:%\S+]] = arith.muli [[GROUP]], [[SIZE]] : index
// CHECK-NEXT:       [[LOCAL:%\S+]] = gpu.thread_id x
// CHECK-NEXT:       [[I:%\S+]] = arith.addi [[FIRST]], [[LOCAL]] : index
// CHECK:              [[A:%\S+]] = memref.load %in{{\[}}[[I]]{{\]}} : memref<?xi32>
// CHECK:              [[ZERO:%\S+]] = arith.constant 0 : i32
// CHECK-NEXT:         [[IS_ZERO:%\S+]] = arith.cmpi eq, [[A]], [[ZERO]] : i32
// CHECK-NEXT:         [[ONE:%\S+]] = arith.constant 1 : i32
// CHECK-NEXT:         [[DIVISOR:%\S+]] = arith.select [[IS_ZERO]], [[ONE]], [[A]] : i1, i32
// CHECK-NEXT:         [[QUOTIENT:%\S+]] = arith.divui %seven, [[DIVISOR]] : i32
// CHECK-NEXT:         [[B:%\S+]] = arith.select [[IS_ZERO]], [[ZERO]], [[QUOTIENT]] : i1, i32
// CHECK-NEXT:         [[INSIDE:%\S+]] = arith.cmpi ult, [[I]], %out_len : index
// CHECK-NEXT:         scf.if [[INSIDE]] {
// CHECK-NEXT:           memref.store [[B]], %out{{\[}}[[I]]{{\]}} : memref<?xi32>
// CHECK-NEXT:         }
// CHECK-NEXT:         scf.yield
// CHECK-NEXT:       }
// CHECK-NEXT:       gpu.return
