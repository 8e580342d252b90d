// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

vyre.program @no_columns {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate () into count %count : !vyre.buffer<1xi32, read_write> {
    vyre.scan.yield
  }
}

// CHECK: 'vyre.scan.aggregate' expected at least one column, got none
// CHECK: "no_columns"

// -----

vyre.program @private_column {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  %own = vyre.buffer @own : !vyre.buffer<8xi32, read_write, private>
  vyre.scan.aggregate (%v = %own : !vyre.buffer<8xi32, read_write, private>) into count %count : !vyre.buffer<1xi32, read_write> {
    vyre.scan.yield
  }
}

// CHECK: 'vyre.scan.aggregate' expected a column in global memory, got private memory
// CHECK: "private_column"

// -----

vyre.program @column_of_vectors {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  %wide = vyre.buffer @wide : !vyre.buffer<8xvector<4xi32>, read_only>
  vyre.scan.aggregate (%v = %wide : !vyre.buffer<8xvector<4xi32>, read_only>) into count %count : !vyre.buffer<1xi32, read_write> {
    vyre.scan.yield
  }
}

// CHECK: 'vyre.scan.aggregate' expected columns of integers or floats, got vector<4xi32>
// CHECK: "column_of_vectors"

// -----

vyre.program @write_only_column {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  %out = vyre.buffer @out : !vyre.buffer<8xi32, write_only>
  vyre.scan.aggregate (%v = %out : !vyre.buffer<8xi32, write_only>) into count %count : !vyre.buffer<1xi32, read_write> {
    vyre.scan.yield
  }
}

// CHECK: 'vyre.scan.aggregate' expected a readable column, got a write_only one
// CHECK: "write_only_column"

// -----

vyre.program @column_that_is_no_buffer {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate (%v = %values : i32) into count %count : !vyre.buffer<1xi32, read_write> {
    vyre.scan.yield
  }
}

// CHECK: expected the type of a buffer, got i32

// -----

vyre.program @unknown_kind {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into median %count : !vyre.buffer<1xi32, read_write> {
    vyre.scan.yield
  }
}

// CHECK: Expected `count`, `first`, `sum`, `mins`, `minu`, `maxs`, `maxu`, `minimumf`, or `maximumf`

// -----

vyre.program @load_in_the_body {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into count %count : !vyre.buffer<1xi32, read_write> {
    %zero = arith.constant 0 : index
    %other = vyre.load %values[%zero] : !vyre.buffer<?xi32, read_only> -> i32
    vyre.scan.yield
  }
}

// CHECK: 'vyre.scan.aggregate' expected ops of 'arith' and 'math', or others without effects and regions, in the body, got 'vyre.load'
// CHECK: "load_in_the_body"

// -----

vyre.program @branch_in_the_body {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into count %count : !vyre.buffer<1xi32, read_write> {
    %true = arith.constant true
    scf.if %true {
    }
    vyre.scan.yield
  }
}

// CHECK: 'vyre.scan.aggregate' expected ops of 'arith' and 'math', or others without effects and regions, in the body, got 'scf.if'
// CHECK: "branch_in_the_body"

// -----

vyre.program @length_in_the_body {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into count %count : !vyre.buffer<1xi32, read_write> {
    %n = vyre.buf_len %values : !vyre.buffer<?xi32, read_only>
    vyre.scan.yield
  }
}

// CHECK: 'vyre.scan.aggregate' expected ops of 'arith' and 'math', or others without effects and regions, in the body, got 'vyre.buf_len'
// CHECK: "length_in_the_body"

// -----

vyre.program @too_few_values {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %total = vyre.buffer @total : !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into sum %total : !vyre.buffer<1xi32, read_write> {
    vyre.scan.yield
  }
}

// CHECK: 'vyre.scan.aggregate' expected the body to yield 1 values (sum), got 0
// CHECK: "too_few_values"

// -----

vyre.program @too_many_values {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into count %count : !vyre.buffer<1xi32, read_write> {
    vyre.scan.yield %v : i32
  }
}

// CHECK: 'vyre.scan.aggregate' expected the body to yield 0 values, got 1
// CHECK: "too_many_values"

// -----

vyre.program @narrow_value {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %total = vyre.buffer @total : !vyre.buffer<1xi64, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into sum %total : !vyre.buffer<1xi64, read_write> {
    vyre.scan.yield %v : i32
  }
}

// CHECK: 'vyre.scan.aggregate' expected the body to yield i64 for a sum of i64, got i32: convert it there
// CHECK: "narrow_value"

// -----

vyre.program @sum_of_bytes {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %total = vyre.buffer @total : !vyre.buffer<1xi8, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into sum %total : !vyre.buffer<1xi8, read_write> {
    %b = arith.trunci %v : i32 to i8
    vyre.scan.yield %b : i8
  }
}

// CHECK: 'vyre.scan.aggregate' expected a sum of i32 or i64 or f32 or f64, got i8
// CHECK: "sum_of_bytes"

// -----

