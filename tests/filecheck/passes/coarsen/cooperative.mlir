// RUN: xdsl-opt %s --split-input-file -p 'vyre-coarsen{items=3},canonicalize' | filecheck %s --check-prefixes=ITEMS
// RUN: xdsl-opt %s --split-input-file -p 'vyre-coarsen{items=3},vyre-coarsen{items=3},canonicalize' | filecheck %s --check-prefixes=ITEMS
// RUN: xdsl-opt %s --split-input-file -p 'vyre-coarsen{groups=2},canonicalize' | filecheck %s --check-prefixes=GROUPS
// RUN: xdsl-opt %s --split-input-file -p 'vyre-coarsen{groups=2},vyre-coarsen{groups=2},canonicalize' | filecheck %s --check-prefixes=GROUPS

// A workgroup takes several tiles, one after the other: the next one waits until the memory of
// the workgroup has been read. What was to be whole workgroups still has to be.
// ITEMS-LABEL: vyre.program @reverse
// ITEMS:         vyre.check_whole_workgroups %n of 4 for "reverse"
// ITEMS:         vyre.region "reverse" invocations [%{{.*}}] workgroup_size [4] attributes {vyre.items = 3 : i64} {
// ITEMS:           [[GROUP:%.*]] = vyre.workgroup_id x
// ITEMS:           %first = arith.muli [[GROUP]], %{{.*}} : index
// ITEMS:           scf.for %offset = %{{.*}} to %{{.*}} step %{{.*}} {
// ITEMS-NEXT:        %tile = arith.addi %first, %offset : index
// ITEMS-NEXT:        [[EXISTS:%.*]] = arith.cmpi slt, %tile, %{{.*}} : index
// ITEMS:             [[BEGIN:%.*]] = arith.muli %tile, %{{.*}} : index
// ITEMS-NEXT:        [[LANE:%.*]] = vyre.local_id x
// ITEMS-NEXT:        %item = arith.addi [[BEGIN]], [[LANE]] : index
// ITEMS-NEXT:        scf.if [[EXISTS]] {
// ITEMS:               vyre.load %in[%item]
// ITEMS:               vyre.barrier
// ITEMS:               vyre.store %{{.*}}, %out[%item]
// ITEMS-NEXT:          vyre.barrier memfence workgroup
// ITEMS-NEXT:        }

// GROUPS-LABEL: vyre.program @reverse
// GROUPS:         vyre.check_whole_workgroups %n of 4 for "reverse"
// GROUPS:         vyre.region "reverse" invocations [%{{.*}}] workgroup_size [4] attributes {vyre.groups = 2 : i64} {
// GROUPS:           [[GROUP:%.*]] = vyre.workgroup_id x
// GROUPS:           scf.for %tile = [[GROUP]] to %{{.*}} step %{{.*}} {
// GROUPS:             vyre.store %{{.*}}, %out[%item]
// GROUPS-NEXT:        vyre.barrier memfence workgroup
// GROUPS-NEXT:      }
vyre.program @reverse {
  %in = vyre.buffer @in : !vyre.buffer<?xi32, read_only>
  %shared = vyre.buffer @shared : !vyre.buffer<4xi32, read_write, workgroup>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, write_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi32, read_only>
  vyre.region "reverse" invocations [%n] workgroup_size [4] {
    %i = vyre.invocation_id x
    %lane = vyre.local_id x
    %value = vyre.load %in[%i] : !vyre.buffer<?xi32, read_only> -> i32
    vyre.store %value, %shared[%lane] : i32, !vyre.buffer<4xi32, read_write, workgroup>
    vyre.barrier
    %c3 = arith.constant 3 : index
    %other = arith.subi %c3, %lane : index
    %reversed = vyre.load %shared[%other] : !vyre.buffer<4xi32, read_write, workgroup> -> i32
    vyre.store %reversed, %out[%i] : i32, !vyre.buffer<64xi32, write_only>
  }
}

// -----

// Without workgroup memory nobody waits; a static number of tiles that the items divide needs no guard.
// ITEMS-LABEL: vyre.program @groups
// ITEMS:         vyre.region "groups" invocations [8] workgroup_size [4] attributes {vyre.items = 3 : i64} {
// ITEMS-NOT:       vyre.barrier
// ITEMS-NOT:       scf.if
// ITEMS:           vyre.store %{{.*}}, %out[%tile]
// GROUPS-LABEL: vyre.program @groups
// GROUPS:         vyre.region "groups" invocations [8] workgroup_size [4] attributes {vyre.groups = 2 : i64} {
// GROUPS-NOT:       vyre.barrier
// GROUPS:           vyre.store %{{.*}}, %out[%tile]
vyre.program @groups {
  %out = vyre.buffer @out live_out : !vyre.buffer<6xi32, write_only>
  vyre.region "groups" invocations [24] workgroup_size [4] {
    %group = vyre.workgroup_id x
    %one = arith.constant 1 : i32
    vyre.store %one, %out[%group] : i32, !vyre.buffer<6xi32, write_only>
  }
}
