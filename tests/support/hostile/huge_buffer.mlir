vyre.program @p {
  %b = vyre.buffer @b : !vyre.buffer<9223372036854775808xi8, read_write>
}
