// RUN: xdsl-opt %s --split-input-file -p 'vyre-unroll{limit=4},canonicalize' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-unroll{limit=4},vyre-unroll{limit=4},canonicalize' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-unroll{limit=4 loops=all},canonicalize' | filecheck %s --check-prefix=ALL
// RUN: xdsl-opt %s --split-input-file -p 'vyre-unroll{limit=4 loops=all},vyre-unroll{limit=4 loops=all},canonicalize' | filecheck %s --check-prefix=ALL

// Of a loop over private memory the offsets become known, and what it carries goes from copy to copy.
// CHECK-LABEL: vyre.kernel @private
// CHECK-NOT:     scf.for
// CHECK:         %value = vyre.load %tile[%{{.*}}]
// CHECK-NEXT:    %next = arith.addi %value, %first : i32
// CHECK:         %value_1 = vyre.load %tile[%{{.*}}]
// CHECK-NEXT:    %next_1 = arith.addi %next, %value_1 : i32
// CHECK:         %value_2 = vyre.load %tile[%{{.*}}]
// CHECK-NEXT:    %next_2 = arith.addi %next_1, %value_2 : i32
// CHECK-NEXT:    vyre.store %next_2, %out
vyre.kernel @private(%out: !vyre.buffer<64xi32, write_only>) workgroup_size [64] generator "private" {
  %tile = vyre.buffer @tile : !vyre.buffer<8xi32, read_write, private>
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %first = arith.constant 7 : i32
  %sum = scf.for %k = %c0 to %c8 step %c3 iter_args(%before = %first) -> (i32) {
    %value = vyre.load %tile[%k] : !vyre.buffer<8xi32, read_write, private> -> i32
    %next = arith.addi %before, %value : i32
    scf.yield %next : i32
  }
  vyre.store %sum, %out[%i] : i32, !vyre.buffer<64xi32, write_only>
}

// -----

// Bounds that the counter around them decides are known once that is.
// CHECK-LABEL: vyre.kernel @nested
// CHECK-NOT:     scf.for
// CHECK-COUNT-3: vyre.store %{{.*}}, %tile
// CHECK-NOT:     vyre.store
vyre.kernel @nested() workgroup_size [64] generator "nested" {
  %tile = vyre.buffer @tile : !vyre.buffer<8xi32, read_write, private>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  scf.for %k = %c0 to %c3 step %c1 {
    scf.for %l = %c0 to %k step %c1 {
      vyre.store %zero, %tile[%l] : i32, !vyre.buffer<8xi32, read_write, private>
    }
  }
}

// -----

// Too many iterations, an unknown number of them, and a loop that runs rarely stay; one that
// touches no private memory goes only if all are to.
// CHECK-LABEL: vyre.kernel @negative
// CHECK:         scf.for %too_many
// CHECK:         scf.for %unknown
// CHECK:         scf.for %rare
// CHECK:         scf.for %global
// ALL-LABEL:   vyre.kernel @negative
// ALL:           scf.for %too_many
// ALL:           scf.for %unknown
// ALL:           scf.for %rare
// ALL-NOT:       scf.for
// ALL-COUNT-4:   vyre.store %{{.*}}, %out
vyre.kernel @negative(%out: !vyre.buffer<?xi32, write_only>, %n: index) workgroup_size [64] generator "negative" {
  %tile = vyre.buffer @tile : !vyre.buffer<8xi32, read_write, private>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0 : i32
  scf.for %too_many = %c0 to %c5 step %c1 {
    vyre.store %zero, %tile[%too_many] : i32, !vyre.buffer<8xi32, read_write, private>
  }
  scf.for %unknown = %c0 to %n step %c1 {
    vyre.store %zero, %tile[%unknown] : i32, !vyre.buffer<8xi32, read_write, private>
  }
  scf.for %rare = %c0 to %c4 step %c1 {
    vyre.store %zero, %tile[%rare] : i32, !vyre.buffer<8xi32, read_write, private>
  } {vyre.unroll = 1 : i64}
  scf.for %global = %c0 to %c4 step %c1 {
    vyre.store %zero, %out[%global] : i32, !vyre.buffer<?xi32, write_only>
  }
}

// -----

// Bins stay memory, as the data choose among them: nothing is gained where their offsets are known.
// CHECK-LABEL: vyre.kernel @chosen_by_data
// CHECK:         scf.for
// CHECK:         scf.for
vyre.kernel @chosen_by_data(%in: !vyre.buffer<64xi32, read_only>, %out: !vyre.buffer<64xi32, write_only>) workgroup_size [64] generator "chosen_by_data" {
  %bins = vyre.buffer @bins : !vyre.buffer<4xi32, read_write, private>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  scf.for %bin = %c0 to %c4 step %c1 {
    vyre.store %zero, %bins[%bin] : i32, !vyre.buffer<4xi32, read_write, private>
  }
  scf.for %k = %c0 to %c4 step %c1 {
    %value = vyre.load %in[%k] : !vyre.buffer<64xi32, read_only> -> i32
    %bin = arith.index_cast %value : i32 to index
    %old = vyre.load %bins[%bin] : !vyre.buffer<4xi32, read_write, private> -> i32
    %new = arith.addi %old, %value : i32
    vyre.store %new, %bins[%bin] : i32, !vyre.buffer<4xi32, read_write, private>
  }
  %first = vyre.load %bins[%c0] : !vyre.buffer<4xi32, read_write, private> -> i32
  vyre.store %first, %out[%c0] : i32, !vyre.buffer<64xi32, write_only>
}

