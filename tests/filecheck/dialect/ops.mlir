// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP
// Printing is idempotent, from the custom form and from the generic one.
// RUN: xdsl-opt %s > %t.mlir && xdsl-opt %t.mlir | diff %t.mlir -
// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | diff %t.mlir -

// CHECK: builtin.module {
// CHECK-GENERIC: "builtin.module"() ({
// Programs: with and without a workgroup size and a telemetry key, and with nothing inside.
vyre.program @empty {}

// CHECK-NEXT: vyre.program @empty {
// CHECK-NEXT: }

// CHECK-GENERIC-NEXT: "vyre.program"() <{sym_name = "empty"}> ({
// CHECK-GENERIC-NEXT: ^bb0:
// CHECK-GENERIC-NEXT: }) : () -> ()

vyre.program @options workgroup_size [8, 8, 1] entry_op_id "decode/7" attributes {note = "kept"} {
  // Buffers: every access mode, memory space and property.
  %input = vyre.buffer @input binding 0 : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %input : !vyre.buffer<?xi8, read_only>
  %sized = vyre.buffer @sized[%length] binding 1 live_out initial undefined output_range [0, 64] : !vyre.buffer<?xi32, read_write>
  %written = vyre.buffer @written live_out initial host : !vyre.buffer<64xvector<4xf32>, write_only>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %half = vyre.buffer @half fill 5.000000e-01 : f64 : !vyre.buffer<4xf64, read_write>
  %table = vyre.buffer @table contents dense<[1, 2, 3]> : vector<3xi8> : !vyre.buffer<3xi8, read_only>
  %key = vyre.buffer @key {hint = "small"} : !vyre.buffer<16xi8, uniform>
  %opaque = vyre.buffer @opaque : !vyre.buffer<4x!test.type<"tensor">, read_write>
  %tile = vyre.buffer @tile : !vyre.buffer<256xi32, read_write, workgroup>
  %scratch = vyre.buffer @scratch : !vyre.buffer<4xi64, read_write, private>
}

// CHECK-NEXT: vyre.program @options workgroup_size [8, 8, 1] entry_op_id "decode/7" attributes {note = "kept"} {
// CHECK-NEXT:   %input = vyre.buffer @input binding 0 : !vyre.buffer<?xi8, read_only>
// CHECK-NEXT:   %length = vyre.buf_len %input : !vyre.buffer<?xi8, read_only>
// CHECK-NEXT:   %sized = vyre.buffer @sized[%length] binding 1 live_out initial undefined output_range [0, 64] : !vyre.buffer<?xi32, read_write>
// CHECK-NEXT:   %written = vyre.buffer @written live_out initial host : !vyre.buffer<64xvector<4xf32>, write_only>
// CHECK-NEXT:   %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
// CHECK-NEXT:   %half = vyre.buffer @half fill 5.000000e-01 : f64 : !vyre.buffer<4xf64, read_write>
// CHECK-NEXT:   %table = vyre.buffer @table contents dense<[1, 2, 3]> : vector<3xi8> : !vyre.buffer<3xi8, read_only>
// CHECK-NEXT:   %key = vyre.buffer @key {hint = "small"} : !vyre.buffer<16xi8, uniform>
// CHECK-NEXT:   %opaque = vyre.buffer @opaque : !vyre.buffer<4x!test.type<"tensor">, read_write>
// CHECK-NEXT:   %tile = vyre.buffer @tile : !vyre.buffer<256xi32, read_write, workgroup>
// CHECK-NEXT:   %scratch = vyre.buffer @scratch : !vyre.buffer<4xi64, read_write, private>
// CHECK-NEXT: }

