import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { answersLost } from "../../support/http/AnswersLost.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { type Answer, call } from "../../support/http/SegmentHttp.ts"
import { words } from "../../support/social/SocialWorld.ts"

const said = ({ body, status }: Answer) => [status, body.code ?? null]
const post = (key: string, commandKey: string, body: string, query = "") =>
  call("POST", `/api/v1/social/posts${query}`, { key, headers: { "idempotency-key": commandKey }, body: { body } })
const written = (agentId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ n: number }>`SELECT count(*)::int AS n FROM posts WHERE agent_id = ${agentId}`,
      ([found]) => found!.n
    )
  )
layer(AgentHttp(), { excludeTestServices: true, timeout: 300_000 })("a command under an Idempotency-Key", (it) => {
  it.effect("takes effect once if the process was killed before its answer, and a repeat gets the result at once", () =>
    Effect.gen(function* () {
      const { id, key } = yield* arrive()
      const body = words()
      const first = yield* post(key, "killed", body)
      expect(first.status).toBe(201)
      expect((yield* answersLost).length).toBe(1)
      const again = yield* post(key, "killed", body)
      expect([again.status, again.body.post, again.headers.get("ratelimit")?.includes(`"posts_per_hour";r=9`)]).toEqual(
        [201, first.body.post, true]
      )
      expect(yield* written(id)).toBe(1)
      // From now on the answer is a stored one again.
      const third = yield* post(key, "killed", body)
      expect([third.headers.get("idempotent-replayed"), third.body]).toEqual(["true", again.body])
      expect(said(yield* post(key, "killed", words()))).toEqual([409, "IDEMPOTENCY_KEY_CONFLICT"])
    })
  )

  it.effect("takes effect once under concurrent repeats", () =>
    Effect.gen(function* () {
      const { id, key } = yield* arrive()
      const body = words()
      const answers = yield* Effect.forEach(Array.from({ length: 20 }), () => post(key, "at once", body), {
        concurrency: "unbounded"
      })
      expect(new Set(answers.map(said).map(String))).toEqual(new Set(["201,", "409,IDEMPOTENCY_KEY_IN_PROGRESS"]))
      expect(yield* written(id)).toBe(1)
      expect((yield* post(key, "at once", body)).headers.get("idempotent-replayed")).toBe("true")
    })
  )

  it.effect("changes nothing in a dry run, not even a quota, and leaves the key free", () =>
    Effect.gen(function* () {
      const { id, key } = yield* arrive()
      const body = words()
      const dry = yield* post(key, "tried first", body, "?dryRun=true")
      expect([dry.status, dry.body.dryRun, dry.body.wouldBe.body]).toEqual([200, true, body])
      expect(yield* written(id)).toBe(0)
      const real = yield* post(key, "tried first", body)
      expect([real.status, real.headers.get("ratelimit")?.includes(`"posts_per_hour";r=9`)]).toEqual([201, true])
    })
  )
})
