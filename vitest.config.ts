import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Two cores: more workers only make the timed parts of the real encoders wait for each other.
    maxWorkers: 2,
    globalSetup: "test/support/PostgresServer.ts",
    setupFiles: ["test/support/PropertySeed.ts", "test/support/Midnight.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000
  }
})
