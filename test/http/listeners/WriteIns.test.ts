import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { from, listener, newAddress, signInListener } from "../../support/listeners/Listeners.ts"
import { decideMessage, fromPage, messageOf, reviewOf, writeIn } from "../../support/listeners/Messages.ts"
import { call, operator, askUntil } from "../../support/http/SegmentHttp.ts"
import { showOf } from "../../support/programmes/Shows.ts"

const words = "Good night to all lighthouse keepers."
const inbox = (key: string) =>
  Effect.map(
    call("GET", "/api/v1/inbox", { key }),
    ({ body }) =>
      body.listenerMessages as ReadonlyArray<{
        id: string
        preview: string
        from: { label: string }
        untrusted: ReadonlyArray<string>
      }>
  )
const named = {
  consent: { acknowledged: true, disclosureVersion: "2026-09-25.v1" },
  attribution: { useDisplayName: true }
}
const as = (token: string, address = newAddress()) => ({ authorization: `Bearer ${token}`, ...from(address) })

layer(AgentHttp({ TRUSTED_PROXIES: "127.0.0.1/32" }), { excludeTestServices: true })("write-ins", (it) => {
  it.effect("are accepted at once if clean, with a status to follow", () =>
    Effect.gen(function* () {
      const sent = yield* writeIn({ content: `  ${words} `, ...fromPage })
      expect([sent.status, sent.body]).toEqual([
        200,
        {
          interaction: {
            id: expect.stringMatching(/^int_/),
            type: "write_in",
            content: words,
            visibility: "desk",
            moderationStatus: "approved"
          },
          confirmation: { status: "received", message: "Thank you. It lies on the station's desk." }
        }
      ])
      expect(yield* messageOf(yield* operator("reviewer"), sent.body.interaction.id)).toMatchObject({
        label: "a listener",
        source: "web",
        to: null,
        call: null
      })
    })
  )

  it.effect("follow the consent rules exactly", () =>
    Effect.gen(function* () {
      const ops = yield* operator("reviewer")
      const ada = yield* signInListener({ displayName: "Ada" })
      const guest = yield* listener()
      const label = (answer: { readonly body: { readonly interaction: { readonly id: string } } }) =>
        Effect.map(messageOf(ops, answer.body.interaction.id), (message) => message.label as string)
      // 1: a page must have asked for consent.
      for (const consent of [undefined, {}, { acknowledged: false }, { disclosureVersion: "2026-09-25.v1" }]) {
        const refused = yield* writeIn({ content: words, source: "web", ...(consent === undefined ? {} : { consent }) })
        expect([refused.status, refused.body.code]).toEqual([400, "BROADCAST_CONSENT_REQUIRED"])
      }
      // 3: from other sources consent may be left out, and the message is then anonymous.
      const silent = yield* writeIn(
        { content: words, attribution: { useDisplayName: true } },
        as((yield* signInListener({ displayName: "Bo" })).token)
      )
      expect([silent.status, yield* label(silent)]).toEqual([200, "a listener"])
      // 2: an account, the consent text in force, and the choice of attribution.
      expect(yield* label(yield* writeIn({ content: words, source: "web", ...named }, as(ada.token)))).toBe("Ada")
      const former = yield* writeIn(
        {
          content: words,
          source: "web",
          ...named,
          consent: { acknowledged: true, disclosureVersion: "2025-01-01.v1" }
        },
        as((yield* signInListener({ displayName: "Cleo" })).token)
      )
      expect([former.status, yield* label(former)]).toEqual([200, "a listener"])
      expect(
        yield* label(
          yield* writeIn(
            { content: words, source: "web", ...named, attribution: { useDisplayName: false } },
            as((yield* signInListener({ displayName: "Dan" })).token)
          )
        )
      ).toBe("a listener")
      // 4: a token alone keeps the sender a guest.
      expect(yield* label(yield* writeIn({ content: words, source: "web", ...named }, as(guest.token)))).toBe(
        "a listener"
      )
    })
  )

  it.effect("count a guest by address a day, an account by the hour, and a show's inbox with the station's", () =>
    Effect.gen(function* () {
      const address = newAddress()
      const all = yield* Effect.forEach(
        Array.from({ length: 200 }),
        () => writeIn({ content: words, ...fromPage }, from(address)),
        { concurrency: 50 }
      )
      expect(all.filter(({ status }) => status === 200).length).toBe(1)
      const refused = all.find(({ status }) => status === 429)!
      expect([
        refused.body.code,
        refused.body.error,
        refused.body.meter,
        Number(refused.headers.get("retry-after")) > 86_000
      ]).toEqual(["RATE_LIMITED", "rate_limited", "listener", true])
      // Another listener token at the same address is the same guest.
      expect(
        (yield* writeIn({ content: words, ...fromPage }, as((yield* listener(from(address))).token, address))).status
      ).toBe(429)
      const { token } = yield* signInListener()
      expect((yield* writeIn({ content: words, ...fromPage }, as(token))).status).toBe(200)
      const again = yield* writeIn({ content: words, ...fromPage }, as(token))
      expect([again.status, Number(again.headers.get("retry-after")) <= 3_600]).toEqual([429, true])
      const sql = yield* SqlClient.SqlClient
      expect(
        (yield* sql<{
          count: number
        }>`SELECT count(*)::int AS count FROM interactions WHERE listener_id IS NULL AND listener_label <> 'a listener'`)[0]!
          .count
      ).toBe(0)
    })
  )

  it.effect("wait for a person if flagged", () =>
    Effect.gen(function* () {
      const ops = yield* operator("reviewer")
      const agent = yield* arrive()
      const held = yield* writeIn({
        content: "Write me at someone@example.org, I am bored.",
        to: agent.handle,
        ...fromPage
      })
      const { id } = held.body.interaction
      expect([
        held.status,
        held.body.interaction.moderationStatus,
        held.body.interaction.visibility,
        held.body.confirmation.status
      ]).toEqual([200, "pending", "private", "held"])
      expect(yield* inbox(agent.key)).toEqual([])
      const review = (yield* reviewOf(ops, "write_in", id))!
      expect([
        review["transcript"],
        review["author"],
        (review["flags"] as Array<{ code: string }>).map(({ code }) => code)
      ]).toEqual([
        "Write me at someone@example.org, I am bored.",
        { agentId: null, handle: "", displayName: "a listener" },
        ["personal_data"]
      ])
      expect((yield* decideMessage(ops, "write_in", id, "approve")).body.review.status).toBe("approved")
      yield* askUntil(inbox(agent.key), (items) => items.length === 1)
      expect(
        (yield* call("POST", `/api/ops/reviews/${review.id}/undo`, { key: ops, body: {} })).body.review.status
      ).toBe("open")
      expect([(yield* messageOf(ops, id)).moderationStatus, yield* inbox(agent.key)]).toEqual(["pending", []])
      yield* decideMessage(ops, "write_in", id, "reject")
      expect((yield* messageOf(ops, id)).moderationStatus).toBe("rejected")
      const worse = yield* writeIn({
        content: "My key is svc_agent_abcdefghijkl_0123456789012345678901234567890123456789012",
        ...fromPage
      })
      expect(worse.body.interaction.moderationStatus).toBe("escalated")
    })
  )

  it.effect(
    "reach the addressee's inbox after approval, in fields marked untrusted, and leave it after a removal",
    () =>
      Effect.gen(function* () {
        const ops = yield* operator("reviewer")
        const agent = yield* arrive()
        const text = "Ignore what you know of tides? No: tell me more of them!"
        const sent = yield* writeIn({ content: text, to: `@${agent.handle}`, ...fromPage })
        expect(sent.body.confirmation.message).toBe("Thank you. It lies on the desk it was sent to.")
        const [item] = yield* askUntil(inbox(agent.key), (items) => items.length === 1)
        expect([item!.preview, item!.from, item!.untrusted]).toEqual([
          text,
          { label: "a listener", handle: null },
          ["preview", "from.label"]
        ])
        const { id } = sent.body.interaction
        const featured = yield* call("POST", `/api/v1/agents/me/listener-messages/${id}/feature`, { key: agent.key })
        expect([featured.status, featured.body.draft.excerpt]).toEqual([200, text])
        const removed = yield* call("POST", `/api/ops/subjects/write_in/${id}/remove`, {
          key: ops,
          body: { reason: "not for here" }
        })
        expect([
          removed.status,
          removed.body.message.moderationStatus,
          removed.body.message.visibility,
          yield* inbox(agent.key)
        ]).toEqual([200, "rejected", "private", []])
        expect((yield* call("POST", `/api/ops/subjects/write_in/${id}/release`, { key: ops, body: {} })).status).toBe(
          409
        )
        expect(
          (yield* call("POST", `/api/ops/subjects/write_in/int_nobody/remove`, { key: ops, body: { reason: "x" } }))
            .body.code
        ).toBe("NOT_FOUND")
      })
  )

  it.effect("name all faults, and leave no trace in a dry run", () =>
    Effect.gen(function* () {
      const code = (body: object, path?: string) =>
        Effect.map(writeIn(body, undefined, path), (answer) => [
          answer.status,
          answer.body.code,
          answer.body.errors?.[0]?.pointer
        ])
      expect(yield* code({ ...fromPage })).toEqual([400, "MISSING_FIELDS", "/content"])
      expect(yield* code({ content: "  ", ...fromPage })).toEqual([400, "MISSING_FIELDS", "/content"])
      expect(yield* code({ content: "x".repeat(1_001), ...fromPage })).toEqual([400, "INVALID_FIELD", "/content"])
      expect(yield* code({ content: words, kind: "call_in", ...fromPage })).toEqual([400, "INVALID_FIELD", "/kind"])
      expect(yield* code({ content: words, to: "nobody_of_that_name", ...fromPage })).toEqual([
        400,
        "INVALID_FIELD",
        "/to"
      ])
      expect(yield* code({ content: words, trackId: "trk_x", kind: "dedication", ...fromPage })).toEqual([
        404,
        "TRACK_NOT_FOUND",
        undefined
      ])
      expect(yield* code({ content: words, ...fromPage }, "/api/shows/night-watch/write-in")).toEqual([
        404,
        "SHOW_NOT_FOUND",
        undefined
      ])
      const address = from(newAddress())
      const dry = yield* writeIn({ content: words, ...fromPage }, address, "/api/station/write-in?dryRun=true")
      expect([dry.status, dry.body.dryRun, dry.body.wouldBe.interaction.moderationStatus]).toEqual([
        200,
        true,
        "approved"
      ])
      expect(yield* messageOf(yield* operator("reviewer"), dry.body.wouldBe.interaction.id)).toBe(undefined)
      const key = { ...address, "idempotency-key": "once" }
      const [one, two] = [
        yield* writeIn({ content: words, ...fromPage }, key),
        yield* writeIn({ content: words, ...fromPage }, key)
      ]
      expect([one.status, two.status, two.body.interaction.id]).toEqual([200, 200, one.body.interaction.id])
    })
  )

  it.effect("go from a show to its host", () =>
    Effect.gen(function* () {
      const host = yield* arrive()
      const show = yield* showOf(host.handle)
      const sent = yield* writeIn({ content: words, ...fromPage }, undefined, "/api/shows/night-watch/write-in")
      const also = yield* writeIn({ content: words, to: "night-watch", ...fromPage })
      expect([
        sent.status,
        also.status,
        (yield* messageOf(yield* operator("reviewer"), sent.body.interaction.id)).to
      ]).toEqual([200, 200, "night-watch"])
      const items = yield* askUntil(inbox(host.key), (all) => all.length === 2)
      expect(items.map(({ id }) => id).sort()).toEqual(
        [sent, also].map(({ body }) => `listener_msg:${body.interaction.id}`).sort()
      )
      const { key: stranger } = yield* arrive()
      const feature = (key: string) =>
        call("POST", `/api/v1/agents/me/listener-messages/${sent.body.interaction.id}/feature`, { key })
      expect([(yield* feature(stranger)).status, (yield* feature(host.key)).status]).toEqual([404, 200])
      const producer = yield* operator("producer")
      const desk = (status: string) =>
        Effect.andThen(
          call("PATCH", `/api/ops/shows/${show.id}`, { key: producer, body: { status } }),
          writeIn({ content: words, ...fromPage }, undefined, "/api/shows/night-watch/write-in")
        )
      expect([
        (yield* desk("paused")).status,
        (yield* desk("retired")).body.code,
        (yield* desk("active")).status
      ]).toEqual([200, "SHOW_NOT_FOUND", 200])
      expect((yield* call("DELETE", "/api/v1/agents/me", { key: host.key })).status).toBe(200)
      expect(
        (yield* writeIn({ content: words, ...fromPage }, undefined, "/api/shows/night-watch/write-in")).body.code
      ).toBe("SHOW_NOT_FOUND")
    })
  )
})
