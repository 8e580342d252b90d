// RUN: xdsl-opt %s --split-input-file -p 'vyre-coarsen{items=4 order=blocked},canonicalize' | filecheck %s --check-prefixes=BLOCKED
// RUN: xdsl-opt %s --split-input-file -p 'vyre-coarsen{items=4 order=blocked},vyre-coarsen{items=4 order=blocked},canonicalize' | filecheck %s --check-prefixes=BLOCKED
// RUN: xdsl-opt %s --split-input-file -p 'vyre-coarsen{items=4},canonicalize' | filecheck %s --check-prefixes=STRIDED
// RUN: xdsl-opt %s --split-input-file -p 'vyre-coarsen{items=4},vyre-coarsen{items=4},canonicalize' | filecheck %s --check-prefixes=STRIDED
// RUN: xdsl-opt %s --split-input-file -p 'vyre-coarsen{groups=7},canonicalize' | filecheck %s --check-prefixes=GROUPS
// RUN: xdsl-opt %s --split-input-file -p 'vyre-coarsen{groups=7},vyre-coarsen{groups=7},canonicalize' | filecheck %s --check-prefixes=GROUPS
// RUN: xdsl-opt %s --split-input-file -p 'vyre-coarsen{items=4 groups=7},canonicalize' | filecheck %s --check-prefixes=BOTH
// RUN: xdsl-opt %s --split-input-file -p 'vyre-coarsen{items=4},vyre-coarsen{groups=7},canonicalize' | filecheck %s --check-prefixes=BOTH

// BLOCKED-LABEL: vyre.program @run_time
// BLOCKED:       [[COUNT:%.*]] = arith.ceildivsi %n, %{{.*}} : index
// BLOCKED-NEXT:  vyre.region "double" invocations [[[COUNT]]] attributes {vyre.items = 4 : i64} {
// BLOCKED:         [[I:%.*]] = vyre.invocation_id x
// BLOCKED:         %first = arith.muli [[I]], %{{.*}} : index
// BLOCKED:         scf.for %offset = %{{.*}} to %{{.*}} step %{{.*}} {
// BLOCKED-NEXT:      %item = arith.addi %first, %offset : index
// BLOCKED-NEXT:      [[EXISTS:%.*]] = arith.cmpi slt, %item, %n : index
// BLOCKED-NEXT:      scf.if [[EXISTS]] {
// BLOCKED-NEXT:        vyre.load %values[%item]

// Neighbours take neighbours, in whole workgroups.
// STRIDED-LABEL: vyre.program @run_time
// STRIDED:       [[BLOCKS:%.*]] = arith.ceildivsi %n, [[BLOCK:%.*]] : index
// STRIDED:       [[COUNT:%.*]] = arith.muli [[BLOCKS]], [[SIZE:%.*]] : index
// STRIDED-NEXT:  vyre.region "double" invocations [[[COUNT]]] attributes {vyre.items = 4 : i64} {
// STRIDED:         [[I:%.*]] = vyre.invocation_id x
// STRIDED:         [[GROUP:%.*]] = arith.floordivsi [[I]], %{{.*}} : index
// STRIDED:         [[BEGIN:%.*]] = arith.muli [[GROUP]], %{{.*}} : index
// STRIDED:         [[LANE:%.*]] = arith.remsi [[I]], %{{.*}} : index
// STRIDED-NEXT:    %first = arith.addi [[BEGIN]], [[LANE]] : index
// STRIDED:         scf.for %offset = %{{.*}} to %{{.*}} step %{{.*}} {
// STRIDED-NEXT:      %item = arith.addi %first, %offset : index
// STRIDED-NEXT:      [[EXISTS:%.*]] = arith.cmpi slt, %item, %n : index
// STRIDED-NEXT:      scf.if [[EXISTS]] {
// STRIDED-NEXT:        vyre.load %values[%item]

// No more workgroups than there are items for.
// GROUPS-LABEL:  vyre.program @run_time
// GROUPS:        [[GROUPS:%.*]] = arith.minsi %{{.*}}, %{{.*}} : index
// GROUPS:        [[COUNT:%.*]] = arith.muli [[GROUPS]], %{{.*}} : index
// GROUPS-NEXT:   vyre.region "double" invocations [[[COUNT]]] attributes {vyre.groups = 7 : i64} {
// GROUPS:          [[END:%.*]] = arith.minsi %n, %{{.*}} : index
// GROUPS-NEXT:     [[GRID:%.*]] = arith.constant 224 : index
// GROUPS-NEXT:     scf.for %item = %{{.*}} to [[END]] step [[GRID]] {
// GROUPS-NEXT:       vyre.load %values[%item]
// GROUPS:          } {vyre.each_item}

// BOTH-LABEL:    vyre.program @run_time
// BOTH:          vyre.region "double" invocations [%{{.*}}] attributes {vyre.items = 4 : i64, vyre.groups = 7 : i64} {
// BOTH:            scf.for %item = %{{.*}} to %{{.*}} step %{{.*}} {
// BOTH:              arith.floordivsi %item, %{{.*}} : index
// BOTH:              scf.for %offset = %{{.*}} to %{{.*}} step %{{.*}} {
// BOTH-NEXT:           %item_1 = arith.addi %first, %offset : index
vyre.program @run_time workgroup_size [32] {
  %values = vyre.buffer @values live_out : !vyre.buffer<?xi32, read_write>
  %n = vyre.buf_len %values : !vyre.buffer<?xi32, read_write>
  vyre.region "double" invocations [%n] {
    %i = vyre.invocation_id x
    %value = vyre.load %values[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %twice = arith.addi %value, %value : i32
    vyre.store %twice, %values[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
}

// -----

// A static count that the items divide needs no guard; other axes stay as they are, but for groups.
// BLOCKED-LABEL: vyre.program @whole
// BLOCKED:       vyre.region "clear" invocations [32, 3] workgroup_size [8, 2] attributes {vyre.items = 4 : i64} {
// BLOCKED-NOT:     scf.if
// BLOCKED:         [[PLACE:%.*]] = arith.addi %item, %j : index
// STRIDED-LABEL: vyre.program @whole
// STRIDED:       vyre.region "clear" invocations [32, 3] workgroup_size [8, 2] attributes {vyre.items = 4 : i64} {
// STRIDED-NOT:     scf.if
// STRIDED:         [[PLACE:%.*]] = arith.addi %item, %j : index
// GROUPS-LABEL:  vyre.program @whole
// Two of seven groups take all rows, and three times as many the columns.
// GROUPS:        vyre.region "clear" invocations [24, 4] workgroup_size [8, 2] attributes {vyre.groups = 7 : i64} {
// GROUPS:          scf.for %item_y = %{{.*}} to %{{.*}} step %{{.*}} {
// GROUPS:            scf.for %item = %{{.*}} to %{{.*}} step %{{.*}} {
// GROUPS:              arith.addi %item, %item_y : index
// BOTH-LABEL:    vyre.program @whole
// BOTH:          vyre.region "clear" invocations [24, 4] workgroup_size [8, 2] attributes {vyre.items = 4 : i64, vyre.groups = 7 : i64} {
vyre.program @whole {
  %out = vyre.buffer @out live_out : !vyre.buffer<512xi8, write_only>
  vyre.region "clear" invocations [128, 3] workgroup_size [8, 2] {
    %i = vyre.invocation_id x
    %j = vyre.invocation_id y
    %place = arith.addi %i, %j : index
    %zero = arith.constant 0 : i8
    vyre.store %zero, %out[%place] : i8, !vyre.buffer<512xi8, write_only>
  }
}
