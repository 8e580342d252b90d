// RUN: xdsl-opt %s -p 'vyre-coarsen{items=16 order=blocked},vyre-privatize-reductions{scope=workgroup},vyre-unroll{loops=all},vyre-sroa,canonicalize,vyre-cse' | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-coarsen{items=16 order=blocked},vyre-privatize-reductions{scope=workgroup},vyre-privatize-reductions{scope=workgroup},vyre-unroll{limit=8},vyre-sroa,canonicalize,vyre-cse' | filecheck %s --check-prefix=LOOP

// In a workgroup of one invocation, copies are its own. They are cleared and flushed once for all
// items, though the private memory of an item is not that of the next.
// CHECK:       %bins_of_invocation = vyre.buffer @bins_of_invocation : !vyre.buffer<8xi32, read_write, private>
// CHECK-NOT:   workgroup>
// CHECK:       vyre.region "bins" invocations [4] attributes {vyre.items = 16 : i64} {
// CHECK:         vyre.store %{{.*}}, %bins_of_invocation[%cell] in_bounds
// CHECK-NEXT:  } {vyre.unroll = 1 : i64}
// CHECK-COUNT-16: vyre.load %bins_of_invocation[%bin{{.*}}] :
// CHECK:         scf.for %element
// CHECK:           vyre.atomic_rmw addi %{{.*}}, %bins[%element]
// CHECK-NEXT:    }
// CHECK-NEXT:  } {vyre.unroll = 1 : i64}
// CHECK-NOT:   vyre.atomic_rmw

// LOOP:        vyre.store %{{.*}}, %bins_of_invocation[%cell] in_bounds
// LOOP-NEXT:   } {vyre.unroll = 1 : i64}
// LOOP:        scf.for %offset
// LOOP:          vyre.load %bins_of_invocation[%bin]
// LOOP:          vyre.store %{{.*}}, %bins_of_invocation[%bin]
// LOOP-NEXT:   } {vyre.each_item}
// LOOP-NEXT:   scf.for %element
vyre.program @bins workgroup_size [1] {
  %data = vyre.buffer @data : !vyre.buffer<64xi32, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<8xi32, read_write>
  vyre.region "bins" invocations [64] {
    %i = vyre.invocation_id x
    %value = vyre.load %data[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %bin = arith.index_cast %value : i32 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<8xi32, read_write>
  }
}
