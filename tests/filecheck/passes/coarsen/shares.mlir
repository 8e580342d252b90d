// RUN: xdsl-opt %s --split-input-file -p 'vyre-coarsen{groups=3 order=blocked},canonicalize' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-coarsen{groups=3 order=blocked},vyre-coarsen{groups=3 order=blocked},canonicalize' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-coarsen{groups=3 order=blocked},vyre-outline-kernels,canonicalize,vyre-cse,vyre-prove-accesses' | filecheck %s --check-prefix=PROVEN

// Each of 12 invocations does 9 items in a row, of which there are 100.
// CHECK-LABEL: vyre.program @static
// CHECK:         vyre.region "copy" invocations [12] attributes {vyre.groups = 3 : i64} {
// CHECK:           %begin = arith.muli %{{.*}}, [[SIZE:%.*]] : index
// CHECK:           scf.for %item = %begin to %{{.*}} step %{{.*}} {
// CHECK-NEXT:        vyre.load %in[%item]
// CHECK-NEXT:        vyre.store %{{.*}}, %out[%item]
// CHECK-NEXT:      } {vyre.each_item}
vyre.program @static workgroup_size [4] {
  %in = vyre.buffer @in : !vyre.buffer<100xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<100xi8, write_only>
  vyre.region "copy" invocations [100] {
    %i = vyre.invocation_id x
    %a = vyre.load %in[%i] : !vyre.buffer<100xi8, read_only> -> i8
    vyre.store %a, %out[%i] : i8, !vyre.buffer<100xi8, write_only>
  }
}

// -----

// As many as it takes, where the count is known on the host alone; the items are proven to be there.
// CHECK-LABEL: vyre.program @counted
// CHECK:           [[COUNT:%.*]] = arith.ceildivsi
// CHECK:           [[SIZE:%.*]] = arith.maxsi [[COUNT]], %{{.*}} : index
// CHECK:           %begin = arith.muli %{{.*}}, [[SIZE]] : index
// CHECK-NEXT:      [[END:%.*]] = arith.addi %begin, [[SIZE]] : index
// CHECK-NEXT:      [[LAST:%.*]] = arith.minsi [[END]], %{{.*}} : index
// CHECK:           scf.for %item = %begin to [[LAST]]
// PROVEN-LABEL: vyre.kernel @counted
// PROVEN:         vyre.load %in[%item] in_bounds
vyre.program @counted workgroup_size [1] {
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<?xi8, write_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
  vyre.region "copy" invocations [%n] {
    %i = vyre.invocation_id x
    %a = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %a, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// -----

// The items of a cooperative arm are its workgroups.
// CHECK-LABEL: vyre.program @tiles
// CHECK:           %{{.*}} = vyre.workgroup_id x
// CHECK:           scf.for [[TILE:%.*]] = %begin to
// CHECK-NEXT:        [[FIRST:%.*]] = arith.muli [[TILE]], %{{.*}} : index
// CHECK:             vyre.load %in[%item]
// CHECK:             vyre.barrier memfence workgroup
// CHECK-NEXT:      } {vyre.each_item}
vyre.program @tiles {
  %in = vyre.buffer @in : !vyre.buffer<40xi32, read_only>
  %tile = vyre.buffer @tile : !vyre.buffer<4xi32, read_write, workgroup>
  %out = vyre.buffer @out live_out : !vyre.buffer<40xi32, write_only>
  vyre.region "reverse" invocations [40] workgroup_size [4] {
    %i = vyre.invocation_id x
    %lane = vyre.local_id x
    %a = vyre.load %in[%i] : !vyre.buffer<40xi32, read_only> -> i32
    vyre.store %a, %tile[%lane] : i32, !vyre.buffer<4xi32, read_write, workgroup>
    vyre.barrier
    %c3 = arith.constant 3 : index
    %other = arith.subi %c3, %lane : index
    %b = vyre.load %tile[%other] : !vyre.buffer<4xi32, read_write, workgroup> -> i32
    vyre.store %b, %out[%i] : i32, !vyre.buffer<40xi32, write_only>
  }
}