// CHECK-GENERIC-NEXT: "vyre.program"() <{sym_name = "options", workgroup_size = array<i64: 8, 8, 1>, entry_op_id = "decode/7"}> ({
// CHECK-GENERIC-NEXT:   %input = "vyre.buffer"() <{sym_name = "input", binding = 0 : i64}> : () -> !vyre.buffer<?xi8, read_only>
// CHECK-GENERIC-NEXT:   %length = "vyre.buf_len"(%input) : (!vyre.buffer<?xi8, read_only>) -> index
// CHECK-GENERIC-NEXT:   %sized = "vyre.buffer"(%length) <{sym_name = "sized", binding = 1 : i64, live_out, initial = #vyre<initial undefined>, output_range = array<i64: 0, 64>}> : (index) -> !vyre.buffer<?xi32, read_write>
// CHECK-GENERIC-NEXT:   %written = "vyre.buffer"() <{sym_name = "written", live_out, initial = #vyre<initial host>}> : () -> !vyre.buffer<64xvector<4xf32>, write_only>
// CHECK-GENERIC-NEXT:   %errors = "vyre.buffer"() <{sym_name = "errors", fill = -1 : i32}> : () -> !vyre.buffer<1xi32, read_write>
// CHECK-GENERIC-NEXT:   %half = "vyre.buffer"() <{sym_name = "half", fill = 5.000000e-01 : f64}> : () -> !vyre.buffer<4xf64, read_write>
// CHECK-GENERIC-NEXT:   %table = "vyre.buffer"() <{sym_name = "table", contents = dense<[1, 2, 3]> : vector<3xi8>}> : () -> !vyre.buffer<3xi8, read_only>
// CHECK-GENERIC-NEXT:   %key = "vyre.buffer"() <{sym_name = "key"}> {hint = "small"} : () -> !vyre.buffer<16xi8, uniform>
// CHECK-GENERIC-NEXT:   %opaque = "vyre.buffer"() <{sym_name = "opaque"}> : () -> !vyre.buffer<4x!test.type<"tensor">, read_write>
// CHECK-GENERIC-NEXT:   %tile = "vyre.buffer"() <{sym_name = "tile"}> : () -> !vyre.buffer<256xi32, read_write, workgroup>
// CHECK-GENERIC-NEXT:   %scratch = "vyre.buffer"() <{sym_name = "scratch"}> : () -> !vyre.buffer<4xi64, read_write, private>
// CHECK-GENERIC-NEXT: }) {note = "kept"} : () -> ()

// Arms: static and computed domains of one to three axes.
vyre.program @arms {
  %input = vyre.buffer @input : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %input : !vyre.buffer<?xi8, read_only>
  vyre.region "nothing" invocations [1] {}
  vyre.region "plane" source "nothing" invocations [%length, 3] workgroup_size [16, 4] {}
  vyre.region "space" invocations [2, %length, 4] workgroup_size [64] subgroup_size 16 attributes {note} {}
}

// CHECK-NEXT: vyre.program @arms {
// CHECK-NEXT:   %input = vyre.buffer @input : !vyre.buffer<?xi8, read_only>
// CHECK-NEXT:   %length = vyre.buf_len %input : !vyre.buffer<?xi8, read_only>
// CHECK-NEXT:   vyre.region "nothing" invocations [1] {
// CHECK-NEXT:   }
// CHECK-NEXT:   vyre.region "plane" source "nothing" invocations [%length, 3] workgroup_size [16, 4] {
// CHECK-NEXT:   }
// CHECK-NEXT:   vyre.region "space" invocations [2, %length, 4] workgroup_size [64] subgroup_size 16 attributes {note} {
// CHECK-NEXT:   }
// CHECK-NEXT: }

// CHECK-GENERIC-NEXT: "vyre.program"() <{sym_name = "arms"}> ({
// CHECK-GENERIC-NEXT:   %input = "vyre.buffer"() <{sym_name = "input"}> : () -> !vyre.buffer<?xi8, read_only>
// CHECK-GENERIC-NEXT:   %length = "vyre.buf_len"(%input) : (!vyre.buffer<?xi8, read_only>) -> index
// CHECK-GENERIC-NEXT:   "vyre.region"() <{generator = "nothing", static_invocations = array<i64: 1>}> ({
// CHECK-GENERIC-NEXT:   ^bb0:
// CHECK-GENERIC-NEXT:   }) : () -> ()
// CHECK-GENERIC-NEXT:   "vyre.region"(%length) <{generator = "plane", source_region = "nothing", static_invocations = array<i64: -9223372036854775808, 3>, workgroup_size = array<i64: 16, 4>}> ({
// CHECK-GENERIC-NEXT:   ^bb0:
// CHECK-GENERIC-NEXT:   }) : (index) -> ()
// CHECK-GENERIC-NEXT:   "vyre.region"(%length) <{generator = "space", static_invocations = array<i64: 2, -9223372036854775808, 4>, workgroup_size = array<i64: 64>, subgroup_size = 16 : i64}> ({
// CHECK-GENERIC-NEXT:   ^bb0:
// CHECK-GENERIC-NEXT:   }) {note} : (index) -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()

