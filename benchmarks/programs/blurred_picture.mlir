// A picture of any size, one byte a pixel, through a table of levels, and blurred: each pixel is the
// sum of three by three levels. What is outside is black.
vyre.program @blurred_picture workgroup_size [16, 8] {
  %picture = vyre.buffer @picture : !vyre.buffer<?xi8, read_only>
  %size = vyre.buffer @size : !vyre.buffer<2xi32, read_only>
  %levels = vyre.buffer @levels : !vyre.buffer<256xi32, read_only>
  %first = arith.constant 0 : index
  %second = arith.constant 1 : index
  %width_word = vyre.load %size[%first] : !vyre.buffer<2xi32, read_only> -> i32
  %height_word = vyre.load %size[%second] : !vyre.buffer<2xi32, read_only> -> i32
  %width = arith.index_cast %width_word : i32 to index
  %height = arith.index_cast %height_word : i32 to index
  %n = arith.muli %width, %height : index
  %lit = vyre.buffer @lit[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %blurred = vyre.buffer @blurred[%n] live_out initial undefined : !vyre.buffer<?xi32, read_write>
  vyre.region "decode.levels" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %picture[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %code = arith.extui %byte : i8 to i32
    %row = arith.index_cast %code : i32 to index
    %level = vyre.load %levels[%row] : !vyre.buffer<256xi32, read_only> -> i32
    vyre.store %level, %lit[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "blur" invocations [%width, %height] {
    %x = vyre.invocation_id x
    %y = vyre.invocation_id y
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %nothing = arith.constant 0 : i32
    %zero = arith.constant 0 : index
    %top = arith.subi %y, %c1 : index
    %bottom = arith.addi %y, %c2 : index
    %left = arith.subi %x, %c1 : index
    %right = arith.addi %x, %c2 : index
    %above = arith.maxsi %top, %zero : index
    %below = arith.minsi %bottom, %height : index
    %begin = arith.maxsi %left, %zero : index
    %end = arith.minsi %right, %width : index
    %sum = scf.for %v = %above to %below step %c1 iter_args(%of_rows = %nothing) -> (i32) {
      %row = arith.muli %v, %width : index
      %more = scf.for %u = %begin to %end step %c1 iter_args(%of_row = %of_rows) -> (i32) {
        %place = arith.addi %row, %u : index
        %level = vyre.load %lit[%place] : !vyre.buffer<?xi32, read_write> -> i32
        %next = arith.addi %of_row, %level : i32
        scf.yield %next : i32
      }
      scf.yield %more : i32
    }
    %own = arith.muli %y, %width : index
    %at = arith.addi %own, %x : index
    vyre.store %sum, %blurred[%at] : i32, !vyre.buffer<?xi32, read_write>
  }
}
