import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Tests that compare a real station, a real browser or real encoders with the clock: one after the other. */
const timed = [
  "test/whole/{Faults,OnAir,Processes,Providers,RollingUpgrade,Store,Upgrade}.test.ts",
  "test/http/pages/**/*.test.ts",
  "test/actors/air/Station.test.ts",
  "test/bench/Latency*.test.ts",
  "test/media/chain/{Air,AirFaults,AirStandby,ListenerProbe,LiveInput,MediaTime,Restart}.test.ts",
  "test/media/encode/Encoder*.test.ts"
]
/** Of those that claim nothing about time, `npm test` runs these two lists beside the timed tests everywhere. */
const sound = ["test/media/**/*.test.ts"]
const inner = ["test/{engine,actors}/**/*.test.ts"]
/** Real stations whose tests claim nothing about time: without a processor they would play late and do little else. */
const stations = [
  "test/bench/Benches.test.ts",
  "test/http/programmes/ProgrammesKilled.test.ts",
  "test/whole/{Backup,Probes,Start}.test.ts"
]
const every = ["test/**/*.test.ts"]
const included = new Map([
  ["timed", timed],
  ["sound", sound],
  ["inner", inner],
  ["stations", stations]
])
const excluded = new Map([
  ["sound", timed],
  ["inner", timed],
  ["untimed", [...timed, ...sound, ...inner, ...stations]]
])

/** Those that take longest for their size, by which files are sorted: begun among the last, one of them keeps its worker busy while the other has nothing left to do. */
const long =
  /\/(ProgrammesKilled|Starting|Benches|MixerHeard|SoundCheck|Arranger|Contract|Composer|Day|Music|Walk|RenderedProgramme|Avatars|EmbeddedPostgres)\.test\.ts$/

class LongFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const sorted = await super.sort(files)
    return [
      ...sorted.filter(({ moduleId }) => long.test(moduleId)),
      ...sorted.filter(({ moduleId }) => !long.test(moduleId))
    ]
  }
}

export default defineConfig(({ mode }) => ({
  test: {
    include: included.get(mode) ?? every,
    exclude: excluded.get(mode) ?? [],
    // On two cores, one of three mostly waits for Postgres or for another process.
    maxWorkers: 3,
    globalSetup: "test/support/sql/PostgresServer.ts",
    setupFiles: [
      "effect/schema/SchemaJITCompiler/enable",
      "test/support/PropertySeed.ts",
      "test/support/station/Midnight.ts"
    ],
    sequence: { sequencer: LongFirst },
    // Ends what hangs, and claims nothing: no test fails because a busy machine is slow. What a test claims about time, it claims itself.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 300_000 } }
  }
}))
