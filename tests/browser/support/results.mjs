import { randomFrom } from "./random.mjs";
import { describe } from "./statistics.mjs";

const KiB = 1024;
const MiB = 1024 * KiB;
const buffers = [2 * KiB, 4 * KiB, 16 * KiB, 64 * KiB, 256 * KiB, MiB];
const launches = 5;
const rounds = 10;
const perRound = 4;

/** How a method behaves: milliseconds for 128 MiB at a large buffer, what a small buffer adds, memory, allocated bytes. */
const methods = {
  FileStreamSync: { ms: 15.6, small: 20, memory: 80 * KiB, allocated: 160 },
  FileStreamAsync: { ms: 24, small: 60, memory: 300 * KiB, allocated: 8 * KiB },
  PipeReaderCreate: { ms: 17, small: 66, memory: 400 * KiB, allocated: 4 * KiB },
  PipePump: { ms: 19, small: 90, memory: 700 * KiB, allocated: 60 * KiB },
  MemoryMapped: { ms: 14.5, small: 1, memory: 128 * MiB, allocated: 640 },
  BufferedReader: { ms: 15.9, small: 14, memory: 200 * KiB, allocated: 500 },
  FilePipe: { ms: 10.9, small: 0.9, memory: 2.1 * MiB, allocated: 2.5 * KiB },
  FilePipeBuffered: { ms: 14.1, small: 0.5, memory: 1.1 * MiB, allocated: 1.9 * KiB },
  FilePipeReadAhead: { ms: 11, small: 0.9, memory: 2.2 * MiB, allocated: 2.6 * KiB },
  FilePipeMapped: { ms: 12.2, small: 0.2, memory: 17 * MiB, allocated: 1.2 * KiB },
  FilePipeDirect: { ms: 55, small: 0.2, memory: 4 * MiB, allocated: 9 * KiB },
};

const groups = [128 * MiB, 4 * MiB, 512 * MiB].flatMap((bytes) => [
  { bytes, cache: "hot", cacheFill: "large writes" },
  { bytes, cache: "hot", cacheFill: "small writes" },
  { bytes, cache: "cold" },
]);

/** Results of `count` cases with 200 samples each, the same ones for the same seed. */
export function makeResults({ count = 500, seed = 1, suite = "files", failUnder = true } = {}) {
  const random = randomFrom(seed);
  const planned = groups.flatMap((group) => Object.keys(methods).flatMap((method) => buffers.map((buffer) => ({ method, group, buffer }))));
  const cases = planned.slice(0, count).map(({ method, group, buffer }) => measured(random, method, group, buffer));
  addProblems(cases);
  const again = cases.filter((item) => item.baseline).slice(0, 6).map((item) => ({ ...item, method: `${item.method}Again`, baseline: false, role: "noise", verdicts: undefined }));
  return {
    schema: "millrace.results/1",
    suite,
    mode: "full",
    command: `millrace lab files --full --out results/example${failUnder ? " --fail-under" : ""}`,
    started: "2026-01-02T03:04:05+00:00",
    durationSeconds: 3456.7,
    interrupted: false,
    seed,
    engine: { name: "BenchmarkDotNet 0.14.0", millrace: "0.1.0", build: "Release", warmUpPhases: 5, warmUpCalls: 180, compilerQuiet: true, runtimeSettings: { DOTNET_TieredPGO: "1" } },
    machine: {
      cpu: "An example processor", cores: 8, memoryBytes: 32 * 1024 * MiB, os: "Debian GNU/Linux 12 (bookworm)", kernel: "6.1.0", architecture: "X64",
      runtime: ".NET 10.0.1", garbageCollector: "workstation", fileSystem: "ext4 (rw,relatime)", physicalCores: 4, cacheBytes: 16 * MiB,
      mitigations: "spectre_v2: Retpolines; meltdown: PTI", hugePages: "madvise", loadAverage: 0.2,
    },
    meters: { wallNs: "Stopwatch, one invocation per sample", userCpuNs: "getrusage", systemCpuNs: "getrusage", allocatedBytes: "GC.GetTotalAllocatedBytes, in a pass of its own" },
    launches: Array.from({ length: launches }, (_, index) => ({
      index, started: `2026-01-02T03:${10 + index}:00+00:00`, durationSeconds: 600.5, seed: seed + index, hotRounds: rounds, coldRounds: rounds, compilerQuiet: true, loadAverage: 0.3,
    })),
    meterCosts: [{ meter: "getrusage", nanoseconds: 812.5, per: "reading", where: "outside the measured time" }],
    absent: [{ what: "cold cases on tmpfs", reason: "memory cannot be cold" }],
    warnings: ["Another process used a processor meanwhile <script>alert(1)</script>"],
    noise: cases.filter((item) => item.baseline).slice(0, 6).map((item) => ({ method: item.method, parameters: item.parameters, medianRatio: 1.012, ratio: 1.01, ratioStdDev: 0.02, deviation: 0.012 })),
    bars: [
      { figure: "FilePipe / FileStreamSync at 4 KiB, 128 MiB", limit: "≤ 0.40", measured: "0.38", met: true },
      { figure: "FilePipe / FileStreamSync at 64 KiB, 128 MiB", limit: "≤ 0.60", measured: "0.68", met: false },
      { figure: "FilePipeDirect, cold", limit: "≤ 0.90", measured: "not measured" },
    ],
    finding: "FilePipe read 128 MiB in 11.3 ms at 4 KiB, 0.49 of FileStream's 22.9 ms.",
    cases: [...cases, ...again],
  };
}

