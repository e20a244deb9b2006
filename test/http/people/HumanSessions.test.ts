import { layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { expect } from "vitest"
import { HumansWriter } from "../../../engine/store/people/Humans.ts"
import { HumanSessions, HumanSessionsWriter } from "../../../engine/store/people/HumanSessions.ts"
import { makeHumanGate } from "../../../http/auth/HumanGate.ts"
import { OnboardingWorld } from "../../support/agents/OnboardingWorld.ts"
import { person, signInAgain } from "../../support/people/Humans.ts"
import { AgentActors } from "../../../actors/Actors.ts"

const dayMs = 86_400_000

const shown = (method: string, headers: Record<string, string>) =>
  Effect.flatMap(makeHumanGate, (gate) =>
    gate(HttpServerRequest.fromWeb(new Request("http://radio.test/api/account/me", { method, headers })))
  )

layer(OnboardingWorld({}, AgentActors))("sessions of people", (it) => {
  it.effect("last for thirty days after their last use, for the holder of the cookie", () =>
    Effect.gen(function* () {
      const { cookie, id, sessionId } = yield* person({ displayName: "Ada" })
      const nowMs = yield* Clock.currentTimeMillis
      const other = cookie.slice(0, -3) + (cookie.endsWith("aaa") ? "bbb" : "aaa")
      expect(yield* shown("GET", { cookie })).toEqual({ id, displayName: "Ada", sessionId, renewed: null })
      for (const wrong of ["", other, cookie.replace("session=", "__Host-session="), "session=svc_agent_x", "session="])
        expect([wrong, yield* shown("GET", { cookie: wrong })]).toEqual([wrong, null])
      const { renew } = yield* HumanSessionsWriter
      const at = (lastUsedDaysAgo: number) =>
        renew(sessionId, nowMs + (30 - lastUsedDaysAgo) * dayMs, nowMs - lastUsedDaysAgo * dayMs)
      yield* at(0.9)
      expect(yield* shown("GET", { cookie })).toMatchObject({ renewed: null })
      yield* at(29)
      expect(yield* shown("GET", { cookie })).toMatchObject({ id, renewed: cookie.slice("session=".length) })
      expect(yield* (yield* HumanSessions).list(id, nowMs)).toEqual([
        {
          publicId: sessionId,
          userAgent: "a test",
          createdAtMs: nowMs,
          renewedAtMs: nowMs,
          expiresAtMs: nowMs + 30 * dayMs
        }
      ])
      yield* at(30)
      expect(yield* shown("GET", { cookie })).toBe(null)
    })
  )

  it.effect("accept changes only from their own pages, and none from blocked people", () =>
    Effect.gen(function* () {
      const { cookie, id } = yield* person()
      const of = (headers: Record<string, string>) =>
        Effect.map(Effect.result(shown("POST", { cookie, ...headers })), ({ _tag }) => _tag)
      expect(yield* of({})).toBe("Failure")
      expect(yield* of({ origin: "http://radio.test" })).toBe("Success")
      expect(yield* of({ origin: "https://evil.example" })).toBe("Failure")
      expect(yield* of({ origin: "null" })).toBe("Failure")
      expect(yield* of({ origin: "http://127.0.0.1:8080", "sec-fetch-site": "same-origin" })).toBe("Success")
      for (const site of ["cross-site", "same-site", "none"])
        expect(yield* of({ "sec-fetch-site": site, origin: "http://radio.test" })).toBe("Failure")
      yield* (yield* HumansWriter).change(id, { published: false, emailHash: null, blockedReason: "Sells places." })
      expect(yield* Effect.flip(shown("GET", { cookie }))).toMatchObject({
        code: "FORBIDDEN",
        detail: expect.stringContaining("Sells places.")
      })
    })
  )

  it.effect("end singly or all of a person, and no other person's", () =>
    Effect.gen(function* () {
      const sessions = yield* HumanSessionsWriter
      const ada = yield* person()
      const again = yield* signInAgain(ada.id)
      const eve = yield* person()
      expect(yield* sessions.close(eve.id, ada.sessionId)).toBe(false)
      expect((yield* sessions.list(ada.id, 0)).map(({ publicId }) => publicId).sort()).toEqual(
        [ada.sessionId, again.sessionId].sort()
      )
      expect(yield* sessions.close(ada.id, ada.sessionId)).toBe(true)
      expect([
        yield* shown("GET", { cookie: ada.cookie }),
        yield* shown("GET", { cookie: again.cookie })
      ]).toMatchObject([null, { id: ada.id }])
      expect(yield* sessions.closeAll(ada.id)).toBe(1)
      expect([
        yield* shown("GET", { cookie: again.cookie }),
        yield* shown("GET", { cookie: eve.cookie })
      ]).toMatchObject([null, { id: eve.id }])
      yield* (yield* HumansWriter).erase(eve.id)
      expect(yield* shown("GET", { cookie: eve.cookie })).toBe(null)
    })
  )
})
