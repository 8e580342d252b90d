// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP
// Printing is idempotent, from the custom form and from the generic one.
// RUN: xdsl-opt %s > %t.mlir && xdsl-opt %t.mlir | diff %t.mlir -
// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | diff %t.mlir -

vyre.program @queries {
  %days = vyre.buffer @days : !vyre.buffer<?xi32, read_only>
  %prices = vyre.buffer @prices : !vyre.buffer<64xf64, read_only>
  %total = vyre.buffer @total live_out : !vyre.buffer<1xf64, read_write>
  %first = vyre.buffer @first live_out fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %counts = vyre.buffer @counts live_out : !vyre.buffer<6xi64, read_write>
  %least = vyre.buffer @least live_out fill 2147483647 : i32 : !vyre.buffer<6xi32, read_write>
  %bits = vyre.buffer @bits live_out : !vyre.buffer<?xi8, read_write>
  %found = vyre.buffer @found live_out : !vyre.buffer<?xf64, read_write>
  %places = vyre.buffer @places live_out : !vyre.buffer<?xi64, read_write>
  %limit = arith.constant 100 : i32
  %n = arith.constant 10 : index
  vyre.scan.aggregate (%day = %days : !vyre.buffer<?xi32, read_only>, %price = %prices : !vyre.buffer<64xf64, read_only>)
      into sum %total : !vyre.buffer<1xf64, read_write>, first %first : !vyre.buffer<1xi32, read_write> {
    %is_early = arith.cmpi ult, %day, %limit : i32
    vyre.scan.yield %price : f64 where %is_early
  }
  vyre.scan.aggregate (%day = %days : !vyre.buffer<?xi32, read_only>) at %row rows %n
      into count %counts : !vyre.buffer<6xi64, read_write>, mins %least : !vyre.buffer<6xi32, read_write>
      attributes {note = 1 : i64} {
    %number = arith.index_cast %row : index to i32
    vyre.scan.yield %day : i32 group %number
  }
  vyre.scan.aggregate (%day = %days : !vyre.buffer<?xi32, read_only>) into first %first : !vyre.buffer<1xi32, read_write> {
    vyre.scan.yield
  }
  vyre.scan.select (%price = %prices : !vyre.buffer<64xf64, read_only>) at %row
      into bitmap %bits : !vyre.buffer<?xi8, read_write>, values %found : !vyre.buffer<?xf64, read_write>, positions %places : !vyre.buffer<?xi64, read_write> {
    %high = arith.constant 0.5 : f64
    %is_high = arith.cmpf ogt, %price, %high : f64
    vyre.scan.yield %price : f64 where %is_high
  }
}

// CHECK:      vyre.scan.aggregate (%day = %days : !vyre.buffer<?xi32, read_only>, %price = %prices : !vyre.buffer<64xf64, read_only>) into sum %total : !vyre.buffer<1xf64, read_write>, first %first : !vyre.buffer<1xi32, read_write> {
// CHECK-NEXT:   %is_early = arith.cmpi ult, %day, %limit : i32
// CHECK-NEXT:   vyre.scan.yield %price : f64 where %is_early
// CHECK-NEXT: }
// CHECK-NEXT: vyre.scan.aggregate (%day_1 = %days : !vyre.buffer<?xi32, read_only>) at %row rows %n into count %counts : !vyre.buffer<6xi64, read_write>, mins %least : !vyre.buffer<6xi32, read_write> attributes {note = 1 : i64} {
// CHECK:        vyre.scan.yield %day_1 : i32 group %number
// CHECK-NEXT: }
// CHECK-NEXT: vyre.scan.aggregate (%day_2 = %days : !vyre.buffer<?xi32, read_only>) into first %first : !vyre.buffer<1xi32, read_write> {
// CHECK-NEXT:   vyre.scan.yield
// CHECK-NEXT: }
// CHECK-NEXT: vyre.scan.select (%price_1 = %prices : !vyre.buffer<64xf64, read_only>) at %row_1 into bitmap %bits : !vyre.buffer<?xi8, read_write>, values %found : !vyre.buffer<?xf64, read_write>, positions %places : !vyre.buffer<?xi64, read_write> {
// CHECK:        vyre.scan.yield %price_1 : f64 where %is_high

// CHECK-GENERIC:      "vyre.scan.aggregate"(%days, %prices, %total, %first) <{kinds = ["sum", "first"], operandSegmentSizes = array<i32: 2, 0, 2>}> ({
// CHECK-GENERIC-NEXT: ^{{.*}}(%day: i32, %price: f64):
// CHECK-GENERIC:        "vyre.scan.yield"(%price, %is_early) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (f64, i1) -> ()
