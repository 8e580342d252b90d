// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{scope=invocation copies=2},canonicalize,vyre-cse' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{scope=invocation copies=2},vyre-privatize-reductions{scope=invocation copies=2},canonicalize,vyre-cse' | filecheck %s

// The data choose the element, often: copies of the invocation's own, flushed once. Updates take
// turns; one that may lie outside of the buffer changes what is behind its copy, where nobody looks.
// CHECK-LABEL: vyre.program @data_choose
// CHECK:         %bins_of_invocation = vyre.buffer @bins_of_invocation : !vyre.buffer<106xi32, read_write, private>
// CHECK:         vyre.region "bins" invocations [64] {
// CHECK:           [[END:%.*]] = arith.constant 106 : index
// CHECK:           scf.for %cell = %{{.*}} to [[END]] step %{{.*}} {
// CHECK-NEXT:        vyre.store [[ZERO:%.*]], %bins_of_invocation[%cell] in_bounds
// CHECK-NEXT:      } {vyre.unroll = 1 : i64}
// CHECK-DAG:       [[COUNT:%.*]] = arith.constant 37 : index
// CHECK-DAG:       [[DISTANCE:%.*]] = arith.constant 53 : index
// CHECK:           scf.for %k
// CHECK:             [[PLACE:%.*]] = arith.minui %bin, [[COUNT]] : index
// CHECK-NEXT:        [[BEFORE:%.*]] = vyre.load %bins_of_invocation[[[PLACE]]] in_bounds
// CHECK-NEXT:        [[AFTER:%.*]] = arith.addi [[BEFORE]], %one : i32
// CHECK-NEXT:        vyre.store [[AFTER]], %bins_of_invocation[[[PLACE]]] in_bounds
// CHECK-NEXT:        [[OTHER:%.*]] = arith.addi %low, [[DISTANCE]] : index
// CHECK-NEXT:        [[BEFORE:%.*]] = vyre.load %bins_of_invocation[[[OTHER]]] in_bounds
// CHECK-NEXT:        [[AFTER:%.*]] = arith.addi [[BEFORE]], %one : i32
// CHECK-NEXT:        vyre.store [[AFTER]], %bins_of_invocation[[[OTHER]]] in_bounds
// CHECK-NEXT:        [[BEFORE:%.*]] = vyre.load %bins_of_invocation[[[PLACE]]] in_bounds
// CHECK-NEXT:        [[AFTER:%.*]] = arith.addi [[BEFORE]], %value : i32
// CHECK-NEXT:        vyre.store [[AFTER]], %bins_of_invocation[[[PLACE]]] in_bounds
// CHECK:           scf.for %element = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:        [[OTHER:%.*]] = arith.addi %element, [[DISTANCE]] : index
// CHECK-NEXT:        [[ONE:%.*]] = vyre.load %bins_of_invocation[%element] in_bounds
// CHECK-NEXT:        [[TWO:%.*]] = vyre.load %bins_of_invocation[[[OTHER]]] in_bounds
// CHECK-NEXT:        [[BOTH:%.*]] = arith.addi [[ONE]], [[TWO]] : i32
// CHECK-NEXT:        [[CHANGES:%.*]] = arith.cmpi ne, [[BOTH]], [[ZERO]] : i32
// CHECK-NEXT:        scf.if [[CHANGES]] {
// CHECK-NEXT:          vyre.atomic_rmw addi [[BOTH]], %bins[%element] : i32
// CHECK-NEXT:        }
// CHECK-NEXT:      } {vyre.unroll = 1 : i64}
// CHECK-NOT:       vyre.atomic_rmw
vyre.program @data_choose {
  %data = vyre.buffer @data : !vyre.buffer<?xi32, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<37xi32, read_write>
  %n = vyre.buf_len %data : !vyre.buffer<?xi32, read_only>
  vyre.region "bins" invocations [64] {
    %i = vyre.invocation_id x
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    %c31 = arith.constant 31 : i32
    scf.for %k = %i to %n step %c64 {
      %value = vyre.load %data[%k] : !vyre.buffer<?xi32, read_only> -> i32
      %bin = arith.index_cast %value : i32 to index
      %masked = arith.andi %value, %c31 : i32
      %low = arith.index_cast %masked : i32 to index
      %0 = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<37xi32, read_write>
      %1 = vyre.atomic_rmw addi %one, %bins[%low] in_bounds : i32, !vyre.buffer<37xi32, read_write>
      %2 = vyre.atomic_rmw addi %value, %bins[%bin] : i32, !vyre.buffer<37xi32, read_write>
    }
  }
}