// -----

// What a kernel is given is the same for all: bounds that depend on it do not make places unknown.
// CHECK-LABEL: vyre.kernel @given_bound
// CHECK:         scf.for %item
// CHECK-NOT:       scf.for
// CHECK:           vyre.load %tile[%{{.*}}]
// CHECK:           vyre.load %tile[%{{.*}}]
// CHECK:         }
vyre.kernel @given_bound(%n: index, %out: !vyre.buffer<64xi32, write_only>) workgroup_size [64] generator "given_bound" {
  %tile = vyre.buffer @tile : !vyre.buffer<2xi32, read_write, private>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %item = %c0 to %n step %c1 {
    scf.for %k = %c0 to %c2 step %c1 {
      %there = arith.addi %item, %k : index
      %place = arith.subi %there, %item : index
      %value = vyre.load %tile[%place] : !vyre.buffer<2xi32, read_write, private> -> i32
      vyre.store %value, %out[%there] : i32, !vyre.buffer<64xi32, write_only>
    }
  }
}

// -----

// Nor is a loop written out that updates private memory where the data choose, though the tile that it reads would be
// known.
// CHECK-LABEL: vyre.kernel @chosen
// CHECK:         scf.for
// CHECK:           vyre.load %tile
// CHECK:           vyre.load %bins
// ALL-LABEL: vyre.kernel @chosen
// ALL-COUNT-4: vyre.load %bins
vyre.kernel @chosen(%out: !vyre.buffer<64xi32, write_only>) workgroup_size [64] generator "chosen" {
  %tile = vyre.buffer @tile : !vyre.buffer<4xi32, read_write, private>
  %bins = vyre.buffer @bins : !vyre.buffer<16xi32, read_write, private>
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  scf.for %k = %c0 to %c4 step %c1 {
    %value = vyre.load %tile[%k] : !vyre.buffer<4xi32, read_write, private> -> i32
    %bin = arith.index_cast %value : i32 to index
    %count = vyre.load %bins[%bin] : !vyre.buffer<16xi32, read_write, private> -> i32
    %more = arith.addi %count, %one : i32
    vyre.store %more, %bins[%bin] : i32, !vyre.buffer<16xi32, read_write, private>
  }
  %first = vyre.load %bins[%c0] : !vyre.buffer<16xi32, read_write, private> -> i32
  vyre.store %first, %out[%i] : i32, !vyre.buffer<64xi32, write_only>
}

// -----

// Nor is one in which another loop runs as long as the data say: each copy would be such a loop.
// CHECK-LABEL: vyre.kernel @bits
// CHECK:         scf.for
// CHECK:           vyre.load %tile
// CHECK:           scf.while
// CHECK-NOT:       scf.while
// CHECK:         vyre.store %sum, %out
// ALL-LABEL: vyre.kernel @bits
// ALL-NOT:     scf.for
// ALL-COUNT-4: scf.while
vyre.kernel @bits(%out: !vyre.buffer<64xi32, write_only>) workgroup_size [64] generator "bits" {
  %tile = vyre.buffer @tile : !vyre.buffer<4xi32, read_write, private>
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%so_far = %zero) -> (i32) {
    %value = vyre.load %tile[%k] : !vyre.buffer<4xi32, read_write, private> -> i32
    %left, %total = scf.while (%before = %value, %found = %so_far) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi ne, %before, %zero : i32
      scf.condition(%more) %before, %found : i32, i32
    } do {
    ^bb0(%rest: i32, %sum_so_far: i32):
      %less = arith.subi %rest, %one : i32
      %without = arith.andi %rest, %less : i32
      %next = arith.addi %sum_so_far, %one : i32
      scf.yield %without, %next : i32, i32
    }
    scf.yield %total : i32
  }
  vyre.store %sum, %out[%i] : i32, !vyre.buffer<64xi32, write_only>
}

// -----

// A loop over global memory that says that all of its iterations are to stand side by side.
// CHECK-LABEL:   vyre.kernel @stated
// CHECK-NOT:       scf.for
// CHECK-COUNT-4:   vyre.store %{{.*}}, %out
// ALL-LABEL:     vyre.kernel @stated
// ALL-COUNT-4:     vyre.store %{{.*}}, %out
vyre.kernel @stated(%out: !vyre.buffer<4xi32, write_only>) workgroup_size [64] generator "stated" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  scf.for %k = %c0 to %c4 step %c1 {
    vyre.store %zero, %out[%k] : i32, !vyre.buffer<4xi32, write_only>
  } {vyre.unroll = 4 : i64}
}

// -----

// A loop of more iterations than a word can count is left.
// CHECK-LABEL: vyre.kernel @endless
// CHECK:         scf.for
// ALL-LABEL: vyre.kernel @endless
// ALL:         scf.for
vyre.kernel @endless(%out: !vyre.buffer<64xi32, write_only>) workgroup_size [64] generator "endless" {
  %first = arith.constant -9223372036854775808 : index
  %last = arith.constant 9223372036854775807 : index
  %step = arith.constant 1 : index
  %one = arith.constant 1 : i32
  scf.for %k = %first to %last step %step {
    vyre.store %one, %out[%k] : i32, !vyre.buffer<64xi32, write_only>
  }
}
