// RUN: xdsl-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: 'vyre.kernel' expected buffers that live at once apart, got '@a' and '@b' both at bytes [128, 256) of the arena in 'vyre.store'
vyre.kernel @overlap(%out: !vyre.buffer<64xi32, read_write>) workgroup_size [64] generator "overlap" arena_bytes 512 {
  %a = vyre.buffer @a arena_offset 0 : !vyre.buffer<64xi32, read_write, workgroup>
  %b = vyre.buffer @b arena_offset 128 : !vyre.buffer<64xi32, read_write, workgroup>
  %i = vyre.local_id x
  %x = arith.constant 1 : i32
  vyre.store %x, %a[%i] : i32, !vyre.buffer<64xi32, read_write, workgroup>
  vyre.store %x, %b[%i] : i32, !vyre.buffer<64xi32, read_write, workgroup>
}

// -----

// CHECK: 'vyre.kernel' expected an arena of at least 256 bytes for '@a', got 0
vyre.kernel @missing(%out: !vyre.buffer<64xi32, read_write>) workgroup_size [64] generator "missing" {
  %a = vyre.buffer @a arena_offset 0 : !vyre.buffer<64xi32, read_write, workgroup>
}

// -----

// CHECK: 'vyre.kernel' @unaligned: expected an arena offset of '@a' that is a multiple of 128, got 4
vyre.kernel @unaligned(%out: !vyre.buffer<64xi32, read_write>) workgroup_size [64] generator "unaligned" arena_bytes 512 {
  %a = vyre.buffer @a arena_offset 4 : !vyre.buffer<64xi32, read_write, workgroup>
}

// -----

// CHECK: 'vyre.buffer' @a: expected a non-negative arena offset, got -128
vyre.kernel @negative(%out: !vyre.buffer<64xi32, read_write>) workgroup_size [64] generator "negative" arena_bytes 512 {
  %a = vyre.buffer @a arena_offset -128 : !vyre.buffer<64xi32, read_write, workgroup>
}

// -----

// CHECK: 'vyre.kernel' @size: expected a non-negative size of the arena, got -1
vyre.kernel @size(%out: !vyre.buffer<64xi32, read_write>) workgroup_size [64] generator "size" arena_bytes -1 {
}

// -----

// CHECK: 'vyre.buffer' @a: expected an arena of workgroup memory, got private memory
vyre.kernel @private(%out: !vyre.buffer<64xi32, read_write>) workgroup_size [64] generator "private" arena_bytes 512 {
  %a = vyre.buffer @a arena_offset 0 : !vyre.buffer<64xi32, read_write, private>
}

// -----

// CHECK: 'vyre.buffer' @a: expected an arena of global memory, got workgroup memory
vyre.program @program arena_bytes 512 {
  %a = vyre.buffer @a arena_offset 0 : !vyre.buffer<64xi32, read_write, workgroup>
}
