// Takes seven layers off, one after the other: hex, base64, four keys, and differences. Counts the
// bytes under the first key, and the values from -1000 up to 1000 at the end.

vyre.program @layers workgroup_size [128] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %text = vyre.buffer @text initial undefined : !vyre.buffer<?xi8, read_write>
  %keyed = vyre.buffer @keyed initial undefined : !vyre.buffer<?xi8, read_write>
  %one = vyre.buffer @one initial undefined : !vyre.buffer<?xi8, read_write>
  %two = vyre.buffer @two initial undefined : !vyre.buffer<?xi8, read_write>
  %three = vyre.buffer @three initial undefined : !vyre.buffer<?xi8, read_write>
  %four = vyre.buffer @four initial undefined : !vyre.buffer<?xi8, read_write>
  %values = vyre.buffer @values initial undefined : !vyre.buffer<?xi32, read_write>
  %not_hex = vyre.buffer @not_hex fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %not_base64 = vyre.buffer @not_base64 fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %no_words = vyre.buffer @no_words fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>

  vyre.decode.hex %encoded to %text errors %not_hex
      : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %text to %keyed errors %not_base64 unpadded
      : !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.decode.xor %keyed to %one key "first"
      : !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi8, read_write>
  vyre.scan.histogram %one bins %bins
      : !vyre.buffer<?xi8, read_write>, !vyre.buffer<256xi32, read_write>
  vyre.decode.xor %one to %two key "second"
      : !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi8, read_write>
  vyre.decode.xor %two to %three key "third"
      : !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi8, read_write>
  vyre.decode.xor %three to %four key "fourth"
      : !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi8, read_write>
  vyre.decode.delta %four to %values errors %no_words block 128
      : !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.scan.filter %values in [-1000, 1000) count %count sum %sum
      : !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi64, read_write>
}
