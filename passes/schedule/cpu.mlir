// Devices whose workgroup memory is ordinary memory: CPUs. Barriers and trees cost more there than
// they save: an invocation is a workgroup of its own that does a share of all items, in vectors as
// wide as registers, and slides over 64 tiles at a time. On two cores of an AMD EPYC with AVX-512,
// against one item per invocation and tiles in private memory alone, in GB/s of decoded text by wall
// time, on Intel's runtime / PoCL (benchmarks/results/cpu.json):
//
//     base64       2.0 to 10.0 / 1.7 to  9.4
//     32 literals  0.4 to  1.9 / 0.5 to  2.2
//     hex          2.4 to  6.5 / 0.3 to  6.3
//     xor          9.1 to 26.5 / 7.3 to 28.8
//     delta        2.8 to 23.3 / 2.9 to 23.3
//
// Arms that somebody writes without vectors get lanes, of as many numbers as OpenCL C has in a vector,
// before they are fused: benchmarks/results/gate-cpu.json has what that gives, over both forms.
vyre.schedule @cpu profile(release) devices {has_own_local_mem = false} {
  // Visits and places are counted, as a branch on what is found would be guessed wrong: literals by
  // matches are at 0.6 of that in text, and at up to 1.08 where there are hardly any, of which no
  // record is kept. The prefilter makes literals four to five times as fast where little is found,
  // twice as fast as `prefilter=pairs`, and costs nothing worth mention in text, of which no record
  // is kept.
  // Codes and decimals are decoded one by one where a scanner follows, which then has their lanes: 2.4 and 3.4 ms for 4 M
  // rows on Intel's runtime, 4.3 and 4.4 in vectors; by themselves in vectors, where PoCL took 11 times as long with codes,
  // of which no record is kept.
  // Values of runs of Parquet share the search for their run: with 32, and lanes where runs end, scans of TPC-H from files take
  // 0.7 to 0.93 of the time of 16 that were decoded one by one there, on both runtimes, of which no record is kept.
  vyre.request @"vyre-expand" options {unfused = ["lanes=16"], defaults = ["vyre.decode.dictionary_runs.values=32", "vyre.decode.bitunpack_runs.values=32", "vyre.decode.dictionary.lanes=1", "vyre.decode.alp.lanes=1", "lanes=16", "places=64", "vyre.scan.filter.values=64", "counting=bins", "vyre.scan.literal.counting=places", "bytes=64", "counters=visit", "streams=4", "chunk=1024", "prefilter=windows"]}
  // Pictures and volumes have one axis, as tiles and lanes have: `volume_surface` of the gate took a quarter, and
  // `sensor_channels`, whose sums of columns are lanes, a twentieth of the time on Intel's runtime (benchmarks/results/gate-cpu-xeon.json).
  vyre.request @"vyre-flatten-domains" options {columns = true}
  vyre.request @"vyre-narrow-integers"
  vyre.request @"vyre-expand-counts"
  vyre.request @"vyre-vectorize" options {lanes = 16 : i64, lanes_of_bytes = #vyre.device<vector_lanes>, vectors = false}
  vyre.request @"vyre-decode-scan-fuse" options {budget = #vyre.device<local_mem_bytes>, local_memory = "global", steps = 64 : i64}
  // 16 shares for each unit: enough that units which others use, too, end together.
  vyre.request @"vyre-coarsen" options {groups = #vyre.device<compute_units * 16>, order = "blocked", workgroup = 1 : i64}
  // Copies of bins and counters let equal bytes follow each other, 16 in as many lanes; there is room for
  // some beside the largest tile in a cache, of 32 KiB. Without copies, updates take up to 12 times as long,
  // with four up to 2.7 times as long as with 16, of which no record is kept.
  vyre.request @"vyre-privatize-reductions" options {scope = "invocation", budget = 49152 : i64, copies = 16 : i64, lanes = true}
  vyre.request @"vyre-split-vectors" options {lanes = #vyre.device<vector_lanes>}
  vyre.request @"vyre-unroll" options {limit = 128 : i64}
  // Without `loops`, xor is a tenth slower in text and a fifth or more elsewhere, and delta 5 to
  // 10 %, of which no record is kept.
  vyre.request @"vyre-split-index-sets" options {loops = true}
  vyre.request @"vyre-narrow-sums"
  // Without it, hex is at 0.75 in text and at 0.85 elsewhere, of which no record is kept.
  vyre.request @"vyre-pipeline-loops"
}
