// Accelerators beside a tape drive, made up for this example: few units, each with a memory of its
// own that a table and sums of several workgroups fit into. What is measured goes here, with the
// record that holds it.
vyre.schedule @tape_accelerator profile(release) devices {kind = "accelerator", local_mem_bytes = 65536} {
  vyre.request @"vyre-coarsen" options {groups = #vyre.device<compute_units * 4>}
  vyre.request @"vyre-decode-scan-fuse" options {budget = #vyre.device<local_mem_bytes>, local_memory = "dedicated"}
  vyre.request @"vyre-split-index-sets"
}
