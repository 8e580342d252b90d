// Counts a literal in data that is combined with a repeating key of 16 bytes by exclusive or.
//
//     vyre run examples/xor_literal.mlir --input encoded=data.xor

vyre.program @xor_literal {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<?xi8, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>

  vyre.decode.xor %encoded to %decoded key "correct horse ba"
      : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
  vyre.scan.literal "self" in %decoded count %count
      : !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}
