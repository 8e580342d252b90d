// How often each pair of letters stands side by side in a text in base64, by their lowest five bits.
vyre.program @letter_pairs workgroup_size [256] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %text = vyre.buffer @text initial undefined : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %pairs = vyre.buffer @pairs live_out : !vyre.buffer<1024xi32, read_write>
  vyre.decode.base64 %encoded to %text errors %errors alphabet url unpadded : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_write>
  vyre.region "scan.pairs" invocations [%n] {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %after = arith.addi %i, %c1 : index
    %here = vyre.load %text[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %next = vyre.load %text[%after] : !vyre.buffer<?xi8, read_write> -> i8
    %mask = arith.constant 31 : i32
    %five = arith.constant 5 : i32
    %first_code = arith.extui %here : i8 to i32
    %second_code = arith.extui %next : i8 to i32
    %first = arith.andi %first_code, %mask : i32
    %second = arith.andi %second_code, %mask : i32
    %row = arith.shli %first, %five : i32
    %pair = arith.ori %row, %second : i32
    %bin = arith.index_cast %pair : i32 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %pairs[%bin] : i32, !vyre.buffer<1024xi32, read_write>
  }
}
