// What CPUs had until 2026-11-22, for `benchmarks.cpu` to compare with.
vyre.schedule @cpu_until_2026_11_22 profile(release) devices {} {
  vyre.request @"vyre-decode-scan-fuse" options {budget = #vyre.device<local_mem_bytes>, local_memory = "global"}
}
