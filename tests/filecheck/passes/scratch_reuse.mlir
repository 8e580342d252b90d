// RUN: xdsl-opt %s --split-input-file -p vyre-escape-analysis,vyre-scratch-reuse | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p vyre-escape-analysis,vyre-scratch-reuse,vyre-escape-analysis,vyre-scratch-reuse | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p vyre-escape-analysis,vyre-scratch-reuse{alignment=1} | filecheck %s --check-prefix PACKED

// Each handoff is dead before the one after the next comes.
// CHECK-LABEL: vyre.program @chain arena_bytes 2048 {
// PACKED-LABEL: vyre.program @chain arena_bytes 2000 {
vyre.program @chain {
  // CHECK: @a initial undefined non_escaping arena_offset 1024
  // PACKED: @a initial undefined non_escaping arena_offset 1000
  %a = vyre.buffer @a initial undefined : !vyre.buffer<1000xi8, read_write>
  // CHECK: @b initial undefined non_escaping arena_offset 0
  %b = vyre.buffer @b initial undefined : !vyre.buffer<1000xi8, read_write>
  // CHECK: @c initial undefined non_escaping arena_offset 1024
  %c = vyre.buffer @c initial undefined : !vyre.buffer<1000xi8, read_write>
  // CHECK: @out live_out escaping live_out :
  %out = vyre.buffer @out live_out : !vyre.buffer<1000xi8, read_write>
  vyre.region "one" invocations [1000] {
    %i = vyre.invocation_id x
    %x = arith.constant 1 : i8
    vyre.store %x, %a[%i] : i8, !vyre.buffer<1000xi8, read_write>
  }
  vyre.region "two" invocations [1000] {
    %i = vyre.invocation_id x
    %x = vyre.load %a[%i] : !vyre.buffer<1000xi8, read_write> -> i8
    vyre.store %x, %b[%i] : i8, !vyre.buffer<1000xi8, read_write>
  }
  vyre.region "three" invocations [1000] {
    %i = vyre.invocation_id x
    %x = vyre.load %b[%i] : !vyre.buffer<1000xi8, read_write> -> i8
    vyre.store %x, %c[%i] : i8, !vyre.buffer<1000xi8, read_write>
  }
  vyre.region "four" invocations [1000] {
    %i = vyre.invocation_id x
    %x = vyre.load %c[%i] : !vyre.buffer<1000xi8, read_write> -> i8
    vyre.store %x, %out[%i] : i8, !vyre.buffer<1000xi8, read_write>
  }
}

// -----

// What the host fills lives from its declaration on: the zeros must not be overwritten before.
// CHECK-LABEL: vyre.program @filled arena_bytes 1024 {
vyre.program @filled {
  // CHECK: @zeros non_escaping arena_offset
  %zeros = vyre.buffer @zeros : !vyre.buffer<512xi8, read_write>
  // CHECK: @early initial undefined non_escaping arena_offset
  %early = vyre.buffer @early initial undefined : !vyre.buffer<512xi8, read_write>
  vyre.region "one" invocations [512] {
    %i = vyre.invocation_id x
    %x = arith.constant 1 : i8
    vyre.store %x, %early[%i] : i8, !vyre.buffer<512xi8, read_write>
  }
  vyre.region "two" invocations [512] {
    %i = vyre.invocation_id x
    %x = arith.constant 1 : i8
    %old = vyre.load %zeros[%i] : !vyre.buffer<512xi8, read_write> -> i8
    vyre.store %x, %zeros[%i] : i8, !vyre.buffer<512xi8, read_write>
  }
}

// -----

// No offset holds for every run where a size is known at run time only.
// CHECK-LABEL: vyre.program @sized {
vyre.program @sized {
  // CHECK: @in non_escaping : !vyre.buffer<?xi8, read_only>
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  // CHECK: @a initial undefined non_escaping : !vyre.buffer<16xi8, read_write>
  %a = vyre.buffer @a initial undefined : !vyre.buffer<16xi8, read_write>
  vyre.region "one" invocations [16] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %x, %a[%i] : i8, !vyre.buffer<16xi8, read_write>
  }
}

// -----

// Nothing escapes nowhere: no arena; and one that was planned before is forgotten.
// CHECK-LABEL: vyre.program @nothing {
vyre.program @nothing arena_bytes 64 {
  %out = vyre.buffer @out live_out : !vyre.buffer<16xi8, read_write>
}

// -----

// What no arm touches needs no place, alone and beside what lives.
// CHECK-LABEL: vyre.program @untouched {
vyre.program @untouched {
  // CHECK: @a initial undefined non_escaping : !vyre.buffer<1000xi8, read_write>
  %a = vyre.buffer @a initial undefined : !vyre.buffer<1000xi8, read_write>
}

// -----

// CHECK-LABEL: vyre.program @untouched_beside arena_bytes 512 {
// PACKED-LABEL: vyre.program @untouched_beside arena_bytes 16 {
vyre.program @untouched_beside {
  // CHECK: @a initial undefined non_escaping : !vyre.buffer<1000xi8, read_write>
  %a = vyre.buffer @a initial undefined : !vyre.buffer<1000xi8, read_write>
  // CHECK: @in non_escaping arena_offset 0
  %in = vyre.buffer @in : !vyre.buffer<16xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<16xi8, read_write>
  %n = vyre.buf_len %a : !vyre.buffer<1000xi8, read_write>
  vyre.region "copy" invocations [%n] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<16xi8, read_only> -> i8
    vyre.store %x, %out[%i] : i8, !vyre.buffer<16xi8, read_write>
  }
}
