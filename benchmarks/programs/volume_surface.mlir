// Counts the cells of a volume of 64 by 64 by any number that are full while the next one along some
// axis is empty. Cells are stored two to a byte.
vyre.program @volume_surface workgroup_size [64] {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %packed : !vyre.buffer<?xi8, read_only>
  %slice_bytes = arith.constant 2048 : index
  %depth = arith.divui %length, %slice_bytes : index
  %slice = arith.constant 4096 : index
  %n = arith.muli %depth, %slice : index
  %cells = vyre.buffer @cells[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %surface = vyre.buffer @surface live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.cells" invocations [%n] {
    %i = vyre.invocation_id x
    %each = arith.constant 2 : index
    %place = arith.divui %i, %each : index
    %within = arith.remui %i, %each : index
    %bits = arith.constant 4 : i32
    %mask = arith.constant 15 : i32
    %byte = vyre.load %packed[%place] : !vyre.buffer<?xi8, read_only> -> i8
    %word = arith.extui %byte : i8 to i32
    %number = arith.index_cast %within : index to i32
    %shift = arith.muli %number, %bits : i32
    %down = arith.shrui %word, %shift : i32
    %value = arith.andi %down, %mask : i32
    %cell = arith.trunci %value : i32 to i8
    vyre.store %cell, %cells[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan.surface" invocations [64, 64, %depth] {
    %x = vyre.invocation_id x
    %y = vyre.invocation_id y
    %z = vyre.invocation_id z
    %zero = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %side = arith.constant 64 : index
    %area = arith.constant 4096 : index
    %row = arith.muli %y, %side : index
    %plane = arith.muli %z, %area : index
    %in_plane = arith.addi %row, %x : index
    %i = arith.addi %plane, %in_plane : index
    %at_x = arith.addi %i, %c1 : index
    %at_y = arith.addi %i, %side : index
    %at_z = arith.addi %i, %area : index
    %here = vyre.load %cells[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %next_x = vyre.load %cells[%at_x] : !vyre.buffer<?xi8, read_write> -> i8
    %next_y = vyre.load %cells[%at_y] : !vyre.buffer<?xi8, read_write> -> i8
    %next_z = vyre.load %cells[%at_z] : !vyre.buffer<?xi8, read_write> -> i8
    %limit = arith.constant 8 : i8
    %is_full = arith.cmpi uge, %here, %limit : i8
    %x_empty = arith.cmpi ult, %next_x, %limit : i8
    %y_empty = arith.cmpi ult, %next_y, %limit : i8
    %z_empty = arith.cmpi ult, %next_z, %limit : i8
    %xy_empty = arith.ori %x_empty, %y_empty : i1
    %any_empty = arith.ori %xy_empty, %z_empty : i1
    %is_surface = arith.andi %is_full, %any_empty : i1
    scf.if %is_surface {
      %one = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %one, %surface[%zero] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