// -----

// Two buffers; as many copies as updates at most. A place that all agree on is a sum beside them.
// The arm has barriers of its own, and needs no more of them.
// CHECK-LABEL: vyre.program @two_buffers
// CHECK:         %low_of_invocation = vyre.buffer @low_of_invocation : !vyre.buffer<8xi64, read_write, private>
// CHECK-NEXT:    %bits_of_invocation = vyre.buffer @bits_of_invocation : !vyre.buffer<4xi32, read_write, private>
// CHECK-NEXT:    vyre.region "both" invocations [8] {
// CHECK-COUNT-1:   vyre.barrier
// CHECK:           arith.minsi %{{.*}}, %wide : i64
// CHECK:           [[BITS:%.*]] = arith.ori %{{.*}}, %value : i32
// CHECK-NEXT:      vyre.store [[BITS]], %bits_of_invocation[%bin]
// CHECK-NEXT:      [[SUM:%.*]] = arith.ori %bits_3, %value : i32
// CHECK-NEXT:      scf.yield [[SUM]] : i32
// CHECK-NOT:       vyre.barrier
// CHECK:           vyre.atomic_rmw ori %{{.*}}, %bits[%{{.*}}] : i32
// CHECK:           scf.for %element
// CHECK:             vyre.atomic_rmw mins %{{.*}}, %low[%element] : i64
// CHECK:           scf.for %element
// CHECK:             vyre.atomic_rmw ori %{{.*}}, %bits[%element{{.*}}] : i32
// CHECK-NOT:   vyre.atomic_rmw
vyre.program @two_buffers workgroup_size [4] {
  %data = vyre.buffer @data : !vyre.buffer<64xi32, read_only>
  %low = vyre.buffer @low live_out : !vyre.buffer<8xi64, read_write>
  %bits = vyre.buffer @bits live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "both" invocations [8] {
    vyre.barrier
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    scf.for %k = %c0 to %c9 step %c1 {
      %place = arith.addi %i, %k : index
      %value = vyre.load %data[%place] : !vyre.buffer<64xi32, read_only> -> i32
      %wide = arith.extsi %value : i32 to i64
      %bin = arith.index_cast %value : i32 to index
      %0 = vyre.atomic_rmw mins %wide, %low[%bin] : i64, !vyre.buffer<8xi64, read_write>
      %1 = vyre.atomic_rmw ori %value, %bits[%bin] : i32, !vyre.buffer<4xi32, read_write>
      %2 = vyre.atomic_rmw ori %value, %bits[%c1] : i32, !vyre.buffer<4xi32, read_write>
    }
  }
}

// -----

// A loop several of whose iterations stand side by side: each goes to the next copy.
// CHECK-LABEL: vyre.program @turns
// CHECK:         %bins_of_invocation = vyre.buffer @bins_of_invocation : !vyre.buffer<48xi32, read_write, private>
// CHECK:           [[LAST:%.*]] = arith.constant 1 : index
// CHECK:           scf.for %lane
// CHECK:             [[COPY:%.*]] = arith.andi %lane, [[LAST]] : index
// CHECK-NEXT:        [[OFFSET:%.*]] = arith.muli [[COPY]], %{{.*}} : index
// CHECK-NEXT:        [[PLACE:%.*]] = arith.addi %bin, [[OFFSET]] : index
// CHECK-NEXT:        vyre.load %bins_of_invocation[[[PLACE]]] in_bounds
vyre.program @turns {
  %data = vyre.buffer @data : !vyre.buffer<1024xi32, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<8xi32, read_write>
  vyre.region "bins" invocations [64] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %one = arith.constant 1 : i32
    %first = arith.muli %i, %c16 : index
    scf.for %lane = %c0 to %c16 step %c1 {
      %at = arith.addi %first, %lane : index
      %value = vyre.load %data[%at] : !vyre.buffer<1024xi32, read_only> -> i32
      %bin = arith.index_cast %value : i32 to index
      %old = vyre.atomic_rmw addi %one, %bins[%bin] in_bounds : i32, !vyre.buffer<8xi32, read_write>
    } {vyre.unroll = 4 : i64}
  }
}

