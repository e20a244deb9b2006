import { Effect, FileSystem, Layer } from "effect"
import { NodeServices } from "@effect/platform-node"
import { databaseAt } from "../../engine/store/Database.ts"
import { embeddedPostgres } from "../../engine/store/EmbeddedPostgres.ts"

/** A real server with the migrated schema, in a folder that goes with it. */
export const TestPostgres = Layer.unwrap(Effect.gen(function*() {
  const files = yield* FileSystem.FileSystem
  return databaseAt(yield* embeddedPostgres(yield* files.makeTempDirectoryScoped({ prefix: "longwave-pg-" })))
})).pipe(Layer.provideMerge(NodeServices.layer))
