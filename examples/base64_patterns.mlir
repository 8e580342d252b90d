// Counts 32 literals of 4 to 12 bytes in base64-encoded data, each on its own.
//
//     vyre run examples/base64_patterns.mlir --input encoded=data.b64

vyre.program @base64_patterns workgroup_size [128] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %matches = vyre.buffer @matches live_out : !vyre.buffer<32xi32, read_write>

  vyre.decode.base64 %encoded to %decoded errors %errors
      : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.scan.literals [
      "self", "None", "True", "False", "class", "return", "raise", "import",
      "yield", "lambda", "assert", "except", "finally", "continue", "nonlocal", "global ",
      "def __init__", "__name__", "isinstance", "ValueError", "TypeError", "KeyError", "OSError", "encode",
      "decode", "bytes", "unicode", "warnings", "threading", "test_", "0000", "    "
    ] in %decoded matches %matches
      : !vyre.buffer<?xi8, read_write>, !vyre.buffer<32xi32, read_write>
}