function measured(random, method, group, buffer) {
  const kind = methods[method];
  const scale = (group.bytes / (128 * MiB)) * (group.cache === "cold" ? 5 : group.cacheFill === "small writes" ? 1.15 : 1);
  const median = (kind.ms + kind.small * (2 * KiB / buffer)) * scale;
  const samples = { launch: [], round: [], wallNs: [], userCpuNs: [], systemCpuNs: [], minorFaults: [], voluntarySwitches: [], readCalls: [] };
  for (let launch = 0; launch < launches; launch++) {
    const drift = 1 + 0.01 * random.normal();
    for (let sample = 0; sample < rounds * perRound; sample++) {
      const late = random.uniform() < 0.03 ? 1 + random.uniform() : 1;
      const wall = Math.round(median * 1e6 * drift * late * (1 + 0.02 * Math.abs(random.normal())));
      samples.launch.push(launch);
      samples.round.push(launch * rounds + Math.floor(sample / perRound));
      samples.wallNs.push(wall);
      samples.userCpuNs.push(Math.round(wall * 0.3));
      samples.systemCpuNs.push(Math.round(wall * (0.6 + 0.1 * random.uniform())));
      samples.minorFaults.push(Math.round(20 + 5 * random.uniform()));
      samples.voluntarySwitches.push(Math.round(3 * random.uniform()));
      samples.readCalls.push(Math.ceil(group.bytes / buffer));
    }
  }
  const { launch, round, wallNs, ...meters } = samples;
  const wall = describe(wallNs);
  const base = methods.FileStreamSync;
  const ratio = median / ((base.ms + base.small * (2 * KiB / buffer)) * scale);
  const verdict = method === "FileStreamSync" ? undefined : Math.abs(ratio - 1) < 0.03 ? "noise" : ratio < 1 ? "faster" : "slower";
  const compared = (metric, value, words) => ({
    metric, against: "FileStreamSync", verdict: words ?? verdict, better: verdict === "noise" ? undefined : value < 1, ratio: value, low: value * 0.985, high: value * 1.016, threshold: 0.03,
    reason: verdict === "noise" ? "the interval is within the noise of the baseline" : undefined,
  });
  return {
    method,
    baseline: method === "FileStreamSync",
    verified: true,
    parameters: { buffer, ...group, options: "SequentialScan" },
    strategy: method.startsWith("FilePipe") ? "Buffered" : undefined,
    strategyReason: method === "FilePipe" ? "too small to benefit from a second thread" : undefined,
    samples: { launch, round, wallNs, ...meters, passes: { allocatedBytes: whole([kind.allocated, kind.allocated]), allocatedObjects: [kind.allocated / 50], allocatedObjectsStdDev: [kind.allocated / 500], gen0: [0, 0], peakOverIdleBytes: whole([kind.memory * 0.98, kind.memory, kind.memory * 1.02]) } },
    summary: {
      wallNs: wall, ratio, ratioStdDev: 0.02, medianRatio: ratio, mibPerSecond: group.bytes / MiB / (wall.median / 1e9), allocatedBytes: kind.allocated, allocatedRatio: kind.allocated / base.allocated,
      allocatedObjects: kind.allocated / 50, allocatedObjectsStdDev: kind.allocated / 500, gen0: 0, userCpuNs: wall.mean * 0.3, systemCpuNs: wall.mean * 0.65, coresUsed: 0.95, minorFaults: 22, majorFaults: 0, contextSwitches: 2, logicalReadBytes: group.bytes,
      bytesFrom: group.cache === "cold" ? "disk" : "page cache", peakOverIdleBytes: kind.memory, readCalls: Math.ceil(group.bytes / buffer),
      distributions: Object.fromEntries(Object.entries(meters).map(([name, values]) => [name, describe(values)])),
    },
    verdicts: verdict && [compared("wallNs", ratio), compared("allocatedBytes", kind.allocated / base.allocated, "more"), compared("peakOverIdleBytes", kind.memory / base.memory, "more")],
    unavailable: { systemCalls: "the tracepoint raw_syscalls:sys_enter is not visible: tracefs is not mounted" },
  };
}

const whole = (values) => values.map(Math.round);

/** A case that failed, and one of which a few samples did not begin in the stated state. */
function addProblems(cases) {
  const failed = cases.find((item) => item.method === "MemoryMapped" && item.parameters.buffer === 64 * KiB);
  if (failed) Object.assign(failed, { verified: false, error: "IOException: the file was cut while it was mapped", samples: undefined, summary: undefined, verdicts: undefined });
  const cold = cases.find((item) => item.method === "FilePipe" && item.parameters.buffer === 4 * KiB);
  if (cold) {
    cold.verified = false;
    cold.unverifiedReason = "2 % of the file were not in the page cache";
    cold.samples.unverified = [0, 41, 82];
  }
}
