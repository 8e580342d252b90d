// A column of prices in cents that go through a dictionary, whose entries are packed above a base themselves
// and unpacked before; how many prices are in a range, and what they come to.
vyre.program @dictionary_of_frames workgroup_size [128] {
  %codes_packed = vyre.buffer @codes_packed : !vyre.buffer<?xi8, read_only>
  %dictionary = vyre.buffer @dictionary : !vyre.buffer<?xi32, read_only>
  %codes = vyre.buffer @codes initial undefined : !vyre.buffer<?xi32, read_write>
  %prices = vyre.buffer @prices initial undefined : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  vyre.decode.bitunpack %codes_packed to %codes bits 6 base 3 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.dictionary %codes to %prices table %dictionary errors %errors : !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.scan.filter %prices in [1000, 50000) count %count sum %sum : !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi64, read_write>
}
