// Counts three tags in one text, as a report of a library of scanners asks for them. A fourth
// scanner, whose bins nobody asked for this time, stands there, too.
vyre.program @tags entry_op_id "tags" {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %errors = vyre.buffer @errors live_out : !vyre.buffer<1xi32, read_write>
  %warnings = vyre.buffer @warnings live_out : !vyre.buffer<1xi32, read_write>
  %notes = vyre.buffer @notes live_out : !vyre.buffer<1xi32, read_write>
  %bins = vyre.buffer @bins : !vyre.buffer<256xi32, read_write>

  vyre.scan.literal "[error]" in %text count %errors
      : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.scan.literal "[warn] " in %text count %warnings
      : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.scan.literal "[note] " in %text count %notes
      : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.scan.histogram %text bins %bins
      : !vyre.buffer<?xi8, read_only>, !vyre.buffer<256xi32, read_write>
}
