// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// Ops on the lanes of vectors.

%a = "test.op"() : () -> i32
%below = vyre.compare_lanes ult %a, %a : i32 -> vector<4xi1>

// CHECK: 'vyre.compare_lanes' expected a vector of integers, got i32

// -----

%a = "test.op"() : () -> vector<4xf32>
%below = vyre.compare_lanes ult %a, %a : vector<4xf32> -> vector<4xi1>

// CHECK: 'vyre.compare_lanes' expected a vector of integers, got vector<4xf32>

// -----

%a = "test.op"() : () -> vector<4xi32>
%below = vyre.compare_lanes ult %a, %a : vector<4xi32> -> vector<8xi1>

// CHECK: 'vyre.compare_lanes' expected as many lanes as in vector<4xi32>, got vector<8xi1>

// -----

%a = "test.op"() : () -> vector<4xi32>
%below = vyre.compare_lanes ult %a, %a : vector<4xi32> -> vector<4xi8>

// CHECK: 'vyre.compare_lanes' expected a mask of i1 lanes, got vector<4xi8>

// -----

%mask, %a = "test.op"() : () -> (vector<2xi1>, vector<4xi32>)
%chosen = vyre.select_lanes %mask, %a, %a : vector<2xi1>, vector<4xi32>

// CHECK: 'vyre.select_lanes' expected as many lanes as in vector<4xi32>, got vector<2xi1>

// -----

%a = "test.op"() : () -> vector<4xi32>
%wide = vyre.convert_lanes extui %a : vector<4xi32> to vector<2xi64>

// CHECK: 'vyre.convert_lanes' expected as many lanes as in vector<4xi32>, got vector<2xi64>

// -----

%a = "test.op"() : () -> vector<4xi32>
%wide = vyre.convert_lanes extsi %a : vector<4xi32> to vector<4xi32>

// CHECK: 'vyre.convert_lanes' expected wider lanes than those of vector<4xi32>, got vector<4xi32>

// -----

%a = "test.op"() : () -> vector<4xi32>
%low = vyre.convert_lanes trunci %a : vector<4xi32> to vector<4xi64>

// CHECK: 'vyre.convert_lanes' expected narrower lanes than those of vector<4xi32>, got vector<4xi64>

// -----

%a = "test.op"() : () -> vector<4xi32>
%wide = vyre.convert_lanes extui %a : vector<4xi32> to vector<4xf64>

// CHECK: 'vyre.convert_lanes' expected a vector of integers, got vector<4xf64>

// -----

%a = "test.op"() : () -> vector<4xi32>
%below = vyre.compare_float_lanes olt %a, %a : vector<4xi32> -> vector<4xi1>

// CHECK: 'vyre.compare_float_lanes' expected a vector of floats, got vector<4xi32>

// -----

%a = "test.op"() : () -> vector<4xf32>
%below = vyre.compare_float_lanes olt %a, %a : vector<4xf32> -> vector<2xi1>

// CHECK: 'vyre.compare_float_lanes' expected as many lanes as in vector<4xf32>, got vector<2xi1>

// -----

%a = "test.op"() : () -> vector<4xf32>
%below = vyre.compare_float_lanes below %a, %a : vector<4xf32> -> vector<4xi1>

// CHECK: Expected `false`, `oeq`

// -----

%a = "test.op"() : () -> vector<4xf32>
%number = vyre.convert_lanes sitofp %a : vector<4xf32> to vector<4xf64>

// CHECK: 'vyre.convert_lanes' expected a vector of integers, got vector<4xf32>

// -----

%a = "test.op"() : () -> vector<4xf32>
%number = vyre.convert_lanes fptosi %a : vector<4xf32> to vector<4xf64>

// CHECK: 'vyre.convert_lanes' expected a vector of integers, got vector<4xf64>

// -----

%a = "test.op"() : () -> vector<4xi32>
%number = vyre.convert_lanes uitofp %a : vector<4xi32> to vector<4xi64>

// CHECK: 'vyre.convert_lanes' expected a vector of floats, got vector<4xi64>

// -----

%table, %a = "test.op"() : () -> (vector<12xi32>, vector<4xi32>)
%found = vyre.look_up_lanes %table[%a] : vector<12xi32>, vector<4xi32> -> vector<4xi32>

// CHECK: 'vyre.look_up_lanes' expected a table of 2, 4, 8, 16, … lanes, got vector<12xi32>

// -----

%table, %a = "test.op"() : () -> (vector<16xi32>, vector<4xf32>)
%found = vyre.look_up_lanes %table[%a] : vector<16xi32>, vector<4xf32> -> vector<4xi32>

// CHECK: 'vyre.look_up_lanes' expected a vector of integers, got vector<4xf32>

// -----

%table, %a = "test.op"() : () -> (vector<16xi32>, vector<4xi32>)
%found = vyre.look_up_lanes %table[%a] : vector<16xi32>, vector<4xi32> -> vector<16xi32>

// CHECK: 'vyre.look_up_lanes' expected as many lanes as in vector<4xi32>, got vector<16xi32>

// -----

%table, %a = "test.op"() : () -> (vector<16xi32>, vector<4xi32>)
%found = vyre.look_up_lanes %table[%a] : vector<16xi32>, vector<4xi32> -> vector<4xi8>

// CHECK: 'vyre.look_up_lanes' expected lanes of i32, got vector<4xi8>

// -----

%table, %a = "test.op"() : () -> (vector<16xi32>, vector<2x2xi32>)
%found = vyre.look_up_lanes %table[%a] : vector<16xi32>, vector<2x2xi32> -> vector<2x2xi32>

// CHECK: 'vyre.look_up_lanes' expected positions along one axis, got vector<2x2xi32>
