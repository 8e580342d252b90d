// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

vyre.schedule @unknown_requirement profile(release) {
  vyre.pass @a phase kernels family scalar boundary arm requires [@b]
}

// CHECK: 'vyre.pass' @a: requires '@b', which '@unknown_requirement' does not hold

// -----

vyre.schedule @cycle profile(release) {
  vyre.pass @a phase kernels family scalar boundary arm requires [@b]
  vyre.pass @b phase kernels family scalar boundary arm requires [@d, @c]
  vyre.pass @c phase kernels family scalar boundary arm requires [@a]
  vyre.pass @d phase kernels family scalar boundary arm
}

// CHECK: 'vyre.schedule' @cycle: expected requirements without a cycle, got '@{{[abc]}}' -> '@{{[abc]}}' -> '@{{[abc]}}' -> '@{{[abc]}}'

// -----

vyre.schedule @itself profile(release) {
  vyre.pass @a phase kernels family scalar boundary arm requires [@a]
}

// CHECK: 'vyre.schedule' @itself: expected requirements without a cycle, got '@a' -> '@a'

// -----

vyre.schedule @twice profile(release) {
  vyre.pass @a phase kernels family scalar boundary arm
  vyre.pass @a phase arms family scalar boundary arm
}

// CHECK: 'vyre.schedule' expected each pass once, got '@a' twice

// -----

vyre.schedule @later profile(release) {
  vyre.pass @early phase arms family scalar boundary arm requires [@late]
  vyre.pass @late phase kernels family scalar boundary arm
}

// CHECK: 'vyre.pass' @early of phase arms: requires '@late' of the later phase kernels

// -----

vyre.schedule @other_ops profile(release) {
  %c = arith.constant 1 : i32
}

// CHECK: 'vyre.schedule' expected 'vyre.pass' only, got 'arith.constant'

// -----

vyre.pass @alone phase kernels family scalar boundary arm

// CHECK: 'vyre.pass' @alone: expected a 'vyre.schedule' around it

// -----

vyre.program @p {
  vyre.schedule @inside profile(release) {}
}

// CHECK: 'vyre.schedule' expects parent op 'builtin.module'

// -----

vyre.schedule @half profile(release) {
  vyre.pass @a phase kernels family scalar boundary arm selected true
}

// CHECK: 'vyre.pass' @a: expected 'selected', 'reason' and 'priority' together

// -----

vyre.schedule @evidence profile(release) {
  vyre.pass @a phase kernels family scalar boundary arm evidence "nodes"
}

// CHECK: 'vyre.pass' @a: expected evidence for a decision only

// -----

vyre.schedule @options profile(release) {
  vyre.pass @a options {where = @b} phase kernels family scalar boundary arm
}

// CHECK: 'vyre.pass' @a: expected integers, floats, booleans or strings for option 'where', got @b

// -----

vyre.schedule @profile profile(fast) {}

// CHECK: Expected `release`, `dataflow`, or `megakernel`.

// -----

vyre.schedule @phase profile(release) {
  vyre.pass @a phase loops family scalar boundary arm
}

// CHECK: Expected `expand`, `arms`, `outline`, or `kernels`.

// -----

vyre.schedule @pass_in_policy profile(release) devices {} {
  vyre.pass @a phase kernels family scalar boundary arm
}

// CHECK: 'vyre.schedule' with 'devices' expected 'vyre.request' only, got 'vyre.pass'

// -----

vyre.schedule @request_elsewhere profile(release) {
  vyre.request @a
}

// CHECK: 'vyre.schedule' expected 'vyre.pass' only, got 'vyre.request'

// -----

vyre.request @alone

// CHECK: 'vyre.request' @alone: expected a 'vyre.schedule' around it

// -----

vyre.schedule @twice profile(release) devices {} {
  vyre.request @a
  vyre.request @a options {limit = 2}
}

// CHECK: 'vyre.schedule' expected each pass once, got '@a' twice

// -----

vyre.schedule @no_property profile(release) devices {computer_units = 4} {}

// CHECK: 'vyre.schedule' @no_property: unknown property 'computer_units' of devices: did you mean 'compute_units'?

// -----

vyre.schedule @no_count profile(release) devices {compute_units = true} {}

// CHECK: 'vyre.schedule' @no_count: expected a count as 'compute_units' of devices, got true

// -----

vyre.schedule @no_text profile(release) devices {kind = unit} {}

// CHECK: 'vyre.schedule' @no_text: expected a text as 'kind' of devices, got unit

// -----

vyre.schedule @no_kind profile(release) devices {kind = "npu"} {}

// CHECK: 'vyre.schedule' @no_kind: unknown kind 'npu' of devices: it is one of gpu, cpu, accelerator

// -----

vyre.schedule @made_by_one profile(release) policy "a" devices {} {}

// CHECK: 'vyre.schedule' @made_by_one: expected 'policy' on a schedule of passes, not on a policy

// -----

vyre.schedule @no_option profile(release) devices {} {
  vyre.request @a options {limit = unit}
}

// CHECK: 'vyre.request' @a: expected integers, floats, booleans, strings or properties of the device for option 'limit', got unit

// -----

vyre.schedule @of_device profile(release) {
  vyre.pass @a options {limit = #vyre.device<compute_units>} phase kernels family scalar boundary arm
}

// CHECK: 'vyre.pass' @a: expected integers, floats, booleans or strings for option 'limit', got #vyre.device<compute_units>

// -----

vyre.schedule @unknown_number profile(release) devices {} {
  vyre.request @a options {limit = #vyre.device<computer_units>}
}

// CHECK: unknown property 'computer_units' of devices: did you mean 'compute_units'?

// -----

vyre.schedule @no_number profile(release) devices {} {
  vyre.request @a options {limit = #vyre.device<kind>}
}

// CHECK: expected a count as property, got 'kind'

// -----

vyre.schedule @no_factor profile(release) devices {} {
  vyre.request @a options {limit = #vyre.device<compute_units * 0>}
}

// CHECK: expected a positive factor of 63 bits, got 0
