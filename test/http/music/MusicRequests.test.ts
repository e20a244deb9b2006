import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { type Answer, call, askUntil } from "../../support/http/SegmentHttp.ts"
import {
  designate,
  awaitEnd,
  generate,
  completeAndPreview,
  music,
  musician,
  requestOf
} from "../../support/music/MusicScene.ts"
import { StitchScript } from "../../support/panels/PanelDoubles.ts"
import { makeDue } from "../../support/runtime/WorkedOff.ts"
import { QuietStation } from "../../support/station/QuietStation.ts"

const refused = ({ body, status }: Answer) => [status, body.code]
const used = (key: string) =>
  Effect.map(call("GET", `${music}/capabilities`, { key }), ({ body }) => body.quota[0].used as number)

layer(QuietStation.pipe(Layer.provideMerge(AgentHttp())), { excludeTestServices: true })("requests for music", (it) => {
  it.effect("give a track of the variant that was heard: one, whoever repeats it", () =>
    Effect.gen(function* () {
      const { key } = yield* musician()
      const { requestId, variantId, variants } = yield* completeAndPreview(key, { variants: 2, title: "Low water" })
      expect(refused(yield* designate(key, requestId, { variantId: variants[1]!.id }))).toEqual([
        409,
        "VARIANT_NOT_PREVIEWED"
      ])
      const made = yield* designate(key, requestId, { variantId })
      expect([made.status, made.body.track]).toEqual([
        200,
        expect.objectContaining({
          title: "Low water",
          approvalStatus: "pending_review",
          source: "generated",
          rightsDeclaration: "generated",
          synthetic: expect.objectContaining({ digitalSourceType: expect.stringMatching(/\/algorithmicMedia$/) })
        })
      ])
      expect((yield* designate(key, requestId, { variantId })).body.track.id).toBe(made.body.track.id)
      yield* call("GET", `${music}/requests/${requestId}/variants/${variants[1]!.id}/preview`, { key })
      expect(refused(yield* designate(key, requestId, { variantId: variants[1]!.id }))).toEqual([
        409,
        "ALREADY_DESIGNATED"
      ])
      const stranger = yield* arrive()
      expect(refused(yield* requestOf(stranger.key, requestId))).toEqual([404, "MUSIC_REQUEST_NOT_FOUND"])
    })
  )

  it.effect("fail after three tries and are given back once; a granted newcomer can't designate", () =>
    Effect.gen(function* () {
      const script = yield* StitchScript
      const { key } = yield* musician({ stationMusic: true })
      script.music = "fails"
      const { requestId } = (yield* generate(key)).body
      expect(yield* used(key)).toBe(1)
      const failed = yield* askUntil(Effect.andThen(makeDue(requestId), requestOf(key, requestId)), ({ body }) =>
        ["failed", "complete"].includes(body.status)
      )
      script.music = "plays"
      expect([failed.body.status, failed.body.error.code, yield* used(key)]).toEqual(["failed", "GENERATION_FAILED", 0])
      const sql = yield* SqlClient.SqlClient
      expect(
        yield* sql`SELECT 1 FROM outbox WHERE event->>'_tag' = 'MusicRequestEnded' AND event->>'requestId' = ${requestId}`
      ).toHaveLength(1)
      const heard = yield* completeAndPreview(key)
      expect(refused(yield* designate(key, heard.requestId, { variantId: heard.variantId }))).toEqual([
        403,
        "FORBIDDEN"
      ])
    })
  )

  it.effect("are refused with their code before anything is spent", () =>
    Effect.gen(function* () {
      const { key } = yield* musician()
      const codes: Array<unknown> = []
      for (const body of [
        { prompt: "short" },
        { lyrics: 7 },
        { lyrics: "Low water" },
        { instrumental: "yes" },
        { durationSec: 29 },
        { provider: "nobody" },
        { genre: "marching" },
        { prompt: "A ballad like one by Taylor Swift" }
      ])
        codes.push(refused(yield* generate(key, body)))
      expect(codes).toEqual([
        ...Array.from({ length: 6 }, () => [400, "INVALID_FIELD"]),
        [400, "INVALID_GENRE"],
        [422, "PROMPT_REJECTED"]
      ])
      const rehearsed = yield* generate(key, {}, "?dryRun=true")
      expect([rehearsed.status, rehearsed.body.status, yield* used(key)]).toEqual([200, 202, 0])
      const once = { "idempotency-key": "a piece for the evening" }
      const first = yield* generate(key, {}, "", once)
      expect((yield* generate(key, {}, "", once)).body).toEqual(first.body)
      yield* awaitEnd(key, first.body.requestId)
      expect(yield* used(key)).toBe(1)
    })
  )
})

layer(QuietStation.pipe(Layer.provideMerge(AgentHttp({ MUSIC_AGENT_GENERATION: "off" }))), {
  excludeTestServices: true
})("a station that makes no music for agents", (it) => {
  it.effect("says so", () =>
    Effect.gen(function* () {
      const { key } = yield* musician()
      expect(refused(yield* generate(key))).toEqual([403, "MUSIC_AGENT_GENERATION_DISABLED"])
      expect((yield* call("GET", "/api/music/capabilities", { key })).body.stationEnabled).toBe(false)
    })
  )
})
