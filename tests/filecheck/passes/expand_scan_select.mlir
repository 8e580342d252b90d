// RUN: xdsl-opt %s --split-input-file -p vyre-expand | filecheck %s
// Expanding twice is expanding once.
// RUN: xdsl-opt %s --split-input-file -p vyre-expand,vyre-expand | filecheck %s

// A mark for each row, and a word of bits for the marks of 32, of which those behind the last row are
// read as 0.
// CHECK-LABEL: vyre.program @bitmap
// CHECK:       %bits_length = arith.ceildivsi %{{.*}}, %{{.*}} : index
// CHECK-NEXT:  %bits = vyre.buffer @bits[%bits_length] live_out initial undefined
// CHECK-NEXT:  %marks = vyre.buffer @marks[%{{.*}}] initial undefined : !vyre.buffer<?xi8, read_write>
// CHECK-NEXT:  vyre.region "scan.select" invocations [%{{.*}}] {
// CHECK-NEXT:    %i = vyre.invocation_id x
// CHECK-NEXT:    %value = vyre.load %values[%i]
// CHECK-NEXT:    %is_low = arith.cmpi ult, %value, %ten : i32
// CHECK-NEXT:    [[MARK:%.*]] = arith.extui %is_low : i1 to i8
// CHECK-NEXT:    vyre.store [[MARK]], %marks[%i]
// CHECK-NEXT:  }
// CHECK-NEXT:  vyre.region "scan.select.bits" invocations [%blocks] {
// CHECK:         %marks_1 = vyre.load %marks[%{{.*}}] : !vyre.buffer<?xi8, read_write> -> vector<8xi32>
// CHECK:         %selected = arith.ori
// CHECK:         vyre.store %selected, %bits[%{{.*}}] : i32, !vyre.buffer<?xi8, read_write>
// CHECK-NEXT:    [[COUNT:%.*]] = math.ctpop %selected : i32
// CHECK:         vyre.atomic_rmw addi [[COUNT]], %found[
// CHECK-NEXT:  }
// CHECK-NEXT:  }
vyre.program @bitmap {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %found = vyre.buffer @found live_out : !vyre.buffer<1xi32, read_write>
  %bits = vyre.buffer @bits live_out : !vyre.buffer<?xi8, read_write>
  %ten = arith.constant 10 : i32
  vyre.scan.select (%value = %values : !vyre.buffer<?xi32, read_only>) into bitmap %bits : !vyre.buffer<?xi8, read_write>, count %found : !vyre.buffer<1xi32, read_write> {
    %is_low = arith.cmpi ult, %value, %ten : i32
    vyre.scan.yield where %is_low
  }
}

// -----

// What is moved together goes where a prefix sum says, and is as long as there are rows. Positions
// need no column.
// CHECK-LABEL: vyre.program @positions
// CHECK:       vyre.region "scan.select" invocations [100] {
// CHECK:       vyre.region "scan.select.bits" invocations [4] {
// CHECK:         vyre.store %selected_1, %selected[%{{.*}}]
// CHECK:       vyre.region "scan.select.count" invocations [1] {
// CHECK:         vyre.store %count, %selected_counts[%{{.*}}]
// CHECK:       vyre.region "scan.prefix_sum"
// CHECK:       %places_length = arith.index_cast %{{.*}} : i64 to index
// CHECK-NEXT:  %places = vyre.buffer @places[%places_length] live_out initial undefined
// CHECK-NEXT:  vyre.region "scan.select.move" invocations [1] {
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

// Values are computed again, of the rows that are selected. Without a predicate, that is every row.
// CHECK-LABEL: vyre.program @gathered
// CHECK:       vyre.region "scan.select" invocations [100] {
// CHECK-NEXT:    %i = vyre.invocation_id x
// CHECK-NEXT:    [[ONE:%.*]] = arith.constant 1 : i8
// CHECK-NEXT:    vyre.store [[ONE]], %marks[%i]
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
    %half = arith.shrui %value, %one : i32
    vyre.scan.yield %half : i32
  }
}
