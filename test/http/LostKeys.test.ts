import { Effect, Layer, Logger } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { makeKey } from "../../engine/runtime/Secrets.ts"
import { Operators, OperatorsWriter } from "../../engine/store/operations/Operators.ts"
import { alertOfLostKeys } from "../../http/LostKeys.ts"
import { TestPostgres } from "../support/sql/Postgres.ts"

const folder = mkdtempSync(join(tmpdir(), "longwave-keys-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it("the start lists the losses by missing keys, except on a new station", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      /** Output of a start. */
      const said = Effect.fnUntraced(function* (env: Record<string, string> = {}) {
        const lines: Array<string> = []
        const log = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
        const keys = Keys.layer.pipe(Layer.provide(StationConfig.fromEnvironment({ DATA_DIR: folder, ...env })))
        yield* Effect.provide(alertOfLostKeys, Layer.merge(keys, log))
        return lines
      })
      expect(yield* said()).toEqual([])
      const { publicId, secretSha256 } = makeKey("svc_ops_")
      yield* (yield* OperatorsWriter).save({ publicId, secretSha256, name: "first", role: "admin" }, 0)
      expect(yield* said()).toEqual([])
      rmSync(join(folder, "keys"), { recursive: true })
      expect(yield* said()).toEqual([
        expect.stringMatching(
          /^alert: keys: .*keys\/master was missing .* Lost: the sealed secrets \(owners' addresses/
        ),
        expect.stringMatching(/^alert: keys: .*keys\/signing\.pem was missing .* Lost: the proof of all entries/)
      ])
      expect(yield* said()).toEqual([])
      rmSync(join(folder, "keys"), { recursive: true })
      expect(yield* said({ MASTER_KEY: Buffer.alloc(32).toString("base64") })).toEqual([
        expect.stringContaining("signing.pem")
      ])
    }).pipe(
      Effect.provide(Layer.mergeAll(Operators.layer, OperatorsWriter.layer).pipe(Layer.provideMerge(TestPostgres)))
    ) as Effect.Effect<void>
  ))
