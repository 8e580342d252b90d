// RUN: xdsl-opt %s -p vyre-optimize-integers --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-optimize-integers,vyre-optimize-integers --split-input-file | filecheck %s

// By lengths, ids, counters, guards, and what is computed from these.

// CHECK-LABEL: vyre.region "folded"
vyre.program @folded {
  %in = vyre.buffer @in : !vyre.buffer<64xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "folded" invocations [64, 1] {
    %i = vyre.invocation_id x
    // CHECK: %row = arith.constant 0 : index
    %row = vyre.invocation_id y
    // CHECK: %length = arith.constant 64 : index
    %length = vyre.buf_len %in : !vyre.buffer<64xi8, read_only>
    // CHECK: %inside = arith.constant true
    %inside = arith.cmpi slt, %i, %length : index
    %byte = vyre.load %in[%i] : !vyre.buffer<64xi8, read_only> -> i8
    %wide = arith.extui %byte : i8 to i32
    %c256 = arith.constant 256 : i32
    %c300 = arith.constant 300 : i32
    // CHECK: %low = arith.constant 0 : i32
    %low = arith.divui %wide, %c256 : i32
    // CHECK: %no = arith.constant false
    %no = arith.cmpi eq, %wide, %c300 : i32
    // CHECK: %signed = arith.constant true
    %signed = arith.cmpi slt, %wide, %c300 : i32
    // CHECK: %unsigned = arith.constant false
    %unsigned = arith.cmpi ugt, %wide, %c300 : i32
    %c32 = arith.constant 32 : index
    %guard = arith.cmpi slt, %i, %c32 : index
    // CHECK: scf.if
    scf.if %guard {
      // CHECK-NEXT: %again = arith.constant false
      %again = arith.cmpi sge, %i, %c32 : index
      scf.if %again {
        vyre.store %low, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
      }
    }
    scf.if %no {
      vyre.store %low, %out[%row] : i32, !vyre.buffer<64xi32, read_write>
    }
    scf.if %signed {
      vyre.store %low, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
    }
    scf.if %unsigned {
      vyre.store %low, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
    }
    scf.if %inside {
      vyre.store %low, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
    }
  }
}

// -----

// What may be more than one number; signed comparisons of numbers that may have the sign bit; host
// code, whose sizes are the host's.

// CHECK-LABEL: vyre.program @kept
vyre.program @kept {
  %in = vyre.buffer @in : !vyre.buffer<?xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  // CHECK: vyre.buf_len %out
  %n = vyre.buf_len %out : !vyre.buffer<64xi32, read_write>
  vyre.region "kept" invocations [%n] {
    %i = vyre.invocation_id x
    // CHECK: vyre.buf_len %in
    %length = vyre.buf_len %in : !vyre.buffer<?xi32, read_only>
    // CHECK: arith.cmpi slt
    %inside = arith.cmpi slt, %i, %length : index
    %x = vyre.load %in[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %big = arith.constant 2147483648 : i32
    %high = arith.ori %x, %big : i32
    %zero = arith.constant 0 : i32
    // CHECK: arith.cmpi slt
    %negative = arith.cmpi slt, %high, %zero : i32
    %both = arith.andi %inside, %negative : i1
    scf.if %both {
      vyre.store %x, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
    }
  }
}
