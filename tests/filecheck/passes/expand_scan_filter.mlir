// RUN: xdsl-opt %s --split-input-file -p vyre-expand,cse | filecheck %s
// Expanding twice is expanding once.
// RUN: xdsl-opt %s --split-input-file -p vyre-expand,vyre-expand,cse | filecheck %s

// Zeros past the end lie in the range, so they are taken off the count.

// CHECK-LABEL: vyre.program @with_zero
vyre.program @with_zero {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  vyre.scan.filter %values in [-5, 7) count %count sum %sum : !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi64, read_write>
}

// CHECK-NOT:  vyre.scan
// CHECK:      vyre.region "scan.filter" invocations [%invocations] {
// CHECK:        %first = arith.muli %i, %{{.*}} : index
// CHECK:        scf.for %offset
// CHECK:          %values{{.*}} = vyre.load %values[%{{.*}}] : {{.*}} -> vector<4xi32>
// CHECK-NEXT:     [[LOW:%.*]] = arith.constant dense<-5> : vector<4xi32>
// CHECK-NEXT:     arith.subi %values{{.*}}, [[LOW]] : vector<4xi32>
// CHECK:          %distances = arith.minui
// CHECK:          %inside = arith.minui
// CHECK:          [[SUMS:%.*]] = arith.addi %sums, %distances
// CHECK:          scf.yield %{{.*}}, [[SUMS]] : vector<4xi32>, vector<4xi32>
// CHECK:        %past_end = arith.maxsi
// CHECK:        scf.if
// CHECK-NEXT:     vyre.atomic_rmw addi %{{.*}}, %count
// CHECK:          vyre.atomic_rmw addi %sum{{.*}}, %sum

// -----

// CHECK-LABEL: vyre.program @without_zero
vyre.program @without_zero {
  %values = vyre.buffer @values : !vyre.buffer<100xi32, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi64, read_write>
  vyre.scan.filter %values in [1, 7) count %count : !vyre.buffer<100xi32, read_only>, !vyre.buffer<1xi64, read_write>
}

// CHECK:     vyre.region "scan.filter" invocations [7] {
// CHECK-NOT: arith.addi %sums
// CHECK-NOT: %past_end
// CHECK:     vyre.atomic_rmw addi %{{.*}}, %count
// CHECK-NOT: vyre.atomic_rmw

// -----

// Everything lies in the range of all values.

// CHECK-LABEL: vyre.program @all_values
vyre.program @all_values {
  %values = vyre.buffer @values : !vyre.buffer<100xi32, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi64, read_write>
  vyre.scan.filter %values in [-2147483648, 2147483648) count %count : !vyre.buffer<100xi32, read_only>, !vyre.buffer<1xi64, read_write>
}

// CHECK-NOT: arith.minui
// CHECK:     %past_end

// -----

// The sum of what is left of a wide range does not fit into 32 bits: its halves do.

// CHECK-LABEL: vyre.program @wide_range
vyre.program @wide_range {
  %values = vyre.buffer @values : !vyre.buffer<100xi32, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi64, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  vyre.scan.filter %values in [0, 1000000000) count %count sum %sum : !vyre.buffer<100xi32, read_only>, !vyre.buffer<1xi64, read_write>, !vyre.buffer<1xi64, read_write>
}

// CHECK:     vyre.region "scan.filter" invocations [7] {
// CHECK:       %chosen = arith.andi
// CHECK:       arith.shrsi %chosen

// -----

// A choice is for what the op leaves open, and can have.

// RUN: xdsl-opt %s --split-input-file -p 'vyre-expand{choices="values=64"}' | filecheck %s --check-prefix CHOSEN

// CHECK-LABEL: vyre.program @stated
// CHOSEN-LABEL: vyre.program @stated
vyre.program @stated {
  %values = vyre.buffer @values : !vyre.buffer<128xi32, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi64, read_write>
  vyre.scan.filter %values in [1, 7) count %count values 4 : !vyre.buffer<128xi32, read_only>, !vyre.buffer<1xi64, read_write>
  vyre.scan.filter %values in [1, 7) count %count : !vyre.buffer<128xi32, read_only>, !vyre.buffer<1xi64, read_write>
}

