// RUN: xdsl-opt %s | xdsl-opt | filecheck %s
// RUN: xdsl-opt %s --print-op-generic | filecheck %s --check-prefix=CHECK-GENERIC

%a, %b, %w, %mask = "test.op"() : () -> (vector<4xi8>, vector<4xi8>, vector<4xi32>, vector<4xi1>)
%below = vyre.compare_lanes ult %a, %b : vector<4xi8> -> vector<4xi1>
%equal = vyre.compare_lanes eq %mask, %below {note} : vector<4xi1> -> vector<4xi1>
%chosen = vyre.select_lanes %below, %a, %b : vector<4xi1>, vector<4xi8>
%floats = "test.op"() : () -> (vector<4xf32>)
%either = vyre.select_lanes %mask, %floats, %floats : vector<4xi1>, vector<4xf32>
%wide = vyre.convert_lanes extui %a : vector<4xi8> to vector<4xi32>
%signed = vyre.convert_lanes extsi %mask : vector<4xi1> to vector<4xi8>
%low = vyre.convert_lanes trunci %w : vector<4xi32> to vector<4xi1>
%unordered = vyre.compare_float_lanes uno %floats, %floats : vector<4xf32> -> vector<4xi1>
%never = vyre.compare_float_lanes false %floats, %floats {note} : vector<4xf32> -> vector<4xi1>
%number = vyre.convert_lanes sitofp %w : vector<4xi32> to vector<4xf32>
%nearest = vyre.convert_lanes fptoui %number : vector<4xf32> to vector<4xi8>
%table = "test.op"() : () -> vector<16xf32>
%found = vyre.look_up_lanes %table[%a] : vector<16xf32>, vector<4xi8> -> vector<4xf32>

// CHECK:      %below = vyre.compare_lanes ult %a, %b : vector<4xi8> -> vector<4xi1>
// CHECK-NEXT: %equal = vyre.compare_lanes eq %mask, %below {note} : vector<4xi1> -> vector<4xi1>
// CHECK-NEXT: %chosen = vyre.select_lanes %below, %a, %b : vector<4xi1>, vector<4xi8>
// CHECK:      %either = vyre.select_lanes %mask, %floats, %floats : vector<4xi1>, vector<4xf32>
// CHECK-NEXT: %wide = vyre.convert_lanes extui %a : vector<4xi8> to vector<4xi32>
// CHECK-NEXT: %signed = vyre.convert_lanes extsi %mask : vector<4xi1> to vector<4xi8>
// CHECK-NEXT: %low = vyre.convert_lanes trunci %w : vector<4xi32> to vector<4xi1>
// CHECK-NEXT: %unordered = vyre.compare_float_lanes uno %floats, %floats : vector<4xf32> -> vector<4xi1>
// CHECK-NEXT: %never = vyre.compare_float_lanes false %floats, %floats {note} : vector<4xf32> -> vector<4xi1>
// CHECK-NEXT: %number = vyre.convert_lanes sitofp %w : vector<4xi32> to vector<4xf32>
// CHECK-NEXT: %nearest = vyre.convert_lanes fptoui %number : vector<4xf32> to vector<4xi8>
// CHECK:      %found = vyre.look_up_lanes %table[%a] : vector<16xf32>, vector<4xi8> -> vector<4xf32>

// CHECK-GENERIC:      %below = "vyre.compare_lanes"(%a, %b) <{predicate = #vyre<predicate ult>}> : (vector<4xi8>, vector<4xi8>) -> vector<4xi1>
// CHECK-GENERIC:      %chosen = "vyre.select_lanes"(%below, %a, %b) : (vector<4xi1>, vector<4xi8>, vector<4xi8>) -> vector<4xi8>
// CHECK-GENERIC:      %wide = "vyre.convert_lanes"(%a) <{conversion = #vyre<conversion extui>, value_type = vector<4xi32>}> : (vector<4xi8>) -> vector<4xi32>
// CHECK-GENERIC:      %unordered = "vyre.compare_float_lanes"(%floats, %floats) <{predicate = #vyre<float_predicate uno>}> : (vector<4xf32>, vector<4xf32>) -> vector<4xi1>
// CHECK-GENERIC:      %found = "vyre.look_up_lanes"(%table, %a) <{value_type = vector<4xf32>}> : (vector<16xf32>, vector<4xi8>) -> vector<4xf32>