// Accesses: single elements, runs of elements, proven facts, atomics, the host's load.
vyre.program @accesses {
  %bytes = vyre.buffer @bytes : !vyre.buffer<64xi8, read_write>
  %words = vyre.buffer @words : !vyre.buffer<16xi32, read_write>
  %first = arith.constant 0 : index
  %host = vyre.load %words[%first] : !vyre.buffer<16xi32, read_write> -> i32
  vyre.region "accesses" invocations [16] {
    %i = vyre.invocation_id x
    %byte = vyre.load %bytes[%i] : !vyre.buffer<64xi8, read_write> -> i8
    %word = vyre.load %bytes[%i] in_bounds aligned 4 : !vyre.buffer<64xi8, read_write> -> i32
    %four = vyre.load %bytes[%i] aligned 16 {note} : !vyre.buffer<64xi8, read_write> -> vector<4xi32>
    vyre.store %byte, %bytes[%i] : i8, !vyre.buffer<64xi8, read_write>
    vyre.store %word, %bytes[%i] in_bounds aligned 4 : i32, !vyre.buffer<64xi8, read_write>
    vyre.store %four, %bytes[%i] in_bounds : vector<4xi32>, !vyre.buffer<64xi8, read_write>
    %o0 = vyre.atomic_rmw addi %word, %words[%i] : i32, !vyre.buffer<16xi32, read_write>
    %o1 = vyre.atomic_rmw andi %word, %words[%i] in_bounds : i32, !vyre.buffer<16xi32, read_write>
    %o2 = vyre.atomic_rmw ori %word, %words[%i] : i32, !vyre.buffer<16xi32, read_write>
    %o3 = vyre.atomic_rmw xori %word, %words[%i] : i32, !vyre.buffer<16xi32, read_write>
    %o4 = vyre.atomic_rmw maxs %word, %words[%i] : i32, !vyre.buffer<16xi32, read_write>
    %o5 = vyre.atomic_rmw maxu %word, %words[%i] : i32, !vyre.buffer<16xi32, read_write>
    %o6 = vyre.atomic_rmw mins %word, %words[%i] : i32, !vyre.buffer<16xi32, read_write>
    %o7 = vyre.atomic_rmw minu %word, %words[%i] : i32, !vyre.buffer<16xi32, read_write>
    %o8 = vyre.atomic_rmw assign %word, %words[%i] : i32, !vyre.buffer<16xi32, read_write>
    %o9 = vyre.atomic_cas %word, %o8, %words[%i] in_bounds : i32, !vyre.buffer<16xi32, read_write>
  }
}

// CHECK-NEXT: vyre.program @accesses {
// CHECK-NEXT:   %bytes = vyre.buffer @bytes : !vyre.buffer<64xi8, read_write>
// CHECK-NEXT:   %words = vyre.buffer @words : !vyre.buffer<16xi32, read_write>
// CHECK-NEXT:   %first = arith.constant 0 : index
// CHECK-NEXT:   %host = vyre.load %words[%first] : !vyre.buffer<16xi32, read_write> -> i32
// CHECK-NEXT:   vyre.region "accesses" invocations [16] {
// CHECK-NEXT:     %i = vyre.invocation_id x
// CHECK-NEXT:     %byte = vyre.load %bytes[%i] : !vyre.buffer<64xi8, read_write> -> i8
// CHECK-NEXT:     %word = vyre.load %bytes[%i] in_bounds aligned 4 : !vyre.buffer<64xi8, read_write> -> i32
// CHECK-NEXT:     %four = vyre.load %bytes[%i] aligned 16 {note} : !vyre.buffer<64xi8, read_write> -> vector<4xi32>
// CHECK-NEXT:     vyre.store %byte, %bytes[%i] : i8, !vyre.buffer<64xi8, read_write>
// CHECK-NEXT:     vyre.store %word, %bytes[%i] in_bounds aligned 4 : i32, !vyre.buffer<64xi8, read_write>
// CHECK-NEXT:     vyre.store %four, %bytes[%i] in_bounds : vector<4xi32>, !vyre.buffer<64xi8, read_write>
// CHECK-NEXT:     %o0 = vyre.atomic_rmw addi %word, %words[%i] : i32, !vyre.buffer<16xi32, read_write>
// CHECK-NEXT:     %o1 = vyre.atomic_rmw andi %word, %words[%i] in_bounds : i32, !vyre.buffer<16xi32, read_write>
// CHECK-NEXT:     %o2 = vyre.atomic_rmw ori %word, %words[%i] : i32, !vyre.buffer<16xi32, read_write>
// CHECK-NEXT:     %o3 = vyre.atomic_rmw xori %word, %words[%i] : i32, !vyre.buffer<16xi32, read_write>
// CHECK-NEXT:     %o4 = vyre.atomic_rmw maxs %word, %words[%i] : i32, !vyre.buffer<16xi32, read_write>
// CHECK-NEXT:     %o5 = vyre.atomic_rmw maxu %word, %words[%i] : i32, !vyre.buffer<16xi32, read_write>
// CHECK-NEXT:     %o6 = vyre.atomic_rmw mins %word, %words[%i] : i32, !vyre.buffer<16xi32, read_write>
// CHECK-NEXT:     %o7 = vyre.atomic_rmw minu %word, %words[%i] : i32, !vyre.buffer<16xi32, read_write>
// CHECK-NEXT:     %o8 = vyre.atomic_rmw assign %word, %words[%i] : i32, !vyre.buffer<16xi32, read_write>
// CHECK-NEXT:     %o9 = vyre.atomic_cas %word, %o8, %words[%i] in_bounds : i32, !vyre.buffer<16xi32, read_write>
// CHECK-NEXT:   }
// CHECK-NEXT: }

