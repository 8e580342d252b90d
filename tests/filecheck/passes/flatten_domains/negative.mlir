// RUN: xdsl-opt %s --split-input-file -p vyre-flatten-domains | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-flatten-domains{columns=true}' | filecheck %s --check-prefixes=COLUMNS

// An arm that takes nothing from another.
// CHECK-LABEL: vyre.program @alone
// CHECK:         vyre.region "scan" invocations [16, 4]
vyre.program @alone {
  %x = vyre.buffer @x : !vyre.buffer<64xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<16xi8, read_write>
  vyre.region "scan" invocations [16, 4] {
    %column = vyre.invocation_id x
    %value = vyre.load %x[%column] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %value, %out[%column] : i8, !vyre.buffer<16xi8, read_write>
  }
}

// -----

// Rows whose vectors would not end with them; rows of a size that only the host knows; and, of arms
// that hand on to each other, one that cannot be flat keeps the others as they are.
// CHECK-LABEL: vyre.program @rows
// CHECK:         vyre.region "narrow" invocations [12, 4]
// CHECK:         vyre.region "beside" invocations [16, 4]
// CHECK:         vyre.region "unknown" invocations [%n, 4]
// CHECK:         vyre.region "after" invocations [64]
vyre.program @rows {
  %x = vyre.buffer @x : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi8, read_only>
  %cells = vyre.buffer @cells initial undefined : !vyre.buffer<64xi8, read_write>
  %marks = vyre.buffer @marks initial undefined : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, read_write>
  vyre.region "narrow" invocations [12, 4] {
    %i = vyre.invocation_id x
    %value = vyre.load %x[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %value, %cells[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "beside" invocations [16, 4] {
    %i = vyre.invocation_id x
    %value = vyre.load %cells[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %value, %out[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "unknown" invocations [%n, 4] {
    %i = vyre.invocation_id x
    %value = vyre.load %x[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %value, %marks[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "after" invocations [64] {
    %i = vyre.invocation_id x
    %value = vyre.load %marks[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %value, %out[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
}

// -----

// A row chooses what is updated: a workgroup that does one row adds it up. A column does so of the other arm, whose
// lanes may keep the sums.
// CHECK-LABEL: vyre.program @sums
// CHECK:         vyre.region "rows" invocations [16, 4]
// CHECK:         vyre.region "columns" invocations [16, 4]
// COLUMNS-LABEL: vyre.program @sums
// COLUMNS:         vyre.region "rows" invocations [16, 4]
// COLUMNS:         vyre.region "columns" invocations [64]
vyre.program @sums {
  %first = vyre.buffer @first initial undefined : !vyre.buffer<64xi32, read_write>
  %second = vyre.buffer @second initial undefined : !vyre.buffer<64xi32, read_write>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<16xi32, read_write>
  vyre.region "numbers" invocations [64] {
    %i = vyre.invocation_id x
    %number = arith.index_cast %i : index to i32
    vyre.store %number, %first[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
  vyre.region "rows" invocations [16, 4] {
    %x = vyre.invocation_id x
    %y = vyre.invocation_id y
    %value = vyre.load %first[%x] : !vyre.buffer<64xi32, read_write> -> i32
    %old = vyre.atomic_rmw addi %value, %sums[%y] : i32, !vyre.buffer<16xi32, read_write>
  }
  vyre.region "more" invocations [64] {
    %i = vyre.invocation_id x
    %number = arith.index_cast %i : index to i32
    vyre.store %number, %second[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
  vyre.region "columns" invocations [16, 4] {
    %x = vyre.invocation_id x
    %value = vyre.load %second[%x] : !vyre.buffer<64xi32, read_write> -> i32
    %old = vyre.atomic_rmw addi %value, %sums[%x] : i32, !vyre.buffer<16xi32, read_write>
  }
}