// CHECK:     invocations [32]
// CHECK:     invocations [8]
// CHOSEN:    invocations [32]
// CHOSEN:    invocations [2]

// -----

// A vector has as many lanes as asked for, or as an invocation tests values.

// CHOSEN-LABEL: vyre.program @lanes
vyre.program @lanes {
  %values = vyre.buffer @values : !vyre.buffer<128xi32, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi64, read_write>
  vyre.scan.filter %values in [1, 7) count %count lanes 16 : !vyre.buffer<128xi32, read_only>, !vyre.buffer<1xi64, read_write>
  vyre.scan.filter %values in [1, 7) count %count values 8 lanes 16 : !vyre.buffer<128xi32, read_only>, !vyre.buffer<1xi64, read_write>
}

// CHOSEN:     vyre.region "scan.filter" invocations [2] {
// CHOSEN:       vyre.load %values{{.*}} -> vector<16xi32>
// CHOSEN:     vyre.region "scan.filter" invocations [16] {
// CHOSEN:       vyre.load %values{{.*}} -> vector<8xi32>

// -----

// What each element adds is a one above 20 bits for its distance; sums of 16 fit a word of 32 bits. Codes past the end
// are zeros, whose terms are taken off.

// CHECK-LABEL: vyre.program @dictionary_filter
vyre.program @dictionary_filter {
  %codes = vyre.buffer @codes : !vyre.buffer<?xi16, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xi32, read_only>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  vyre.scan.dictionary_filter %codes table %table errors %errors in [1000, 50000) count %count sum %sum : !vyre.buffer<?xi16, read_only>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi64, read_write>
}

// CHECK:      %table_terms = vyre.buffer @table_terms[%entries] initial undefined : !vyre.buffer<?xi32, read_write>
// CHECK-NEXT: vyre.region "scan.dictionary_filter.terms" invocations [%entries] {
// CHECK:        %distance = arith.extui
// CHECK:        [[ONE:%.*]] = arith.constant 1048576 : i64
// CHECK:        arith.ori [[ONE]], %distance : i64
// CHECK:        arith.select
// CHECK:        vyre.store %{{.*}}, %table_terms[%i
// CHECK:      vyre.region "scan.dictionary_filter" invocations [%invocations] {
// CHECK:        scf.for %offset
// CHECK:          %codes{{.*}} = vyre.load %codes[%{{.*}}] : {{.*}} -> vector<4xi16>
// CHECK:          vyre.trap "invalid dictionary code"
// CHECK-COUNT-4:  vyre.load %table_terms
// CHECK:          arith.addi %sums, %{{.*}} : vector<4xi32>
// CHECK:        scf.if
// CHECK:          vyre.load %table_terms
// CHECK:        %found = arith.shrui %total
// CHECK:        vyre.atomic_rmw addi %found, %count
// CHECK:        vyre.atomic_rmw addi %sum{{.*}}, %sum

// -----

// The sum of 16 distances in a larger range does not fit one of 32 bits with a count.

// CHECK-LABEL: vyre.program @of_a_large_range
vyre.program @of_a_large_range {
  %codes = vyre.buffer @codes : !vyre.buffer<?xi16, read_only>
  %table = vyre.buffer @table : !vyre.buffer<64xi32, read_only>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  vyre.scan.dictionary_filter %codes table %table errors %errors in [0, 100000000) count %count sum %sum : !vyre.buffer<?xi16, read_only>, !vyre.buffer<64xi32, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi64, read_write>
}

// CHECK: %table_terms = vyre.buffer @table_terms initial undefined : !vyre.buffer<64xi64, read_write>
// CHECK: arith.addi %sums, %{{.*}} : vector<4xi64>
