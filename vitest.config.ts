import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Those that take longest for their size, by which files are sorted: begun among the last, one of them keeps its worker busy while the other has nothing left to do. */
const long =
  /\/(ProgrammesKilled|Starting|Benches|Composer|Day|Music|Walk|MediaTime|RenderedProgramme|Avatars|EmbeddedPostgres)\.test\.ts$/

class LongFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const sorted = await super.sort(files)
    return [
      ...sorted.filter(({ moduleId }) => long.test(moduleId)),
      ...sorted.filter(({ moduleId }) => !long.test(moduleId))
    ]
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Two cores: more workers only make the timed parts of the real encoders wait for each other.
    maxWorkers: 2,
    globalSetup: "test/support/sql/PostgresServer.ts",
    setupFiles: ["test/support/PropertySeed.ts", "test/support/station/Midnight.ts"],
    sequence: { sequencer: LongFirst },
    // Ends what hangs, and claims nothing: no test fails because a busy machine is slow. What a test claims about time, it claims itself.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 300_000 } }
  }
})