// CHECK-GENERIC-NEXT: "vyre.program"() <{sym_name = "accesses"}> ({
// CHECK-GENERIC-NEXT:   %bytes = "vyre.buffer"() <{sym_name = "bytes"}> : () -> !vyre.buffer<64xi8, read_write>
// CHECK-GENERIC-NEXT:   %words = "vyre.buffer"() <{sym_name = "words"}> : () -> !vyre.buffer<16xi32, read_write>
// CHECK-GENERIC-NEXT:   %first = "arith.constant"() <{value = 0 : index}> : () -> index
// CHECK-GENERIC-NEXT:   %host = "vyre.load"(%words, %first) <{value_type = i32}> : (!vyre.buffer<16xi32, read_write>, index) -> i32
// CHECK-GENERIC-NEXT:   "vyre.region"() <{generator = "accesses", static_invocations = array<i64: 16>}> ({
// CHECK-GENERIC-NEXT:     %i = "vyre.invocation_id"() <{axis = #vyre<axis x>}> : () -> index
// CHECK-GENERIC-NEXT:     %byte = "vyre.load"(%bytes, %i) <{value_type = i8}> : (!vyre.buffer<64xi8, read_write>, index) -> i8
// CHECK-GENERIC-NEXT:     %word = "vyre.load"(%bytes, %i) <{in_bounds, alignment = 4 : i64, value_type = i32}> : (!vyre.buffer<64xi8, read_write>, index) -> i32
// CHECK-GENERIC-NEXT:     %four = "vyre.load"(%bytes, %i) <{alignment = 16 : i64, value_type = vector<4xi32>}> {note} : (!vyre.buffer<64xi8, read_write>, index) -> vector<4xi32>
// CHECK-GENERIC-NEXT:     "vyre.store"(%byte, %bytes, %i) : (i8, !vyre.buffer<64xi8, read_write>, index) -> ()
// CHECK-GENERIC-NEXT:     "vyre.store"(%word, %bytes, %i) <{in_bounds, alignment = 4 : i64}> : (i32, !vyre.buffer<64xi8, read_write>, index) -> ()
// CHECK-GENERIC-NEXT:     "vyre.store"(%four, %bytes, %i) <{in_bounds}> : (vector<4xi32>, !vyre.buffer<64xi8, read_write>, index) -> ()
// CHECK-GENERIC-NEXT:     %o0 = "vyre.atomic_rmw"(%word, %words, %i) <{kind = #vyre<atomic_kind addi>}> : (i32, !vyre.buffer<16xi32, read_write>, index) -> i32
// CHECK-GENERIC-NEXT:     %o1 = "vyre.atomic_rmw"(%word, %words, %i) <{kind = #vyre<atomic_kind andi>, in_bounds}> : (i32, !vyre.buffer<16xi32, read_write>, index) -> i32
// CHECK-GENERIC-NEXT:     %o2 = "vyre.atomic_rmw"(%word, %words, %i) <{kind = #vyre<atomic_kind ori>}> : (i32, !vyre.buffer<16xi32, read_write>, index) -> i32
// CHECK-GENERIC-NEXT:     %o3 = "vyre.atomic_rmw"(%word, %words, %i) <{kind = #vyre<atomic_kind xori>}> : (i32, !vyre.buffer<16xi32, read_write>, index) -> i32
// CHECK-GENERIC-NEXT:     %o4 = "vyre.atomic_rmw"(%word, %words, %i) <{kind = #vyre<atomic_kind maxs>}> : (i32, !vyre.buffer<16xi32, read_write>, index) -> i32
// CHECK-GENERIC-NEXT:     %o5 = "vyre.atomic_rmw"(%word, %words, %i) <{kind = #vyre<atomic_kind maxu>}> : (i32, !vyre.buffer<16xi32, read_write>, index) -> i32
// CHECK-GENERIC-NEXT:     %o6 = "vyre.atomic_rmw"(%word, %words, %i) <{kind = #vyre<atomic_kind mins>}> : (i32, !vyre.buffer<16xi32, read_write>, index) -> i32
// CHECK-GENERIC-NEXT:     %o7 = "vyre.atomic_rmw"(%word, %words, %i) <{kind = #vyre<atomic_kind minu>}> : (i32, !vyre.buffer<16xi32, read_write>, index) -> i32
// CHECK-GENERIC-NEXT:     %o8 = "vyre.atomic_rmw"(%word, %words, %i) <{kind = #vyre<atomic_kind assign>}> : (i32, !vyre.buffer<16xi32, read_write>, index) -> i32
// CHECK-GENERIC-NEXT:     %o9 = "vyre.atomic_cas"(%word, %o8, %words, %i) <{in_bounds}> : (i32, i32, !vyre.buffer<16xi32, read_write>, index) -> i32
// CHECK-GENERIC-NEXT:   }) : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()