vyre.program @count_of_floats {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %rows = vyre.buffer @rows : !vyre.buffer<1xf32, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into count %rows : !vyre.buffer<1xf32, read_write> {
    vyre.scan.yield
  }
}

// CHECK: 'vyre.scan.aggregate' expected a count of i32 or i64, got f32
// CHECK: "count_of_floats"

// -----

vyre.program @minimum_of_integers {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %least = vyre.buffer @least : !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into minimumf %least : !vyre.buffer<1xi32, read_write> {
    vyre.scan.yield %v : i32
  }
}

// CHECK: 'vyre.scan.aggregate' expected a minimumf of f32 or f64, got i32
// CHECK: "minimum_of_integers"

// -----

vyre.program @write_only_result {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %rows = vyre.buffer @rows : !vyre.buffer<1xi32, write_only>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into count %rows : !vyre.buffer<1xi32, write_only> {
    vyre.scan.yield
  }
}

// CHECK: 'vyre.scan.aggregate' expected a count that is read_write, got write_only
// CHECK: "write_only_result"

// -----

vyre.program @result_is_a_column {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %rows = vyre.buffer @rows : !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate (%v = %rows : !vyre.buffer<1xi32, read_write>) into count %rows : !vyre.buffer<1xi32, read_write> {
    vyre.scan.yield
  }
}

// CHECK: 'vyre.scan.aggregate' expected a buffer of its own for each result, other than the columns
// CHECK: "result_is_a_column"

// -----

vyre.program @one_result_twice {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into count %count : !vyre.buffer<1xi32, read_write>, count %count : !vyre.buffer<1xi32, read_write> {
    vyre.scan.yield
  }
}

// CHECK: 'vyre.scan.aggregate' expected a buffer of its own for each result, other than the columns
// CHECK: "one_result_twice"

// -----

vyre.program @several_elements_without_a_key {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %rows = vyre.buffer @rows : !vyre.buffer<6xi32, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into count %rows : !vyre.buffer<6xi32, read_write> {
    vyre.scan.yield
  }
}

// CHECK: 'vyre.scan.aggregate' expected results of one element without a group key, got one of 6
// CHECK: "several_elements_without_a_key"

// -----

vyre.program @unknown_number_of_groups {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %rows = vyre.buffer @rows : !vyre.buffer<?xi32, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into count %rows : !vyre.buffer<?xi32, read_write> {
    vyre.scan.yield group %v
  }
}

// CHECK: 'vyre.scan.aggregate' expected results of an element for each of up to 65536 groups, got ?
// CHECK: "unknown_number_of_groups"

// -----

vyre.program @too_many_groups {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %rows = vyre.buffer @rows : !vyre.buffer<65537xi32, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into count %rows : !vyre.buffer<65537xi32, read_write> {
    vyre.scan.yield group %v
  }
}

// CHECK: 'vyre.scan.aggregate' expected results of an element for each of up to 65536 groups, got 65537
// CHECK: "too_many_groups"

// -----

vyre.program @different_groups {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %rows = vyre.buffer @rows : !vyre.buffer<6xi32, read_write>
  %more = vyre.buffer @more : !vyre.buffer<8xi32, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into count %rows : !vyre.buffer<6xi32, read_write>, count %more : !vyre.buffer<8xi32, read_write> {
    vyre.scan.yield group %v
  }
}

// CHECK: 'vyre.scan.aggregate' expected results of the same number of groups, got 6 and 8
// CHECK: "different_groups"

// -----

vyre.program @groups_of_floats {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %total = vyre.buffer @total : !vyre.buffer<6xf32, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into sum %total : !vyre.buffer<6xf32, read_write> {
    %f = arith.sitofp %v : i32 to f32
    vyre.scan.yield %f : f32 group %v
  }
}

// CHECK: 'vyre.scan.aggregate' expected integers with a group key, got a sum of f32
// CHECK: "groups_of_floats"

// -----

vyre.program @minimum_that_starts_at_zero {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %least = vyre.buffer @least : !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into mins %least : !vyre.buffer<1xi32, read_write> {
    vyre.scan.yield %v : i32
  }
}

// CHECK: 'vyre.scan.aggregate' expected a mins declared with 'fill 2147483647 : i32'
// CHECK: "minimum_that_starts_at_zero"

// -----

vyre.program @first_that_starts_at_zero {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %first = vyre.buffer @first : !vyre.buffer<1xi64, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into first %first : !vyre.buffer<1xi64, read_write> {
    vyre.scan.yield
  }
}

// CHECK: 'vyre.scan.aggregate' expected a first declared with 'fill -1 : i64'
// CHECK: "first_that_starts_at_zero"

// -----

vyre.program @extreme_float_that_starts_at_zero {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %most = vyre.buffer @most : !vyre.buffer<1xf32, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into maximumf %most : !vyre.buffer<1xf32, read_write> {
    %f = arith.sitofp %v : i32 to f32
    vyre.scan.yield %f : f32
  }
}

// CHECK: 'vyre.scan.aggregate' expected a maximumf declared with 'fill 0xff800000 : f32'
// CHECK: "extreme_float_that_starts_at_zero"

