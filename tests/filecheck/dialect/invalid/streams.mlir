// RUN: xdsl-opt %s --split-input-file --verify-diagnostics | filecheck %s

vyre.program @p {
  vyre.stream @text
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
}

// CHECK: 'vyre.stream' expected either 'multiple' or 'refused'

// -----

vyre.program @p {
  vyre.stream @text multiple 4 before 0 after 0 least 1 refused "both"
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
}

// CHECK: 'vyre.stream' expected either 'multiple' or 'refused'

// -----

vyre.program @p {
  vyre.stream @other multiple 4 before 0 after 0 least 1
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
}

// CHECK: 'vyre.stream' expected a buffer of the program, got '@other'

// -----

vyre.program @p {
  vyre.stream @text multiple 4 before 0 after 0 least 1
  %text = vyre.buffer @text : !vyre.buffer<16xi8, read_only>
}

// CHECK: 'vyre.stream' expected an input whose size the host says, got '@text'

// -----

vyre.program @p {
  vyre.stream @text multiple 0 before 0 after 0 least 1
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
}

// CHECK: 'vyre.stream' expected 1 or more as 'multiple', got 0

// -----

vyre.program @p {
  vyre.stream @text multiple 4 before -1 after 0 least 1
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
}

// CHECK: 'vyre.stream' expected 0 or more as 'before', got -1

// -----

vyre.program @p {
  vyre.stream @text multiple 4 before 0 after 0 least 1 keeps {sum = "median"}
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.stream' expected 'in_order' or the kind of an atomic of '@sum' in 'keeps'

// -----

vyre.program @p {
  vyre.stream @text multiple 4 before 0 after 0 least 1 joins {sum = 0 : i64}
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.stream' expected a positive number of elements of '@sum' in 'joins'

// -----

vyre.program @p {
  vyre.stream @text multiple 4 before 0 after 0 least 1 cuts {mask = array<i64: 1>}
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %mask = vyre.buffer @mask : !vyre.buffer<?xi8, read_only>
}

// CHECK: 'vyre.stream' expected elements for each unit and those behind of '@mask' in 'cuts'

// -----

vyre.program @p {
  vyre.stream @text cuts {mask = array<i64: 1, 0>} refused "an op"
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %mask = vyre.buffer @mask : !vyre.buffer<?xi8, read_only>
}

// CHECK: 'vyre.stream' expected nothing to be cut beside 'refused'
