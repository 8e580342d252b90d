// RUN: xdsl-opt %s --split-input-file -p 'vyre-vectorize{lanes=16},canonicalize,dce' | filecheck %s

// Lanes of one row of 64 update one element, by what they are combined to.
// CHECK-LABEL: vyre.program @rows
// CHECK:         %row = arith.divui %first, %c64 : index
// CHECK:         [[LEAST:%\S+]] = arith.minui %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:    %old = vyre.atomic_rmw minu [[LEAST]], %least[%row]
// CHECK-NEXT:  } else {
vyre.program @rows {
  %in = vyre.buffer @in : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi32, read_only>
  %least = vyre.buffer @least live_out fill -1 : i32 : !vyre.buffer<4096xi32, read_write>
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %c64 = arith.constant 64 : index
    %value = vyre.load %in[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %row = arith.divui %i, %c64 : index
    %old = vyre.atomic_rmw minu %value, %least[%row] : i32, !vyre.buffer<4096xi32, read_write>
  }
}

// -----

// A loop all of whose ops are of all lanes runs often enough that what follows may be done lane by lane.
// CHECK-LABEL: vyre.program @window
// CHECK:         scf.for
// CHECK-NEXT:      vyre.load %in{{.*}} -> vector<16xi32>
// CHECK-NEXT:      arith.maxsi {{.*}} : vector<16xi32>
vyre.program @window {
  %in = vyre.buffer @in : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi32, read_only>
  %most = vyre.buffer @most live_out : !vyre.buffer<4096xi32, read_write>
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %c33 = arith.constant 33 : index
    %c100 = arith.constant 100 : index
    %zero = arith.constant 0 : i32
    %end = arith.addi %i, %c33 : index
    %largest = scf.for %k = %i to %end step %c1 iter_args(%so_far = %zero) -> (i32) {
      %value = vyre.load %in[%k] : !vyre.buffer<?xi32, read_only> -> i32
      %next = arith.maxsi %so_far, %value : i32
      scf.yield %next : i32
    }
    %row = arith.divui %i, %c100 : index
    %old = vyre.atomic_rmw maxs %largest, %most[%row] : i32, !vyre.buffer<4096xi32, read_write>
  }
}
