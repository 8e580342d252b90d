// Colours to grey, in rows of 1024 pixels, and how many pixels differ much from those to the right and
// below.
vyre.program @edge_pixels workgroup_size [32, 4] {
  %pixels = vyre.buffer @pixels : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %pixels : !vyre.buffer<?xi8, read_only>
  %row_bytes = arith.constant 3072 : index
  %height = arith.divui %length, %row_bytes : index
  %wide = arith.constant 1024 : index
  %n = arith.muli %height, %wide : index
  %grey = vyre.buffer @grey[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %edges = vyre.buffer @edges live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.grey" invocations [1024, %height] {
    %x = vyre.invocation_id x
    %y = vyre.invocation_id y
    %width = arith.constant 1024 : index
    %size = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %row = arith.muli %y, %width : index
    %i = arith.addi %row, %x : index
    %at_red = arith.muli %i, %size : index
    %at_green = arith.addi %at_red, %c1 : index
    %at_blue = arith.addi %at_red, %c2 : index
    %red_byte = vyre.load %pixels[%at_red] : !vyre.buffer<?xi8, read_only> -> i8
    %green_byte = vyre.load %pixels[%at_green] : !vyre.buffer<?xi8, read_only> -> i8
    %blue_byte = vyre.load %pixels[%at_blue] : !vyre.buffer<?xi8, read_only> -> i8
    %red = arith.extui %red_byte : i8 to i32
    %green = arith.extui %green_byte : i8 to i32
    %blue = arith.extui %blue_byte : i8 to i32
    %of_red = arith.constant 77 : i32
    %of_green = arith.constant 150 : i32
    %of_blue = arith.constant 29 : i32
    %scale = arith.constant 8 : i32
    %r = arith.muli %red, %of_red : i32
    %g = arith.muli %green, %of_green : i32
    %b = arith.muli %blue, %of_blue : i32
    %rg = arith.addi %r, %g : i32
    %rgb = arith.addi %rg, %b : i32
    %shade = arith.shrui %rgb, %scale : i32
    %byte = arith.trunci %shade : i32 to i8
    vyre.store %byte, %grey[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan.edges" invocations [1024, %height] {
    %x = vyre.invocation_id x
    %y = vyre.invocation_id y
    %zero = arith.constant 0 : index
    %width = arith.constant 1024 : index
    %c1 = arith.constant 1 : index
    %row = arith.muli %y, %width : index
    %i = arith.addi %row, %x : index
    %beside = arith.addi %i, %c1 : index
    %under = arith.addi %i, %width : index
    %here_byte = vyre.load %grey[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %right_byte = vyre.load %grey[%beside] : !vyre.buffer<?xi8, read_write> -> i8
    %below_byte = vyre.load %grey[%under] : !vyre.buffer<?xi8, read_write> -> i8
    %here = arith.extui %here_byte : i8 to i32
    %right = arith.extui %right_byte : i8 to i32
    %below = arith.extui %below_byte : i8 to i32
    %across = arith.subi %right, %here : i32
    %down = arith.subi %below, %here : i32
    %across_size = math.absi %across : i32
    %down_size = math.absi %down : i32
    %both = arith.addi %across_size, %down_size : i32
    %limit = arith.constant 200 : i32
    %is_edge = arith.cmpi sgt, %both, %limit : i32
    scf.if %is_edge {
      %one = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %one, %edges[%zero] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
