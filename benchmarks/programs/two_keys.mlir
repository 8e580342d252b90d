// Decodes one source with two keys, and counts where that makes no difference.
vyre.program @two_keys {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %encoded : !vyre.buffer<?xi8, read_only>
  %first = vyre.buffer @first[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %second = vyre.buffer @second initial undefined : !vyre.buffer<?xi8, read_write>
  %same = vyre.buffer @same live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.xor %encoded to %second key "abc" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
  vyre.region "decode.rotate" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %encoded[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %three = arith.constant 3 : i8
    %five = arith.constant 5 : i8
    %up = arith.shli %byte, %three : i8
    %down = arith.shrui %byte, %five : i8
    %turned = arith.ori %up, %down : i8
    vyre.store %turned, %first[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "compare" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %a = vyre.load %first[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %b = vyre.load %second[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %equal = arith.cmpi eq, %a, %b : i8
    %one = arith.extui %equal : i1 to i32
    %old = vyre.atomic_rmw addi %one, %same[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}