// What an invocation knows of itself, and how a workgroup cooperates.
vyre.program @cooperation {
  %global = vyre.buffer @global : !vyre.buffer<64xi32, read_only>
  %errors = vyre.buffer @errors fill -1 : i64 : !vyre.buffer<1xi64, read_write>
  %tile = vyre.buffer @tile : !vyre.buffer<64xi32, read_write, workgroup>
  vyre.region "cooperation" invocations [128, 1, 1] {
    %i = vyre.invocation_id x
    %j = vyre.invocation_id y
    %k = vyre.invocation_id z
    %g = vyre.workgroup_id x
    %l = vyre.local_id x
    %lane = vyre.subgroup_lane
    %sub = vyre.subgroup_id
    vyre.barrier
    vyre.barrier memfence workgroup
    vyre.barrier memfence global {note}
    %begin = arith.constant 0 : index
    %count = arith.constant 64 : index
    %token = vyre.async_copy %global[%begin], %tile[%begin], %count : !vyre.buffer<64xi32, read_only>, !vyre.buffer<64xi32, read_write, workgroup>
    vyre.async_wait %token
    %value = vyre.load %tile[%l] : !vyre.buffer<64xi32, read_write, workgroup> -> i32
    %other = vyre.subgroup_shuffle %value, %lane : i32
    %r0 = vyre.subgroup_reduce addi %value : i32
    %r1 = vyre.subgroup_reduce andi %value : i32
    %r2 = vyre.subgroup_reduce ori %value : i32
    %r3 = vyre.subgroup_reduce xori %value : i32
    %r4 = vyre.subgroup_reduce maxs %value : i32
    %r5 = vyre.subgroup_reduce maxu %value : i32
    %r6 = vyre.subgroup_reduce mins %value : i32
    %r7 = vyre.subgroup_reduce minu %value : i32
    vyre.trap "not a \22digit\22" at %i, %errors : !vyre.buffer<1xi64, read_write>
    %bytes = vyre.permute_bytes %value, %other [3, 2, 1, 4] : i32
  }
}

