// Slots of sixteen bytes, each a length and a string of up to fifteen: a hash of each string, FNV-1a,
// once the letters are in lower case.
vyre.program @string_hashes workgroup_size [64] {
  %slots = vyre.buffer @slots : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %slots : !vyre.buffer<?xi8, read_only>
  %sixteen = arith.constant 16 : index
  %n = arith.divui %length, %sixteen : index
  %lower = vyre.buffer @lower[%length] initial undefined : !vyre.buffer<?xi8, read_write>
  %hashes = vyre.buffer @hashes[%n] live_out initial undefined : !vyre.buffer<?xi32, read_write>
  vyre.region "decode.lower" invocations [%length] {
    %i = vyre.invocation_id x
    %byte = vyre.load %slots[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %a = arith.constant 65 : i8
    %letters = arith.constant 26 : i8
    %case = arith.constant 32 : i8
    %distance = arith.subi %byte, %a : i8
    %is_capital = arith.cmpi ult, %distance, %letters : i8
    %small = arith.addi %byte, %case : i8
    %result = arith.select %is_capital, %small, %byte : i8
    vyre.store %result, %lower[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan.hashes" invocations [%n] {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %most = arith.constant 15 : i8
    %start = arith.constant 0x811C9DC5 : i32
    %prime = arith.constant 0x01000193 : i32
    %slot = arith.muli %i, %c16 : index
    %first = arith.addi %slot, %c1 : index
    %said = vyre.load %lower[%slot] : !vyre.buffer<?xi8, read_write> -> i8
    %short = arith.andi %said, %most : i8
    %size = arith.extui %short : i8 to i32
    %count = arith.index_cast %size : i32 to index
    %end = arith.addi %first, %count : index
    %hash = scf.for %k = %first to %end step %c1 iter_args(%so_far = %start) -> (i32) {
      %byte = vyre.load %lower[%k] : !vyre.buffer<?xi8, read_write> -> i8
      %code = arith.extui %byte : i8 to i32
      %mixed = arith.xori %so_far, %code : i32
      %next = arith.muli %mixed, %prime : i32
      scf.yield %next : i32
    }
    vyre.store %hash, %hashes[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
}
