// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// Ops on the bytes of words.

%a, %b = "test.op"() : () -> (i64, i64)
%word = vyre.permute_bytes %a, %b [0, 1, 2, 3] : i64

// CHECK: 'vyre.permute_bytes' expected i32 or a vector of i32, got i64

// -----

%a, %b = "test.op"() : () -> (i32, i32)
%word = vyre.permute_bytes %a, %b [0, 1, 2] : i32

// CHECK: 'vyre.permute_bytes' expected 4 positions, got 3

// -----

%a, %b = "test.op"() : () -> (vector<4xi32>, vector<4xi32>)
%word = vyre.permute_bytes %a, %b [0, 1, 2, 8] : vector<4xi32>

// CHECK: 'vyre.permute_bytes' expected positions from 0 to 7, got 8
