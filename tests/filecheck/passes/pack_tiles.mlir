// RUN: xdsl-opt %s --split-input-file -p vyre-pack-tiles | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p vyre-pack-tiles,vyre-pack-tiles | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p vyre-pack-tiles | xdsl-opt --split-input-file --print-op-generic | xdsl-opt --split-input-file | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p vyre-pack-tiles -t vyre-opencl | filecheck %s --check-prefix CL

// Nobody reads the first tile any more behind the second barrier.
// CHECK-LABEL: vyre.kernel @chain
// CHECK-SAME: generator "chain" arena_bytes 512 {
// CHECK: @a arena_offset 256
// CHECK: @b arena_offset 0
// CHECK: @c arena_offset 256
// CL-LABEL: void chain(
// CL: __local uchar tiles[512] __attribute__((aligned(128)));
// CL-NEXT: __local uint *const a = (__local uint *)&tiles[256];
// CL-NEXT: __local uint *const b = (__local uint *)&tiles[0];
// CL-NEXT: __local uint *const c = (__local uint *)&tiles[256];
vyre.kernel @chain(%out: !vyre.buffer<64xi32, read_write>) workgroup_size [64] generator "chain" {
  %a = vyre.buffer @a : !vyre.buffer<64xi32, read_write, workgroup>
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write, workgroup>
  %c = vyre.buffer @c : !vyre.buffer<64xi32, read_write, workgroup>
  %i = vyre.local_id x
  %x = arith.constant 1 : i32
  vyre.store %x, %a[%i] : i32, !vyre.buffer<64xi32, read_write, workgroup>
  vyre.barrier
  %y = vyre.load %a[%i] : !vyre.buffer<64xi32, read_write, workgroup> -> i32
  vyre.store %y, %b[%i] : i32, !vyre.buffer<64xi32, read_write, workgroup>
  vyre.barrier memfence workgroup
  %z = vyre.load %b[%i] : !vyre.buffer<64xi32, read_write, workgroup> -> i32
  vyre.store %z, %c[%i] : i32, !vyre.buffer<64xi32, read_write, workgroup>
  %w = vyre.load %c[%i] : !vyre.buffer<64xi32, read_write, workgroup> -> i32
  vyre.store %w, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
}

// -----

// Without a barrier between them an invocation may still read what another overwrites.
// CHECK-LABEL: vyre.kernel @unordered
// CHECK-NOT: arena
vyre.kernel @unordered(%out: !vyre.buffer<64xi32, read_write>) workgroup_size [64] generator "unordered" {
  %a = vyre.buffer @a : !vyre.buffer<64xi32, read_write, workgroup>
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write, workgroup>
  %i = vyre.local_id x
  %y = vyre.load %a[%i] : !vyre.buffer<64xi32, read_write, workgroup> -> i32
  vyre.store %y, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  %x = arith.constant 1 : i32
  vyre.store %x, %b[%i] : i32, !vyre.buffer<64xi32, read_write, workgroup>
}

// -----

// A barrier that orders other memory is none for tiles.
// CHECK-LABEL: vyre.kernel @other_memory
// CHECK-NOT: arena
vyre.kernel @other_memory(%out: !vyre.buffer<64xi32, read_write>) workgroup_size [64] generator "other" {
  %a = vyre.buffer @a : !vyre.buffer<64xi32, read_write, workgroup>
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write, workgroup>
  %i = vyre.local_id x
  %x = arith.constant 1 : i32
  vyre.store %x, %a[%i] : i32, !vyre.buffer<64xi32, read_write, workgroup>
  vyre.barrier memfence global
  vyre.store %x, %b[%i] : i32, !vyre.buffer<64xi32, read_write, workgroup>
}

// -----

// The workgroup may not come to a barrier in a branch.
// CHECK-LABEL: vyre.kernel @branch
// CHECK-NOT: arena
vyre.kernel @branch(%out: !vyre.buffer<64xi32, read_write>, %n: index) workgroup_size [64] generator "branch" {
  %a = vyre.buffer @a : !vyre.buffer<64xi32, read_write, workgroup>
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write, workgroup>
  %i = vyre.local_id x
  %x = arith.constant 1 : i32
  vyre.store %x, %a[%i] : i32, !vyre.buffer<64xi32, read_write, workgroup>
  %c = arith.cmpi eq, %n, %n : index
  scf.if %c {
    vyre.barrier
  }
  vyre.store %x, %b[%i] : i32, !vyre.buffer<64xi32, read_write, workgroup>
}

// -----

// The next turn of the loop writes the first tile while others may still read the second.
// CHECK-LABEL: vyre.kernel @loop
// CHECK-NOT: arena
vyre.kernel @loop(%out: !vyre.buffer<64xi32, read_write>, %n: index) workgroup_size [64] generator "loop" {
  %a = vyre.buffer @a : !vyre.buffer<64xi32, read_write, workgroup>
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write, workgroup>
  %i = vyre.local_id x
  %x = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    vyre.store %x, %a[%i] : i32, !vyre.buffer<64xi32, read_write, workgroup>
    vyre.barrier
    vyre.store %x, %b[%i] : i32, !vyre.buffer<64xi32, read_write, workgroup>
  }
}