// CHECK-NEXT: vyre.program @cooperation {
// CHECK-NEXT:   %global = vyre.buffer @global : !vyre.buffer<64xi32, read_only>
// CHECK-NEXT:   %errors = vyre.buffer @errors fill -1 : i64 : !vyre.buffer<1xi64, read_write>
// CHECK-NEXT:   %tile = vyre.buffer @tile : !vyre.buffer<64xi32, read_write, workgroup>
// CHECK-NEXT:   vyre.region "cooperation" invocations [128, 1, 1] {
// CHECK-NEXT:     %i = vyre.invocation_id x
// CHECK-NEXT:     %j = vyre.invocation_id y
// CHECK-NEXT:     %k = vyre.invocation_id z
// CHECK-NEXT:     %g = vyre.workgroup_id x
// CHECK-NEXT:     %l = vyre.local_id x
// CHECK-NEXT:     %lane = vyre.subgroup_lane
// CHECK-NEXT:     %sub = vyre.subgroup_id
// CHECK-NEXT:     vyre.barrier
// CHECK-NEXT:     vyre.barrier memfence workgroup
// CHECK-NEXT:     vyre.barrier memfence global {note}
// CHECK-NEXT:     %begin = arith.constant 0 : index
// CHECK-NEXT:     %count = arith.constant 64 : index
// CHECK-NEXT:     %token = vyre.async_copy %global[%begin], %tile[%begin], %count : !vyre.buffer<64xi32, read_only>, !vyre.buffer<64xi32, read_write, workgroup>
// CHECK-NEXT:     vyre.async_wait %token
// CHECK-NEXT:     %value = vyre.load %tile[%l] : !vyre.buffer<64xi32, read_write, workgroup> -> i32
// CHECK-NEXT:     %other = vyre.subgroup_shuffle %value, %lane : i32
// CHECK-NEXT:     %r0 = vyre.subgroup_reduce addi %value : i32
// CHECK-NEXT:     %r1 = vyre.subgroup_reduce andi %value : i32
// CHECK-NEXT:     %r2 = vyre.subgroup_reduce ori %value : i32
// CHECK-NEXT:     %r3 = vyre.subgroup_reduce xori %value : i32
// CHECK-NEXT:     %r4 = vyre.subgroup_reduce maxs %value : i32
// CHECK-NEXT:     %r5 = vyre.subgroup_reduce maxu %value : i32
// CHECK-NEXT:     %r6 = vyre.subgroup_reduce mins %value : i32
// CHECK-NEXT:     %r7 = vyre.subgroup_reduce minu %value : i32
// CHECK-NEXT:     vyre.trap "not a \22digit\22" at %i, %errors : !vyre.buffer<1xi64, read_write>
// CHECK-NEXT:     %bytes = vyre.permute_bytes %value, %other [3, 2, 1, 4] : i32
// CHECK-NEXT:   }
// CHECK-NEXT: }