// -----

// So do updates under a guard, of places that are known to be inside of the buffer. To keep others
// inside of a copy would take as long as they wait.
// CHECK-LABEL: vyre.program @turns_under_a_guard
// CHECK:         %bytes_of_invocation = vyre.buffer @bytes_of_invocation : !vyre.buffer<544xi32, read_write, private>
// CHECK-NEXT:    %words_of_invocation = vyre.buffer @words_of_invocation : !vyre.buffer<8xi32, read_write, private>
// CHECK:           scf.for %lane
// CHECK:             scf.if
// CHECK:               [[COPY:%.*]] = arith.andi %lane, %{{.*}} : index
// CHECK:               vyre.load %bytes_of_invocation
// CHECK:               vyre.load %words_of_invocation[%word] : !vyre.buffer<8xi32, read_write, private>
vyre.program @turns_under_a_guard {
  %data = vyre.buffer @data : !vyre.buffer<1024xi8, read_only>
  %bytes = vyre.buffer @bytes live_out : !vyre.buffer<256xi32, read_write>
  %words = vyre.buffer @words live_out : !vyre.buffer<8xi32, read_write>
  vyre.region "bins" invocations [64] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c512 = arith.constant 512 : index
    %one = arith.constant 1 : i32
    %first = arith.muli %i, %c512 : index
    scf.for %lane = %c0 to %c512 step %c1 {
      %at = arith.addi %first, %lane : index
      %n = vyre.buf_len %data : !vyre.buffer<1024xi8, read_only>
      %exists = arith.cmpi slt, %at, %n : index
      scf.if %exists {
        %value = vyre.load %data[%at] : !vyre.buffer<1024xi8, read_only> -> i8
        %code = arith.extui %value : i8 to i32
        %byte = arith.index_cast %code : i32 to index
        %0 = vyre.atomic_rmw addi %one, %bytes[%byte] : i32, !vyre.buffer<256xi32, read_write>
        %wide = arith.extsi %value : i8 to i32
        %word = arith.index_cast %wide : i32 to index
        %1 = vyre.atomic_rmw addi %one, %words[%word] : i32, !vyre.buffer<8xi32, read_write>
      }
    } {vyre.unroll = 4 : i64}
  }
}

// -----

// Two updates of an iteration go to two copies, and so does each of the next.
// CHECK-LABEL: vyre.program @turns_of_two
// CHECK:         %bins_of_invocation = vyre.buffer @bins_of_invocation : !vyre.buffer<48xi32, read_write, private>
// CHECK:           scf.for %lane
// CHECK:             vyre.load %bins_of_invocation[%bin] in_bounds
// CHECK:             [[OTHER:%.*]] = arith.addi %bin, %{{.*}} : index
// CHECK-NEXT:        vyre.load %bins_of_invocation[[[OTHER]]] in_bounds
vyre.program @turns_of_two {
  %data = vyre.buffer @data : !vyre.buffer<1024xi32, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<8xi32, read_write>
  vyre.region "bins" invocations [64] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %one = arith.constant 1 : i32
    %first = arith.muli %i, %c16 : index
    scf.for %lane = %c0 to %c16 step %c1 {
      %at = arith.addi %first, %lane : index
      %value = vyre.load %data[%at] : !vyre.buffer<1024xi32, read_only> -> i32
      %bin = arith.index_cast %value : i32 to index
      %0 = vyre.atomic_rmw addi %one, %bins[%bin] in_bounds : i32, !vyre.buffer<8xi32, read_write>
      %1 = vyre.atomic_rmw addi %one, %bins[%bin] in_bounds : i32, !vyre.buffer<8xi32, read_write>
    } {vyre.unroll = 4 : i64}
  }
}
