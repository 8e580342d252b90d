// RUN: xdsl-opt %s --split-input-file -p 'vyre-vectorize{lanes=16 annotate=true}' | filecheck %s

// Two neighbours share a byte: eight are loaded, each for two lanes, whose places in it are known numbers.
// CHECK-LABEL: vyre.program @nibbles
// CHECK:         scf.if
// CHECK:           [[BYTES:%.*]] = vyre.load %x[%{{.*}}] : !vyre.buffer<?xi8, read_only> -> vector<8xi8>
// CHECK-NEXT:      vector.shuffle [[BYTES]], [[BYTES]] [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]
// CHECK:           arith.constant dense<[0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4]> : vector<16xi32>
// CHECK:         } else {
vyre.program @nibbles {
  %x = vyre.buffer @x : !vyre.buffer<?xi8, read_only>
  %bytes = vyre.buf_len %x : !vyre.buffer<?xi8, read_only>
  %two = arith.constant 2 : index
  %n = arith.muli %bytes, %two : index
  %out = vyre.buffer @out[%n] live_out initial undefined : !vyre.buffer<?xi8, read_write>
  vyre.region "nibbles" invocations [%n] {
    %i = vyre.invocation_id x
    %each = arith.constant 2 : index
    %bits = arith.constant 4 : i32
    %mask = arith.constant 15 : i32
    %place = arith.divui %i, %each : index
    %within = arith.remui %i, %each : index
    %byte = vyre.load %x[%place] : !vyre.buffer<?xi8, read_only> -> i8
    %word = arith.extui %byte : i8 to i32
    %number = arith.index_cast %within : index to i32
    %shift = arith.muli %number, %bits : i32
    %down = arith.shrui %word, %shift : i32
    %value = arith.andi %down, %mask : i32
    %nibble = arith.trunci %value : i32 to i8
    vyre.store %nibble, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}

// -----

// Lanes lie in one row of 64, whose base is the same for all, and a column is one more from lane to lane.
// CHECK-LABEL: vyre.program @rows
// CHECK:         scf.if
// CHECK:           %base = vyre.load %bases[%{{.*}}] : !vyre.buffer<?xi8, read_only> -> i8
// CHECK:           vyre.compare_lanes slt
vyre.program @rows {
  %x = vyre.buffer @x : !vyre.buffer<?xi8, read_only>
  %bases = vyre.buffer @bases : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out[%n] live_out initial undefined : !vyre.buffer<?xi8, read_write>
  vyre.region "rows" invocations [%n] {
    %i = vyre.invocation_id x
    %wide = arith.constant 64 : index
    %margin = arith.constant 3 : index
    %row = arith.divui %i, %wide : index
    %column = arith.remui %i, %wide : index
    %base = vyre.load %bases[%row] : !vyre.buffer<?xi8, read_only> -> i8
    %value = vyre.load %x[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %both = arith.addi %base, %value : i8
    %is_margin = arith.cmpi ult, %column, %margin : index
    %chosen = arith.select %is_margin, %value, %both : i8
    vyre.store %chosen, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}

// -----

// Rows of 24 may end within the lanes: the base is asked for in each.
// CHECK-LABEL: vyre.program @ends
// CHECK:         scf.if
// CHECK-COUNT-16:  vyre.load %bases[
vyre.program @ends {
  %x = vyre.buffer @x : !vyre.buffer<?xi8, read_only>
  %bases = vyre.buffer @bases : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out[%n] live_out initial undefined : !vyre.buffer<?xi8, read_write>
  vyre.region "ends" invocations [%n] {
    %i = vyre.invocation_id x
    %wide = arith.constant 24 : index
    %row = arith.divui %i, %wide : index
    %base = vyre.load %bases[%row] : !vyre.buffer<?xi8, read_only> -> i8
    %value = vyre.load %x[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %sum = arith.addi %base, %value : i8
    %more = arith.xori %sum, %value : i8
    %most = arith.muli %more, %sum : i8
    vyre.store %most, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}

// -----

// A table of known numbers that a vector holds is one, where the index is known to be inside.
// CHECK-LABEL: vyre.program @letters
// CHECK:         scf.if
// CHECK:           [[TABLE:%.*]] = arith.constant dense<[65, 67, 71, 84, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : vector<16xi32>
// CHECK-NEXT:      [[FOUND:%.*]] = vyre.look_up_lanes [[TABLE]][%code]
// CHECK-NEXT:      vyre.convert_lanes trunci [[FOUND]] : vector<16xi32> to vector<16xi8>
// CHECK-COUNT-16:  vyre.load %letters[
// CHECK:         } else {
vyre.program @letters {
  %x = vyre.buffer @x : !vyre.buffer<?xi32, read_only>
  %letters = vyre.buffer @letters contents dense<[65, 67, 71, 84]> : vector<4xi8> : !vyre.buffer<4xi8, uniform>
  %n = vyre.buf_len %x : !vyre.buffer<?xi32, read_only>
  %out = vyre.buffer @out[%n] live_out initial undefined : !vyre.buffer<?xi8, read_write>
  vyre.region "letters" invocations [%n] {
    %i = vyre.invocation_id x
    %mask = arith.constant 3 : i32
    %word = vyre.load %x[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %code = arith.andi %word, %mask : i32
    %row = arith.index_cast %code : i32 to index
    %letter = vyre.load %letters[%row] : !vyre.buffer<4xi8, uniform> -> i8
    %beyond = arith.index_cast %word : i32 to index
    %other = vyre.load %letters[%beyond] : !vyre.buffer<4xi8, uniform> -> i8
    %sum = arith.addi %letter, %other : i8
    %more = arith.xori %sum, %letter : i8
    %most = arith.muli %more, %sum : i8
    vyre.store %most, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}

// -----

// Lanes update elements of their own: each does.
// CHECK-LABEL: vyre.program @columns
// CHECK:         scf.if
// CHECK-COUNT-16:  vyre.atomic_rmw addi %{{.*}}, %sums[
// CHECK:         } else {
vyre.program @columns {
  %x = vyre.buffer @x : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi32, read_only>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<32xi32, read_write>
  vyre.region "columns" invocations [%n] {
    %i = vyre.invocation_id x
    %wide = arith.constant 32 : index
    %column = arith.remui %i, %wide : index
    %value = vyre.load %x[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %old = vyre.atomic_rmw addi %value, %sums[%column] : i32, !vyre.buffer<32xi32, read_write>
  }
}

// -----

// What neighbours share is loaded for all lanes, also where only some want it: nothing is lost by that.
// CHECK-LABEL: vyre.program @wanted_by_some
// CHECK:         [[WANTED:%.*]] = vyre.compare_lanes eq
// CHECK:         [[HALVES:%.*]] = vyre.load %decoded[%at] : !vyre.buffer<?xi8, read_only> -> vector<8xi8>
// CHECK:         [[ALL:%.*]] = vector.shuffle [[HALVES]], [[HALVES]] [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]
// CHECK:         vyre.select_lanes [[WANTED]], [[ALL]]
vyre.program @wanted_by_some {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %two = arith.constant 2 : index
    %at = arith.floordivsi %i, %two : index
    %t = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %z = arith.constant 0 : i8
    %q = arith.cmpi eq, %t, %z : i8
    %v = scf.if %q -> (i8) {
      %x = vyre.load %decoded[%at] : !vyre.buffer<?xi8, read_only> -> i8
      scf.yield %x : i8
    } else {
      scf.yield %z : i8
    }
    vyre.store %v, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}

// -----

// A lane that goes by itself computes again what its id tells, here where each four are stored backwards: no lane of
// a vector tells fusion what it is made of, and reading one goes through memory. What was loaded is a lane.
// CHECK-LABEL: vyre.program @computed_again
// CHECK:         scf.for %lane
// CHECK:           vector.extract %{{.*}}[%lane] : i1 from vector<16xi1>
// CHECK:           vector.extract %v[%lane] : i8 from vector<16xi8>
// CHECK:           [[ID:%.*]] = arith.addi %first, %lane : index
// CHECK:           [[FOUR:%.*]] = arith.remsi [[ID]], %four : index
// CHECK:           arith.subi %three, [[FOUR]] : index
// CHECK-NOT:       vector.extract
// CHECK:           vyre.store
vyre.program @computed_again {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "store" invocations [%n] {
    %i = vyre.invocation_id x
    %three = arith.constant 3 : index
    %four = arith.constant 4 : index
    %rest = arith.remsi %i, %four : index
    %whole = arith.subi %i, %rest : index
    %back = arith.subi %three, %rest : index
    %at = arith.addi %whole, %back : index
    %v = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %z = arith.constant 0 : i8
    %q = arith.cmpi eq, %v, %z : i8
    scf.if %q {
      vyre.store %v, %out[%at] : i8, !vyre.buffer<?xi8, read_write>
    }
  }
}
