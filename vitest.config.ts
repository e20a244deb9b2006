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
/** Those of media that don't: they compute. `npm test` runs them beside the timed ones, and all others after both. */
const sound = ["test/media/**/*.test.ts"]
const every = ["test/**/*.test.ts"]
const included = new Map([
  ["timed", timed],
  ["sound", sound]
])
const excluded = new Map([
  ["sound", timed],
  ["untimed", [...timed, ...sound]]
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
    maxWorkers: 2,
    globalSetup: "test/support/sql/PostgresServer.ts",
    setupFiles: ["test/support/PropertySeed.ts", "test/support/station/Midnight.ts"],
    sequence: { sequencer: LongFirst },
    // Ends what hangs, and claims nothing: no test fails because a busy machine is slow. What a test claims about time, it claims itself.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 300_000 } }
  }
}))