// CHECK-GENERIC-NEXT: "vyre.program"() <{sym_name = "cooperation"}> ({
// CHECK-GENERIC-NEXT:   %global = "vyre.buffer"() <{sym_name = "global"}> : () -> !vyre.buffer<64xi32, read_only>
// CHECK-GENERIC-NEXT:   %errors = "vyre.buffer"() <{sym_name = "errors", fill = -1 : i64}> : () -> !vyre.buffer<1xi64, read_write>
// CHECK-GENERIC-NEXT:   %tile = "vyre.buffer"() <{sym_name = "tile"}> : () -> !vyre.buffer<64xi32, read_write, workgroup>
// CHECK-GENERIC-NEXT:   "vyre.region"() <{generator = "cooperation", static_invocations = array<i64: 128, 1, 1>}> ({
// CHECK-GENERIC-NEXT:     %i = "vyre.invocation_id"() <{axis = #vyre<axis x>}> : () -> index
// CHECK-GENERIC-NEXT:     %j = "vyre.invocation_id"() <{axis = #vyre<axis y>}> : () -> index
// CHECK-GENERIC-NEXT:     %k = "vyre.invocation_id"() <{axis = #vyre<axis z>}> : () -> index
// CHECK-GENERIC-NEXT:     %g = "vyre.workgroup_id"() <{axis = #vyre<axis x>}> : () -> index
// CHECK-GENERIC-NEXT:     %l = "vyre.local_id"() <{axis = #vyre<axis x>}> : () -> index
// CHECK-GENERIC-NEXT:     %lane = "vyre.subgroup_lane"() : () -> index
// CHECK-GENERIC-NEXT:     %sub = "vyre.subgroup_id"() : () -> index
// CHECK-GENERIC-NEXT:     "vyre.barrier"() : () -> ()
// CHECK-GENERIC-NEXT:     "vyre.barrier"() <{memory_space = #vyre<memory_space workgroup>}> : () -> ()
// CHECK-GENERIC-NEXT:     "vyre.barrier"() <{memory_space = #vyre<memory_space global>}> {note} : () -> ()
// CHECK-GENERIC-NEXT:     %begin = "arith.constant"() <{value = 0 : index}> : () -> index
// CHECK-GENERIC-NEXT:     %count = "arith.constant"() <{value = 64 : index}> : () -> index
// CHECK-GENERIC-NEXT:     %token = "vyre.async_copy"(%global, %begin, %tile, %begin, %count) : (!vyre.buffer<64xi32, read_only>, index, !vyre.buffer<64xi32, read_write, workgroup>, index, index) -> !vyre.token
// CHECK-GENERIC-NEXT:     "vyre.async_wait"(%token) : (!vyre.token) -> ()
// CHECK-GENERIC-NEXT:     %value = "vyre.load"(%tile, %l) <{value_type = i32}> : (!vyre.buffer<64xi32, read_write, workgroup>, index) -> i32
// CHECK-GENERIC-NEXT:     %other = "vyre.subgroup_shuffle"(%value, %lane) : (i32, index) -> i32
// CHECK-GENERIC-NEXT:     %r0 = "vyre.subgroup_reduce"(%value) <{kind = #vyre<reduce_kind addi>}> : (i32) -> i32
// CHECK-GENERIC-NEXT:     %r1 = "vyre.subgroup_reduce"(%value) <{kind = #vyre<reduce_kind andi>}> : (i32) -> i32
// CHECK-GENERIC-NEXT:     %r2 = "vyre.subgroup_reduce"(%value) <{kind = #vyre<reduce_kind ori>}> : (i32) -> i32
// CHECK-GENERIC-NEXT:     %r3 = "vyre.subgroup_reduce"(%value) <{kind = #vyre<reduce_kind xori>}> : (i32) -> i32
// CHECK-GENERIC-NEXT:     %r4 = "vyre.subgroup_reduce"(%value) <{kind = #vyre<reduce_kind maxs>}> : (i32) -> i32
// CHECK-GENERIC-NEXT:     %r5 = "vyre.subgroup_reduce"(%value) <{kind = #vyre<reduce_kind maxu>}> : (i32) -> i32
// CHECK-GENERIC-NEXT:     %r6 = "vyre.subgroup_reduce"(%value) <{kind = #vyre<reduce_kind mins>}> : (i32) -> i32
// CHECK-GENERIC-NEXT:     %r7 = "vyre.subgroup_reduce"(%value) <{kind = #vyre<reduce_kind minu>}> : (i32) -> i32
// CHECK-GENERIC-NEXT:     "vyre.trap"(%i, %errors) <{message = "not a \22digit\22"}> : (index, !vyre.buffer<1xi64, read_write>) -> ()
// CHECK-GENERIC-NEXT:     %bytes = "vyre.permute_bytes"(%value, %other) <{positions = array<i64: 3, 2, 1, 4>}> : (i32, i32) -> i32
// CHECK-GENERIC-NEXT:   }) : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()

// Kernels and launches.
vyre.program @launches {
  %input = vyre.buffer @input : !vyre.buffer<?xi8, read_only>
  %input_len = vyre.buf_len %input : !vyre.buffer<?xi8, read_only>
  %groups = arith.constant 3 : index
  vyre.check_whole_workgroups %groups of 64 for "scan"
  vyre.launch @nothing[1]() : ()
  vyre.launch @work[%groups, 2](%input, %input_len, %groups) {note} : (!vyre.buffer<?xi8, read_only>, index, index)
}

// CHECK-NEXT: vyre.program @launches {
// CHECK-NEXT:   %input = vyre.buffer @input : !vyre.buffer<?xi8, read_only>
// CHECK-NEXT:   %input_len = vyre.buf_len %input : !vyre.buffer<?xi8, read_only>
// CHECK-NEXT:   %groups = arith.constant 3 : index
// CHECK-NEXT:   vyre.check_whole_workgroups %groups of 64 for "scan"
// CHECK-NEXT:   vyre.launch @nothing[1]() : ()
// CHECK-NEXT:   vyre.launch @work[%groups, 2](%input, %input_len, %groups) {note} : (!vyre.buffer<?xi8, read_only>, index, index)
// CHECK-NEXT: }

