// Devices whose workgroup memory is memory of its own: GPUs. Arms of independent invocations are
// fused over values, on a persistent grid of workgroups, each of which flushes its sums once. On an
// NVIDIA H200, against tiles and sums of four items, in GB/s where little is found / in text
// (from benchmarks/results/shapes-nvidia-h200-rare.json and -dense.json
// to benchmarks/results/peel-nvidia-h200.json):
//
//     base64      1452 to 2012 / 1461 to 1933
//     32 literals  757 to 1210 /  444 to 1018
//     hex         2208 to 3266 / 2236 to 3585
//     xor         3488 to 4281 / 3497 to 4106
//     delta       1371 to 3791 / 1359 to 3719
//
// Left to the tuner: hex with workgroups of 256 and eight `copies` is at 3545 / 3790
// (benchmarks/results/peel-nvidia-h200.json).
vyre.schedule @gpu profile(release) devices {has_own_local_mem = true} {
  // `values` is delta's; `chunk`, counted states and staged tables are the literals'
  // (benchmarks/results/parameters-nvidia-h200.json). Hex of 32 `bytes` an invocation was at 2742,
  // of which no record is kept.
  // Unpacked integers stay 32 in registers where a scanner takes them; else, an invocation stores as many
  // as make one vector, so that neighbours store runs of memory.
  vyre.request @"vyre-expand" options {unfused = ["vyre.decode.bitunpack.values=4", "vyre.decode.bitunpack.lanes=4"], defaults = ["vyre.decode.bitunpack.values=32", "vyre.decode.bitunpack.lanes=1", "vyre.scan.prefix_sum.values=32", "values=8", "counters=state", "chunk=80", "counting=bins", "bytes=16"]}
  // Pictures and volumes have one axis, as tiles and lanes have, and so have columns that are summed: `sensor_channels`
  // took a quarter of the time (benchmarks/results/gate-nvidia-h200.json).
  vyre.request @"vyre-flatten-domains" options {columns = true}
  // Neighbouring invocations that read or write up to 16 bytes together are lanes, where all arms that hand on to each
  // other can be: an access of a byte takes as long as one of 16 (benchmarks/README.md, "Lanes on GPUs").
  vyre.request @"vyre-vectorize" options {lanes = 8 : i64, vectors = false, strict = true, tail = "each"}
  // Integers in lanes stay in registers: TPC-H's sixth query reads them as fast as memory gives them
  // (benchmarks/results/columns-nvidia-h200.json), through workgroup memory half as fast, of which no record is kept.
  vyre.request @"vyre-transpose-handoffs"
  vyre.request @"vyre-decode-scan-fuse" options {budget = #vyre.device<local_mem_bytes>, local_memory = "dedicated"}
  // Workgroups of 128 invocations. 64 of them for each unit gave up to 5 % more, but to hex, whose
  // speed then depends on where the bins lie that it flushes its counts into
  // (benchmarks/results/groups-nvidia-h200.json).
  vyre.request @"vyre-coarsen" options {groups = #vyre.device<compute_units * 32>}
  // Copies of each sum took from text (benchmarks/results/shapes-nvidia-h200-dense.json); of wider
  // elements, they made TPC-H's first query 2.9 times as fast (benchmarks/results/copies-nvidia-h200.json), and
  // those of each invocation 1.6 times as fast as that (benchmarks/results/own-copies-nvidia-h200.json).
  vyre.request @"vyre-privatize-reductions" options {scope = "workgroup", wide_copies = 16 : i64, own_bytes = 16384 : i64, budget = #vyre.device<local_mem_bytes>}
  vyre.request @"vyre-stage-tables" options {budget = #vyre.device<local_mem_bytes>}
  vyre.request @"vyre-unroll" options {limit = 32 : i64}
  // Of the gate's programs, `matched_filter` took 0.42 of the time by `loops`, and `loudness`, `two_keys`, `rot13_words` and
  // `volume_surface` 0.73 to 0.79; none took more than 1.02 (benchmarks/results/index-sets-nvidia-h200.json).
  vyre.request @"vyre-split-index-sets" options {loops = true}
  // What a vector of decoded bytes is scanned by stands where it is made, not behind where it meets the tail's.
  vyre.request @"vyre-merge-branches"
  // Bytes in lanes take an instruction each, four in a word one: what is hex took 0.6 of the time
  // (benchmarks/results/gate-nvidia-h200.json).
  vyre.request @"vyre-pack-bytes"
  // Without it, base64 was at 1758, of which no record is kept.
  vyre.request @"vyre-form-byte-permutes"
}
