// Decodes blocks of 128 words, each a value followed by zigzag-coded differences, and counts
// and sums the values from -1000 up to 1000.
//
//     vyre run examples/delta_filter.mlir --input encoded=data.delta

vyre.program @delta_filter workgroup_size [128] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi32, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<?xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>

  vyre.decode.delta %encoded to %decoded block 128
      : !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.scan.filter %decoded in [-1000, 1000) count %count sum %sum
      : !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi64, read_write>
}
