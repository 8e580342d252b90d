// RUN: xdsl-opt %s --split-input-file -p vyre-expand | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p vyre-expand,vyre-expand | filecheck %s

// A row of each invocation, as many as the shortest column has. What only the results need is
// computed where the row counts.
// CHECK-LABEL: @revenue
// CHECK:       %rows = arith.minsi %{{.*}}, %{{.*}} : index
// CHECK-NEXT:  vyre.region "scan.aggregate" invocations [%rows] {
// CHECK-NEXT:    %i = vyre.invocation_id x
// CHECK-NEXT:    %day = vyre.load %days[%i]
// CHECK-NEXT:    %is_early = arith.cmpi ult, %day, %limit : i32
// CHECK-NEXT:    scf.if %is_early {
// CHECK-NEXT:      %price = vyre.load %prices[%i]
// CHECK-NEXT:      %wide = arith.extui %price : i32 to i64
// CHECK:           vyre.atomic_rmw addi %wide, %revenue[{{.*}}]
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @revenue {
  %days = vyre.buffer @days : !vyre.buffer<?xi32, read_only>
  %prices = vyre.buffer @prices : !vyre.buffer<?xi32, read_only>
  %revenue = vyre.buffer @revenue live_out : !vyre.buffer<1xi64, read_write>
  %limit = arith.constant 100 : i32
  vyre.scan.aggregate (%day = %days : !vyre.buffer<?xi32, read_only>, %price = %prices : !vyre.buffer<?xi32, read_only>)
      into sum %revenue : !vyre.buffer<1xi64, read_write> {
    %is_early = arith.cmpi ult, %day, %limit : i32
    %wide = arith.extui %price : i32 to i64
    vyre.scan.yield %wide : i64 where %is_early
  }
}

// -----

// Without a predicate there is no branch; a key is an index, and outside of the results nothing is
// updated. Sizes that are known are compared at once.
// CHECK-LABEL: @groups
// CHECK-NOT:     minsi
// CHECK:       vyre.region "scan.aggregate" invocations [48] {
// CHECK-NEXT:    %i = vyre.invocation_id x
// CHECK-NEXT:    %key = vyre.load %keys[%i]
// CHECK-NEXT:    %group = arith.index_cast %key : i32 to index
// CHECK-NEXT:    [[ONE:%.*]] = arith.constant 1 : i32
// CHECK-NEXT:    vyre.atomic_rmw addi [[ONE]], %counts[%group]
// CHECK-NEXT:    [[ROW:%.*]] = arith.index_cast %i : index to i64
// CHECK-NEXT:    vyre.atomic_rmw minu [[ROW]], %firsts[%group]
// CHECK-NEXT:    %value = vyre.load %values[%i]
// CHECK-NEXT:    vyre.atomic_rmw maxs %value, %most[%group]
// CHECK-NEXT:  }
vyre.program @groups {
  %keys = vyre.buffer @keys : !vyre.buffer<64xi32, read_only>
  %values = vyre.buffer @values : !vyre.buffer<48xi64, read_only>
  %counts = vyre.buffer @counts live_out : !vyre.buffer<6xi32, read_write>
  %firsts = vyre.buffer @firsts live_out fill -1 : i64 : !vyre.buffer<6xi64, read_write>
  %most = vyre.buffer @most live_out fill -9223372036854775808 : i64 : !vyre.buffer<6xi64, read_write>
  vyre.scan.aggregate (%key = %keys : !vyre.buffer<64xi32, read_only>, %value = %values : !vyre.buffer<48xi64, read_only>)
      into count %counts : !vyre.buffer<6xi32, read_write>, first %firsts : !vyre.buffer<6xi64, read_write>, maxs %most : !vyre.buffer<6xi64, read_write> {
    vyre.scan.yield %value : i64 group %key
  }
}

// -----

// Floats are combined by blocks of 64, twice, and then by one workgroup.
// CHECK-LABEL: @floats
// CHECK:       vyre.region "scan.aggregate" invocations [2] {
// CHECK:         scf.for %row = %first
// CHECK-NEXT:      %value = vyre.load %values[%row]
// CHECK:           %is_high = arith.cmpf
// CHECK:           [[TERM:%.*]] = arith.select %is_high, %value,
// CHECK-NEXT:      [[SUM:%.*]] = arith.addf %{{.*}}, [[TERM]] : f32
// CHECK-NEXT:      scf.yield [[SUM]] : f32
// CHECK:         vyre.store %{{.*}}, %of_rows[%i]
// CHECK:       vyre.region "scan.aggregate.blocks" invocations [1] {
// CHECK:         vyre.store %{{.*}}, %of_blocks[
// CHECK:       vyre.region "scan.aggregate.total" invocations [256] workgroup_size [256] {
// CHECK:         vyre.barrier
// CHECK:         vyre.store %{{.*}}, %total[
vyre.program @floats {
  %values = vyre.buffer @values : !vyre.buffer<100xf32, read_only>
  %total = vyre.buffer @total live_out : !vyre.buffer<1xf32, read_write>
  vyre.scan.aggregate (%value = %values : !vyre.buffer<100xf32, read_only>) into sum %total : !vyre.buffer<1xf32, read_write> {
    %half = arith.constant 0.5 : f32
    %is_high = arith.cmpf ogt, %value, %half : f32
    vyre.scan.yield %value : f32 where %is_high
  }
}