// -----

vyre.program @predicate_that_is_no_bit {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into count %count : !vyre.buffer<1xi32, read_write> {
    vyre.scan.yield where %v
  }
}

// CHECK: operand is used with type i1, but has been previously used or defined with type i32

// -----

vyre.program @selection_by_groups {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.select (%v = %values : !vyre.buffer<?xi32, read_only>) into count %count : !vyre.buffer<1xi32, read_write> {
    vyre.scan.yield group %v
  }
}

// CHECK: 'vyre.scan.select' expected no group key, got one
// CHECK: "selection_by_groups"

// -----

vyre.program @bitmap_of_longs {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %bits = vyre.buffer @bits : !vyre.buffer<?xi64, read_write>
  vyre.scan.select (%v = %values : !vyre.buffer<?xi32, read_only>) into bitmap %bits : !vyre.buffer<?xi64, read_write> {
    vyre.scan.yield
  }
}

// CHECK: 'vyre.scan.select' expected bitmap of i8 or i16 or i32, got i64
// CHECK: "bitmap_of_longs"

// -----

vyre.program @positions_of_bytes {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %places = vyre.buffer @places : !vyre.buffer<?xi8, read_write>
  vyre.scan.select (%v = %values : !vyre.buffer<?xi32, read_only>) into positions %places : !vyre.buffer<?xi8, read_write> {
    vyre.scan.yield
  }
}

// CHECK: 'vyre.scan.select' expected positions of i32 or i64, got i8
// CHECK: "positions_of_bytes"

// -----

vyre.program @values_of_another_type {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %kept = vyre.buffer @kept : !vyre.buffer<?xi64, read_write>
  vyre.scan.select (%v = %values : !vyre.buffer<?xi32, read_only>) into values %kept : !vyre.buffer<?xi64, read_write> {
    vyre.scan.yield %v : i32
  }
}

// CHECK: 'vyre.scan.select' expected the body to yield i64 for values of i64, got i32: convert it there
// CHECK: "values_of_another_type"

// -----

vyre.program @read_only_positions {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %places = vyre.buffer @places : !vyre.buffer<8xi32, read_only>
  vyre.scan.select (%v = %values : !vyre.buffer<?xi32, read_only>) into positions %places : !vyre.buffer<8xi32, read_only> {
    vyre.scan.yield
  }
}

// CHECK: 'vyre.scan.select' expected positions that can be written, got read_only
// CHECK: "read_only_positions"

// -----

vyre.program @write_only_count {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %rows = vyre.buffer @rows : !vyre.buffer<1xi32, write_only>
  vyre.scan.select (%v = %values : !vyre.buffer<?xi32, read_only>) into count %rows : !vyre.buffer<1xi32, write_only> {
    vyre.scan.yield
  }
}

// CHECK: 'vyre.scan.select' expected a count that is read_write, got write_only
// CHECK: "write_only_count"

// -----

vyre.program @body_of_another_type {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  "vyre.scan.aggregate"(%values, %count) <{kinds = ["count"], operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0(%v : i64):
    "vyre.scan.yield"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> ()
  }) : (!vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>) -> ()
}

// CHECK: 'vyre.scan.aggregate' expected a body of the elements of a row, (i32), and perhaps its number, an index, got (i64)
// CHECK: "body_of_another_type"

// -----

vyre.program @body_without_end {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate (%v = %values : !vyre.buffer<?xi32, read_only>) into count %count : !vyre.buffer<1xi32, read_write> {
    %zero = arith.constant 0 : i32
  }
}

// CHECK: Operation arith.constant terminates block in single-block region but is not a terminator

// -----

vyre.program @missing_kind {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  "vyre.scan.select"(%values, %count) <{kinds = [], operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0(%v : i32):
    "vyre.scan.yield"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> ()
  }) : (!vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>) -> ()
}

// CHECK: 'vyre.scan.select' expected a kind for each of 1 results, got 0
// CHECK: "missing_kind"

// -----

vyre.program @foreign_kind {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  "vyre.scan.select"(%values, %count) <{kinds = ["sum"], operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0(%v : i32):
    "vyre.scan.yield"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> ()
  }) : (!vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>) -> ()
}

// CHECK: 'vyre.scan.select' expected a result of count, bitmap, positions, values, got "sum"
// CHECK: "foreign_kind"

// -----

vyre.program @no_results {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  "vyre.scan.select"(%values) <{kinds = [], operandSegmentSizes = array<i32: 1, 0, 0>}> ({
  ^bb0(%v : i32):
    "vyre.scan.yield"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> ()
  }) : (!vyre.buffer<?xi32, read_only>) -> ()
}

// CHECK: 'vyre.scan.select' expected at least one result, got none
// CHECK: "no_results"

// -----

vyre.program @yield_outside_of_a_query {
  vyre.region "a" invocations [1] {
    vyre.scan.yield
  }
}

// CHECK: 'vyre.scan.yield' expected at the end of the body of a query, got in 'vyre.region'