// -----

// A copy fills its tile until it has been waited for, on whichever side of a barrier.
// CHECK-LABEL: vyre.kernel @copy
// CHECK-NOT: arena
vyre.kernel @copy(%in: !vyre.buffer<64xi32, read_only>, %out: !vyre.buffer<64xi32, read_write>) workgroup_size [64] generator "copy" {
  %a = vyre.buffer @a : !vyre.buffer<64xi32, read_write, workgroup>
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write, workgroup>
  %i = vyre.local_id x
  %x = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %token = vyre.async_copy %in[%c0], %a[%c0], %c64 : !vyre.buffer<64xi32, read_only>, !vyre.buffer<64xi32, read_write, workgroup>
  vyre.barrier
  vyre.store %x, %b[%i] : i32, !vyre.buffer<64xi32, read_write, workgroup>
  vyre.async_wait %token
}

// -----

// An arena that saves nothing goes, and what was planned for another body is planned anew.
// CHECK-LABEL: vyre.kernel @single
// CHECK-NOT: arena
vyre.kernel @single(%out: !vyre.buffer<64xi32, read_write>) workgroup_size [64] generator "single" arena_bytes 512 {
  %a = vyre.buffer @a arena_offset 256 : !vyre.buffer<64xi32, read_write, workgroup>
  %i = vyre.local_id x
  %x = arith.constant 1 : i32
  vyre.store %x, %a[%i] : i32, !vyre.buffer<64xi32, read_write, workgroup>
}

// -----

// What nobody uses any more goes, and takes no place: alone, no arena of no bytes is left.
// CHECK-LABEL: vyre.kernel @unused
// CHECK-SAME: generator "unused" {
// CHECK-NOT: @t
// CL-LABEL: void unused(
// CL-NEXT: __global uint *restrict out)
// CL-NEXT: {
// CL-NEXT: long l = get_local_id(0);
vyre.kernel @unused(%out: !vyre.buffer<4xi32, read_write>) workgroup_size [4] generator "unused" {
  %t = vyre.buffer @t : !vyre.buffer<4xi32, read_write, workgroup>
  %l = vyre.local_id x
  %one = arith.constant 1 : i32
  vyre.store %one, %out[%l] : i32, !vyre.buffer<4xi32, read_write>
}

// -----

// Beside a tile that lives, it does not count either.
// CHECK-LABEL: vyre.kernel @unused_beside
// CHECK-SAME: generator "unused_beside" {
// CHECK-NOT: @t
// CHECK: vyre.buffer @u : !vyre.buffer<4xi32, read_write, workgroup>
// CL-LABEL: void unused_beside(
// CL: __local uint u[4];
vyre.kernel @unused_beside(%out: !vyre.buffer<4xi32, read_write>) workgroup_size [4] generator "unused_beside" {
  %t = vyre.buffer @t : !vyre.buffer<64xi32, read_write, workgroup>
  %u = vyre.buffer @u : !vyre.buffer<4xi32, read_write, workgroup>
  %l = vyre.local_id x
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : i32
  vyre.store %one, %u[%l] : i32, !vyre.buffer<4xi32, read_write, workgroup>
  vyre.barrier
  %x = vyre.load %u[%zero] : !vyre.buffer<4xi32, read_write, workgroup> -> i32
  vyre.store %x, %out[%l] : i32, !vyre.buffer<4xi32, read_write>
}

// -----

// One that is asked for its length alone stays, apart from the arena of the others.
// CHECK-LABEL: vyre.kernel @measured
// CHECK-SAME: arena_bytes 256 {
// CHECK: vyre.buffer @t : !vyre.buffer<256xi32, read_write, workgroup>
// CHECK: @a arena_offset 0
// CHECK: @b arena_offset 0
vyre.kernel @measured(%out: !vyre.buffer<64xi32, read_write>) workgroup_size [64] generator "measured" {
  %t = vyre.buffer @t : !vyre.buffer<256xi32, read_write, workgroup>
  %a = vyre.buffer @a : !vyre.buffer<64xi32, read_write, workgroup>
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write, workgroup>
  %l = vyre.local_id x
  %n = vyre.buf_len %t : !vyre.buffer<256xi32, read_write, workgroup>
  %x = arith.index_cast %n : index to i32
  vyre.store %x, %a[%l] : i32, !vyre.buffer<64xi32, read_write, workgroup>
  %y = vyre.load %a[%l] : !vyre.buffer<64xi32, read_write, workgroup> -> i32
  vyre.barrier
  vyre.store %y, %b[%l] : i32, !vyre.buffer<64xi32, read_write, workgroup>
  %z = vyre.load %b[%l] : !vyre.buffer<64xi32, read_write, workgroup> -> i32
  vyre.store %z, %out[%l] : i32, !vyre.buffer<64xi32, read_write>
}
