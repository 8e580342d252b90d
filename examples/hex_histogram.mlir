// Counts how often each byte occurs in hex-encoded data.
//
//     vyre run examples/hex_histogram.mlir --input encoded=data.hex --output bins=bins.npy

vyre.program @hex_histogram workgroup_size [128] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi32, read_write>

  vyre.decode.hex %encoded to %decoded errors %errors
      : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.scan.histogram %decoded bins %bins
      : !vyre.buffer<?xi8, read_write>, !vyre.buffer<256xi32, read_write>
}
