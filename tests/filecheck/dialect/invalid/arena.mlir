// RUN: xdsl-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: 'vyre.program' expected buffers that live at once apart, got '@a' and '@b' both at bytes [8, 16) of the arena in 'vyre.region' "both"
vyre.program @overlap arena_bytes 24 {
  %a = vyre.buffer @a initial undefined non_escaping arena_offset 0 : !vyre.buffer<16xi8, read_write>
  %b = vyre.buffer @b initial undefined non_escaping arena_offset 8 : !vyre.buffer<16xi8, read_write>
  vyre.region "both" invocations [1] {
    %i = vyre.invocation_id x
    %x = vyre.load %a[%i] : !vyre.buffer<16xi8, read_write> -> i8
    vyre.store %x, %b[%i] : i8, !vyre.buffer<16xi8, read_write>
  }
}

// -----

// CHECK: 'vyre.program' expected an arena of at least 24 bytes for '@a', got 16
vyre.program @outside arena_bytes 16 {
  %a = vyre.buffer @a initial undefined non_escaping arena_offset 8 : !vyre.buffer<16xi8, read_write>
}

// -----

// CHECK: 'vyre.buffer' @a: expected a static size beside an arena offset
vyre.program @sized arena_bytes 16 {
  %a = vyre.buffer @a non_escaping arena_offset 8 : !vyre.buffer<?xi8, read_write>
}

// -----

// CHECK: 'vyre.buffer' @a: expected 'non_escaping' beside an arena offset
vyre.program @unmarked arena_bytes 16 {
  %a = vyre.buffer @a arena_offset 0 : !vyre.buffer<16xi8, read_write>
}

// -----

// CHECK: 'vyre.buffer' @a: expected a non-negative arena offset, got -1
vyre.program @negative arena_bytes 16 {
  %a = vyre.buffer @a non_escaping arena_offset -1 : !vyre.buffer<16xi8, read_write>
}

// -----

// CHECK: 'vyre.buffer' @a: expected either 'escaping' or 'non_escaping', got both
vyre.program @both {
  %a = vyre.buffer @a escaping table non_escaping : !vyre.buffer<16xi8, read_write>
}

// -----

// CHECK: 'vyre.buffer' @a: expected a buffer that is not live out to be 'non_escaping'
vyre.program @output {
  %a = vyre.buffer @a live_out non_escaping : !vyre.buffer<16xi8, read_write>
}

// -----

// CHECK: 'vyre.buffer' @t: expected 'escaping' or 'non_escaping' of a global buffer, got workgroup
vyre.program @mark_of_a_tile {
  %t = vyre.buffer @t non_escaping : !vyre.buffer<16xi8, read_write, workgroup>
}
