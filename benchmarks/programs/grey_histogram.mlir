// Pixels of three bytes, red, green and blue, to grey, and how often each grey occurs.
vyre.program @grey_histogram workgroup_size [256] {
  %pixels = vyre.buffer @pixels : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %pixels : !vyre.buffer<?xi8, read_only>
  %three = arith.constant 3 : index
  %n = arith.divui %length, %three : index
  %grey = vyre.buffer @grey[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi32, read_write>
  vyre.region "decode.grey" invocations [%n] {
    %i = vyre.invocation_id x
    %size = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
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
  vyre.region "histogram" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %grey[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %shade = arith.extui %byte : i8 to i32
    %bin = arith.index_cast %shade : i32 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<256xi32, read_write>
  }
}
