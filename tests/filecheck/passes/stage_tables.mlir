// RUN: xdsl-opt %s --split-input-file -p 'vyre-stage-tables{budget=1024}' | filecheck %s
// Staging twice is staging once.
// RUN: xdsl-opt %s --split-input-file -p 'vyre-stage-tables{budget=1024},vyre-stage-tables{budget=1024}' | filecheck %s
// Nothing is staged where no memory is given for it.
// RUN: xdsl-opt %s --split-input-file -p vyre-stage-tables | filecheck %s --check-prefix NONE
// RUN: xdsl-opt %s --split-input-file -p 'vyre-stage-tables{budget=-1}' --verify-diagnostics | filecheck %s --check-prefix BUDGET

// NONE-NOT: _of_group
// BUDGET: 'vyre-stage-tables' expected no negative budget, got -1

// The data choose the place, in a loop: the table is copied in vectors, and what is proven of an
// access stays. Past the end of the table its copy holds the zeros that are read there.

// CHECK-LABEL: vyre.program @looked_up
// CHECK:         %table_of_group = vyre.buffer @table_of_group : !vyre.buffer<208xi8, read_write, workgroup>
// CHECK-NEXT:    vyre.region "map" invocations [128] workgroup_size [64] {
// CHECK:           scf.for %{{.*}} = %lane to %{{.*}} step
// CHECK:             vyre.load %table[%position] : !vyre.buffer<200xi8, read_only> -> vector<4xi32>
// CHECK-NEXT:        vyre.store %{{.*}}, %table_of_group[%position] in_bounds
// CHECK:           vyre.barrier memfence workgroup
// CHECK:           scf.if
// CHECK:             scf.for
// CHECK:               vyre.load %table_of_group[%{{.*}}] in_bounds
// CHECK:               vyre.load %table_of_group[%{{[a-z]+}}] : !vyre.buffer<208xi8, read_write, workgroup>
vyre.program @looked_up workgroup_size [64] {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %table = vyre.buffer @table : !vyre.buffer<200xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<100xi8, read_write>
  vyre.region "map" invocations [100] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %low = arith.constant 127 : i8
    scf.for %k = %c0 to %c8 step %c1 {
      %at = arith.addi %i, %k : index
      %byte = vyre.load %text[%at] : !vyre.buffer<?xi8, read_only> -> i8
      %seven = arith.andi %byte, %low : i8
      %inside = arith.index_cast %seven : i8 to index
      %first = vyre.load %table[%inside] in_bounds : !vyre.buffer<200xi8, read_only> -> i8
      %any = arith.index_cast %first : i8 to index
      %second = vyre.load %table[%any] : !vyre.buffer<200xi8, read_only> -> i8
      vyre.store %second, %out[%i] : i8, !vyre.buffer<100xi8, read_write>
    }
  }
}

// -----

// Looked up once, a table costs less than its copy; ids and counters choose neighbouring places.

// CHECK-LABEL: vyre.program @not_worth_it
// CHECK-NOT: _of_group
vyre.program @not_worth_it workgroup_size [64] {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %table = vyre.buffer @table : !vyre.buffer<200xi8, read_only>
  %key = vyre.buffer @key : !vyre.buffer<64xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, read_write>
  vyre.region "once" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    %at = arith.index_cast %byte : i8 to index
    %found = vyre.load %table[%at] : !vyre.buffer<200xi8, read_only> -> i8
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %k = %c0 to %c8 step %c1 {
      %place = arith.addi %i, %k : index
      %letter = vyre.load %key[%place] : !vyre.buffer<64xi8, read_only> -> i8
      %both = arith.xori %found, %letter : i8
      vyre.store %both, %out[%i] : i8, !vyre.buffer<64xi8, read_write>
    }
  }
}

// -----

// What the arm writes is no table, what has no static size may be of any, and what is too large
// does not fit beside what the arm has already.

// CHECK-LABEL: vyre.program @no_tables
// CHECK-NOT: _of_group
vyre.program @no_tables workgroup_size [64] {
  %written = vyre.buffer @written live_out : !vyre.buffer<64xi8, read_write>
  %sized = vyre.buffer @sized : !vyre.buffer<?xi8, read_only>
  %large = vyre.buffer @large : !vyre.buffer<1000xi8, read_only>
  %tile = vyre.buffer @tile : !vyre.buffer<64xi8, read_write, workgroup>
  vyre.region "walk" invocations [64] {
    %lane = vyre.local_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0 : i8
    vyre.store %zero, %tile[%lane] : i8, !vyre.buffer<64xi8, read_write, workgroup>
    scf.for %k = %c0 to %c8 step %c1 {
      %a = vyre.load %tile[%lane] : !vyre.buffer<64xi8, read_write, workgroup> -> i8
      %at = arith.index_cast %a : i8 to index
      %b = vyre.load %written[%lane] : !vyre.buffer<64xi8, read_write> -> i8
      %c = vyre.load %sized[%at] : !vyre.buffer<?xi8, read_only> -> i8
      %d = vyre.load %large[%at] : !vyre.buffer<1000xi8, read_only> -> i8
      %e = arith.addi %c, %d : i8
      %f = arith.addi %b, %e : i8
      vyre.store %f, %written[%lane] : i8, !vyre.buffer<64xi8, read_write>
    }
  }
}
