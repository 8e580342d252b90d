// RUN: xdsl-opt %s --split-input-file -p vyre-expand | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p vyre-expand,vyre-expand | filecheck %s

// A bitmap and a count take one arm, of 32 rows an invocation; bits behind the last row are zero.
// CHECK-LABEL: @bitmap
// CHECK:       %bits_length = arith.ceildivsi %{{.*}}, %{{.*}} : index
// CHECK-NEXT:  %bits = vyre.buffer @bits[%bits_length] live_out initial undefined
// CHECK-NEXT:  vyre.region "scan.select" invocations [%blocks] {
// CHECK:         scf.for %bit
// CHECK:           %value = vyre.load %values[%row]
// CHECK:         %selected = arith.andi
// CHECK:         vyre.store %selected, %bits[%{{.*}}] : i32, !vyre.buffer<?xi8, read_write>
// CHECK-NEXT:    %count = math.ctpop %selected : i32
// CHECK:         vyre.atomic_rmw addi %count, %found[
// CHECK-NEXT:  }
// CHECK-NEXT:  }
vyre.program @bitmap {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %found = vyre.buffer @found live_out : !vyre.buffer<1xi32, read_write>
  %bits = vyre.buffer @bits live_out : !vyre.buffer<?xi8, read_write>
  vyre.scan.select (%value = %values : !vyre.buffer<?xi32, read_only>) into bitmap %bits : !vyre.buffer<?xi8, read_write>, count %found : !vyre.buffer<1xi32, read_write> {
    %ten = arith.constant 10 : i32
    %is_low = arith.cmpi ult, %value, %ten : i32
    vyre.scan.yield where %is_low
  }
}

// -----

// What is moved together goes where a prefix sum says, and is as long as there are rows. Positions
// need no column.
// CHECK-LABEL: @positions
// CHECK:       vyre.region "scan.select" invocations [4] {
// CHECK:         vyre.store %selected, %selected_bits[%i]
// CHECK-NEXT:    vyre.store %count, %selected_counts[%i]
// CHECK:       vyre.region "scan.prefix_sum"
// CHECK:       %places_length = arith.index_cast %{{.*}} : i64 to index
// CHECK-NEXT:  %places = vyre.buffer @places[%places_length] live_out initial undefined
// CHECK-NEXT:  vyre.region "scan.select.move" invocations [4] {
// CHECK-NOT:     vyre.load %values
// CHECK:         scf.while
// CHECK:           math.cttz
// CHECK-NOT:       vyre.load %values
// CHECK:           vyre.store %{{.*}}, %places[
vyre.program @positions {
  %values = vyre.buffer @values : !vyre.buffer<100xi32, read_only>
  %places = vyre.buffer @places live_out : !vyre.buffer<?xi32, read_write>
  vyre.scan.select (%value = %values : !vyre.buffer<100xi32, read_only>) into positions %places : !vyre.buffer<?xi32, read_write> {
    %ten = arith.constant 10 : i32
    %is_low = arith.cmpi ult, %value, %ten : i32
    vyre.scan.yield where %is_low
  }
}

// -----

// Values are computed again, of the rows that are selected.
// CHECK-LABEL: @gathered
// CHECK:       vyre.region "scan.select.move"
// CHECK:         scf.while
// CHECK:           [[VALUE:%.*]] = vyre.load %values[%row]
// CHECK-NEXT:      %half = arith.shrui [[VALUE]], %one : i32
// CHECK-NEXT:      vyre.store %half, %halves[
vyre.program @gathered {
  %values = vyre.buffer @values : !vyre.buffer<100xi32, read_only>
  %halves = vyre.buffer @halves live_out : !vyre.buffer<100xi32, read_write>
  %one = arith.constant 1 : i32
  vyre.scan.select (%value = %values : !vyre.buffer<100xi32, read_only>) into values %halves : !vyre.buffer<100xi32, read_write> {
    %is_low = arith.cmpi ult, %value, %one : i32
    %half = arith.shrui %value, %one : i32
    vyre.scan.yield %half : i32 where %is_low
  }
}
