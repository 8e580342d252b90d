// Counts a literal in base64-encoded data.
//
//     vyre run examples/base64_literal.mlir --input encoded=data.b64

vyre.program @base64_literal workgroup_size [128] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>

  vyre.decode.base64 %encoded to %decoded errors %errors
      : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.scan.literal "self" in %decoded count %count
      : !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}