// CHECK-GENERIC-NEXT: "vyre.program"() <{sym_name = "launches"}> ({
// CHECK-GENERIC-NEXT:   %input = "vyre.buffer"() <{sym_name = "input"}> : () -> !vyre.buffer<?xi8, read_only>
// CHECK-GENERIC-NEXT:   %input_len = "vyre.buf_len"(%input) : (!vyre.buffer<?xi8, read_only>) -> index
// CHECK-GENERIC-NEXT:   %groups = "arith.constant"() <{value = 3 : index}> : () -> index
// CHECK-GENERIC-NEXT:   "vyre.check_whole_workgroups"(%groups) <{workgroup_size = 64 : i64, generator = "scan"}> : (index) -> ()
// CHECK-GENERIC-NEXT:   "vyre.launch"() <{kernel = @nothing, static_grid = array<i64: 1>, operandSegmentSizes = array<i32: 0, 0>}> : () -> ()
// CHECK-GENERIC-NEXT:   "vyre.launch"(%groups, %input, %input_len, %groups) <{kernel = @work, static_grid = array<i64: -9223372036854775808, 2>, operandSegmentSizes = array<i32: 1, 3>}> {note} : (index, !vyre.buffer<?xi8, read_only>, index, index) -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()
vyre.kernel @nothing() workgroup_size [64] generator "nothing" {}

// CHECK-NEXT: vyre.kernel @nothing() workgroup_size [64] generator "nothing" {
// CHECK-NEXT: }

// CHECK-GENERIC-NEXT: "vyre.kernel"() <{sym_name = "nothing", workgroup_size = array<i64: 64>, generator = "nothing"}> ({
// CHECK-GENERIC-NEXT: ^bb0:
// CHECK-GENERIC-NEXT: }) : () -> ()
vyre.kernel @work(%in : !vyre.buffer<?xi8, read_only>, %in_len: index, %n : index) workgroup_size [16, 4, 1] subgroup_size 8 generator "plane" attributes {note} {
  %tile = vyre.buffer @tile : !vyre.buffer<64xi8, read_write, workgroup>
  %i = vyre.invocation_id y
  %byte = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
  vyre.store %byte, %tile[%i] : i8, !vyre.buffer<64xi8, read_write, workgroup>
}

// CHECK-NEXT: vyre.kernel @work(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %n: index) workgroup_size [16, 4, 1] subgroup_size 8 generator "plane" attributes {note} {
// CHECK-NEXT:   %tile = vyre.buffer @tile : !vyre.buffer<64xi8, read_write, workgroup>
// CHECK-NEXT:   %i = vyre.invocation_id y
// CHECK-NEXT:   %byte = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
// CHECK-NEXT:   vyre.store %byte, %tile[%i] : i8, !vyre.buffer<64xi8, read_write, workgroup>
// CHECK-NEXT: }

// CHECK-GENERIC-NEXT: "vyre.kernel"() <{sym_name = "work", workgroup_size = array<i64: 16, 4, 1>, generator = "plane", subgroup_size = 8 : i64}> ({
// CHECK-GENERIC-NEXT: ^bb0(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %n: index):
// CHECK-GENERIC-NEXT:   %tile = "vyre.buffer"() <{sym_name = "tile"}> : () -> !vyre.buffer<64xi8, read_write, workgroup>
// CHECK-GENERIC-NEXT:   %i = "vyre.invocation_id"() <{axis = #vyre<axis y>}> : () -> index
// CHECK-GENERIC-NEXT:   %byte = "vyre.load"(%in, %i) <{value_type = i8}> : (!vyre.buffer<?xi8, read_only>, index) -> i8
// CHECK-GENERIC-NEXT:   "vyre.store"(%byte, %tile, %i) : (i8, !vyre.buffer<64xi8, read_write, workgroup>, index) -> ()
// CHECK-GENERIC-NEXT: }) {note} : () -> ()

// The dialect's attributes, where an op of another dialect holds them.
"test.op"() {access = #vyre<access uniform>, space = #vyre<memory_space private>, initial = #vyre<initial undefined>, axis = #vyre<axis z>, atomic = #vyre<atomic_kind assign>, reduce = #vyre<reduce_kind xori>, token = !vyre.token, buffer = !vyre.buffer<1xi1, read_only>} : () -> ()

// CHECK-NEXT: "test.op"() {access = #vyre<access uniform>, space = #vyre<memory_space private>, initial = #vyre<initial undefined>, axis = #vyre<axis z>, atomic = #vyre<atomic_kind assign>, reduce = #vyre<reduce_kind xori>, token = !vyre.token, buffer = !vyre.buffer<1xi1, read_only>} : () -> ()

// CHECK-GENERIC-NEXT: "test.op"() {access = #vyre<access uniform>, space = #vyre<memory_space private>, initial = #vyre<initial undefined>, axis = #vyre<axis z>, atomic = #vyre<atomic_kind assign>, reduce = #vyre<reduce_kind xori>, token = !vyre.token, buffer = !vyre.buffer<1xi1, read_only>} : () -> ()
