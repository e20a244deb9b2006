import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { broadcastDisclosure } from "../../../schema/listeners/Consent.ts"
import { Outbox } from "../../../engine/store/sql/Outbox.ts"
import type { ItemId } from "../../../schema/Ids.ts"
import { AgentHttp } from "../../support/http/AgentHttp.ts"
import { testId } from "../../support/air/Airables.ts"
import { from, listener, newAddress, signInListener, song } from "../../support/listeners/Listeners.ts"
import { QuietStation } from "../../support/station/QuietStation.ts"
import { call, operator } from "../../support/http/SegmentHttp.ts"
import { airingsOfSubjects, marksOf, setRequests } from "../../support/air/Airings.ts"

const status = "/api/station/song-requests/status"
const ask = (track: string, body: unknown, headers: Record<string, string>, query = "") =>
  call("POST", `/api/v1/tracks/${track}/request${query}`, { body, headers })
const standing = (headers: Record<string, string>, query = "") =>
  Effect.map(call("GET", `${status}${query}`, { headers }), ({ body }) => body)
const refused = ({ body, status }: { readonly status: number; readonly body: { readonly code?: string } }) => [
  status,
  body.code
]
const agreed = {
  source: "web",
  consent: { acknowledged: true, disclosureVersion: broadcastDisclosure.version },
  attribution: { useDisplayName: true }
}
const atOnce = { concurrency: "unbounded" } as const
const labelOf = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ label: string }>`SELECT listener_label AS label FROM song_requests WHERE id = ${id}`,
      (rows) => rows[0]!.label
    )
  )
/** As if it had been asked so long ago. */
const ago = (id: string, hours: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
  UPDATE song_requests SET created_at = created_at - make_interval(hours => ${hours}::int), expires_at = expires_at - make_interval(hours => ${hours}::int), updated_at = updated_at - make_interval(hours => ${hours}::int) WHERE id = ${id}`
  )
layer(QuietStation.pipe(Layer.provideMerge(AgentHttp({ TRUSTED_PROXIES: "127.0.0.1/32" }))), {
  excludeTestServices: true
})("song requests", (it) => {
  it.effect(
    "are one of a hundred concurrent ones, for a guest, a listener and an account alike",
    () =>
      Effect.gen(function* () {
        const track = yield* song()
        const [guest, holder, account] = [
          from(newAddress()),
          yield* listener(from(newAddress())),
          yield* signInListener({}, from(newAddress()))
        ]
        for (const headers of [
          guest,
          { ...from(newAddress()), "x-listener-token": holder.token },
          { ...from(newAddress()), "x-listener-token": account.token }
        ]) {
          const answers = yield* Effect.forEach(Array.from({ length: 100 }), () => ask(track, {}, headers), atOnce)
          expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
          expect(
            answers.filter((answer) => answer.status === 409 && answer.body.code === "SONG_REQUEST_ALREADY_ACTIVE")
          ).toHaveLength(99)
        }
        // A listener's own, from wherever it comes.
        expect(refused(yield* ask(track, {}, { ...from(newAddress()), "x-listener-token": holder.token }))).toEqual([
          409,
          "SONG_REQUEST_ALREADY_ACTIVE"
        ])
        expect((yield* ask(track, {}, from(newAddress()))).body.requestCount).toBe(4)
      }),
    300_000
  )

  it.effect("are one in 24 hours for an address, and one an hour for an account, with the exact time to wait", () =>
    Effect.gen(function* () {
      const track = yield* song()
      const account = yield* signInListener({}, from(newAddress()))
      const guest = from(newAddress())
      for (const [headers, windowSec] of [
        [guest, 86_400],
        [{ "x-listener-token": account.token }, 3_600]
      ] as const) {
        const { body } = yield* ask(track, {}, headers)
        const sql = yield* SqlClient.SqlClient
        yield* setRequests(sql`id = ${body.requestId}`, "aired")
        const again = yield* ask(track, {}, headers)
        expect(refused(again)).toEqual([429, "SONG_REQUEST_LIMIT_REACHED"])
        const wait = Number(again.headers.get("retry-after"))
        expect(wait).toBeGreaterThan(windowSec - 60)
        expect(wait).toBeLessThanOrEqual(windowSec)
        yield* sql`UPDATE song_requests SET created_at = created_at - make_interval(secs => ${wait}) WHERE id = ${body.requestId}`
        expect((yield* ask(track, {}, headers)).status).toBe(200)
      }
    })
  )

  it.effect("are checked in this order: the track, consent, a waiting request, frequency", () =>
    Effect.gen(function* () {
      const track = yield* song()
      const headers = from(newAddress())
      for (const gone of [
        "trk_00000000000000000000000000",
        "nonsense",
        yield* song("held"),
        yield* song("pending_review")
      ])
        expect(refused(yield* ask(gone, { source: "web" }, headers))).toEqual([404, "TRACK_NOT_FOUND"])
      for (const body of [
        { source: "web" },
        { source: "web", consent: {} },
        { source: "web", consent: { acknowledged: false } }
      ])
        expect(refused(yield* ask(track, body, headers))).toEqual([400, "BROADCAST_CONSENT_REQUIRED"])
      expect((yield* ask(track, agreed, headers)).status).toBe(200)
      expect(refused(yield* ask(track, { source: "web" }, headers))).toEqual([400, "BROADCAST_CONSENT_REQUIRED"])
      expect(refused(yield* ask(track, agreed, headers))).toEqual([409, "SONG_REQUEST_ALREADY_ACTIVE"])
      for (const body of [
        { source: "fax" },
        { consent: { acknowledged: "yes" } },
        { consent: "yes" },
        { attribution: { useDisplayName: 1 } }
      ])
        expect(refused(yield* ask(track, body, from(newAddress())))).toEqual([400, "INVALID_FIELD"])
      // No body is a body: it comes from a program, and is a listener's.
      const bare = yield* call("POST", `/api/v1/tracks/${track}/request`, { headers: from(newAddress()) })
      expect([bare.status, yield* labelOf(bare.body.requestId)]).toEqual([200, "a listener"])
    })
  )

  it.effect("carry a name exactly as the rules allow", () =>
    Effect.gen(function* () {
      const track = yield* song()
      const label = Effect.fnUntraced(function* (body: unknown, human: { readonly displayName?: string } | null) {
        const address = from(newAddress())
        const headers =
          human === null ? address : { ...address, "x-listener-token": (yield* signInListener(human, address)).token }
        return yield* labelOf((yield* ask(track, body, headers)).body.requestId)
      })
      expect(yield* label(agreed, { displayName: "Mara" })).toBe("Mara")
      expect(yield* label({ ...agreed, source: "ios" }, { displayName: "Mara" })).toBe("Mara")
      expect(yield* label(agreed, null)).toBe("a listener")
      expect(yield* label({ ...agreed, attribution: {} }, { displayName: "Mara" })).toBe("a listener")
      expect(
        yield* label(
          { ...agreed, consent: { acknowledged: true, disclosureVersion: "2020-01-01.v1" } },
          { displayName: "Mara" }
        )
      ).toBe("a listener")
      expect(yield* label({ attribution: { useDisplayName: true } }, { displayName: "Mara" })).toBe("a listener")
      expect(yield* label(agreed, { displayName: "write to mara@example.org" })).toBe("a listener")
    })
  )

  it.effect("are found by a listener's token or else by the address, and by nobody else", () =>
    Effect.gen(function* () {
      const track = yield* song()
      const holder = yield* listener(from(newAddress()))
      const headers = { ...from(newAddress()), "x-listener-token": holder.token }
      expect(yield* standing(headers, "?includeTerminal=1")).toEqual({ request: null, recentTerminal: [] })
      const { body } = yield* ask(track, {}, headers)
      expect(body).toMatchObject({
        success: true,
        status: "pending",
        trackId: track,
        etaLabel: "unknown",
        etaReason: null,
        estimatedPlayAt: null,
        estimatedWaitSeconds: null,
        scheduledFor: null,
        requestCount: 1,
        rotationInfluence: "none"
      })
      const elsewhere = { ...from(newAddress()), "x-listener-token": holder.token }
      expect((yield* standing(elsewhere)).request).toMatchObject({
        requestId: body.requestId,
        fulfilledAt: null,
        track: { id: track }
      })
      expect(yield* standing(from(newAddress()))).toEqual({ request: null })
      for (const flag of ["true", "01", "1 ", ""])
        expect(yield* standing(headers, `?includeTerminal=${encodeURIComponent(flag)}`)).not.toHaveProperty(
          "recentTerminal"
        )
      // Six hours without a place, and nobody has looked since.
      yield* ago(body.requestId, 6)
      const over = yield* standing(headers, "?includeTerminal=1")
      expect(over).toMatchObject({
        request: null,
        recentTerminal: [{ requestId: body.requestId, status: "expired", etaReason: "expired" }]
      })
      expect(over.recentTerminal[0].terminalAt).toBe(over.recentTerminal[0].expiresAt)
      yield* ago(body.requestId, 24 * 8)
      const sql = yield* SqlClient.SqlClient
      yield* setRequests(sql`id = ${body.requestId}`, "expired")
      yield* sql`UPDATE airings SET updated_at = updated_at - interval '8 days' WHERE id = ${body.requestId}`
      expect((yield* standing(headers, "?includeTerminal=1")).recentTerminal).toEqual([])
    })
  )

  it.effect("are shown to their caller only, if several share an address", () =>
    Effect.gen(function* () {
      const address = from(newAddress())
      const [first, second] = [yield* listener(address), yield* listener(address)]
      const as = (token: string, at: Record<string, string> = address) => ({ ...at, "x-listener-token": token })
      const seen = Effect.fnUntraced(function* (headers: Record<string, string>) {
        const { recentTerminal, request } = yield* standing(headers, "?includeTerminal=1")
        return [request?.requestId ?? null, recentTerminal[0]?.requestId ?? null]
      })
      const track = yield* song()
      const { body: made } = yield* ask(track, {}, as(first.token))
      // Neither another listener of that address, nor a guest, nor an account that is signed in there.
      const account = yield* signInListener({}, address)
      const others = [as(second.token), address, as(account.token), as("no.good.token")]
      for (const headers of others) expect(yield* seen(headers)).toEqual([null, null])
      expect(yield* seen(as(first.token, from(newAddress())))).toEqual([made.requestId, null])
      // One waits for each address, and whoever is refused for that learns nothing of it.
      for (const headers of [as(second.token), address]) {
        const answer = yield* ask(yield* song(), {}, headers)
        expect(refused(answer)).toEqual([409, "SONG_REQUEST_ALREADY_ACTIVE"])
        expect(JSON.stringify(answer.body)).not.toMatch(new RegExp(`${made.requestId}|${made.track.title}`))
      }
      expect((yield* ask(track, {}, as(first.token))).body.detail).toContain(made.requestId)
      const sql = yield* SqlClient.SqlClient
      yield* setRequests(sql`id = ${made.requestId}`, "expired")
      for (const headers of others) expect(yield* seen(headers)).toEqual([null, null])
      expect(yield* seen(as(first.token))).toEqual([null, made.requestId])
      // A guest without a token has the address's own, and no listener has that.
      const guestAddress = from(newAddress())
      const neighbour = yield* listener(guestAddress)
      const { body: guests } = yield* ask(track, {}, guestAddress)
      expect(yield* seen(guestAddress)).toEqual([guests.requestId, null])
      for (const headers of [as(neighbour.token, guestAddress), as(account.token, guestAddress), from(newAddress())])
        expect(yield* seen(headers)).toEqual([null, null])
      // What a listener asked for before becoming part of an account stays theirs, and so does what the account asks for elsewhere.
      const { body: later } = yield* ask(track, {}, as(neighbour.token, from(newAddress())))
      yield* sql`UPDATE listeners SET human_id = ${account.human.id}, linked_at = now() WHERE id = ${neighbour.id}`
      expect(yield* seen(as(neighbour.token))).toEqual([later.requestId, null])
      expect(yield* seen(as(account.token))).toEqual([null, null])
      const { body: own } = yield* ask(track, {}, as(account.token))
      expect(yield* seen(as(neighbour.token))).toEqual([own.requestId, null])
    })
  )

  it.effect("report their time as in the published rundown, and no other", () =>
    Effect.gen(function* () {
      const bus = yield* EventBus
      const air = yield* Effect.provide(marksOf, airingsOfSubjects)
      const headers = from(newAddress())
      const { body } = yield* ask(yield* song(), {}, headers)
      const nowMs = Date.now()
      const line = (n: number, role: "music" | "ident", atMs: number, id: ItemId = testId("itm", 700 + n)) => ({
        id,
        kind: "music" as const,
        role,
        title: "x",
        artist: null,
        segmentId: null,
        trackId: null,
        startSample: 0,
        expectedAtMs: atMs,
        durationMs: 180_000,
        placement: { _tag: "Flow" as const },
        locked: false,
        held: false,
        planId: null,
        trace: []
      })
      const publish = (items: ReadonlyArray<ReturnType<typeof line>>, more: object = {}) =>
        bus.put("rundown", {
          revision: 1,
          held: false,
          emergency: false,
          onAir: line(0, "music", nowMs),
          items,
          ...more
        })
      const itemId = testId("itm", 777)
      const eta = Effect.map(standing(headers), ({ request }) => [
        request.status,
        request.etaLabel,
        request.etaReason,
        request.estimatedWaitSeconds === null ? null : Math.round(request.estimatedWaitSeconds / 60)
      ])
      yield* bus.put(
        "songForecasts",
        new Map([[body.requestId, { playAtMs: nowMs + 100 * 60_000, reason: "separation" }]])
      )
      yield* publish([])
      expect(yield* eta).toEqual(["pending", "later", "separation", 100])
      yield* bus.put("songForecasts", new Map([[body.requestId, { playAtMs: null, reason: "queue_full" }]]))
      expect(yield* eta).toEqual(["pending", "unknown", "queue_full", null])
      yield* air.place(body.requestId, 1_000, nowMs + 5 * 60_000, itemId)
      for (const [minutes, before, label] of [
        [5, "ident", "up_next"],
        [5, "music", "within_15_min"],
        [14, "music", "within_15_min"],
        [40, "music", "within_1_hour"],
        [90, "music", "later"]
      ] as const) {
        yield* publish([line(1, before, nowMs), line(2, "music", nowMs + minutes * 60_000, itemId)])
        expect(yield* eta).toEqual(["scheduled", label, "in_rundown", minutes])
      }
      yield* publish([line(2, "music", nowMs + 60_000, itemId)], { emergency: true })
      expect(yield* eta).toEqual(["scheduled", "unknown", "in_rundown", null])
      yield* publish([], { onAir: line(2, "music", nowMs - 60_000, itemId) })
      expect(yield* eta).toEqual(["scheduled", "on_air", "in_rundown", 0])
      yield* air.begin(body.requestId, 1_000, nowMs - 30_000)
      // Of a hundred seconds, thirty count.
      yield* air.end(body.requestId, 1_000, 1, nowMs + 70_000)
      expect(yield* standing(headers, "?includeTerminal=1")).toMatchObject({
        request: null,
        recentTerminal: [
          {
            status: "fulfilled",
            terminalAt: new Date(nowMs).toISOString(),
            fulfilledAt: new Date(nowMs).toISOString(),
            etaLabel: "unknown"
          }
        ]
      })
    })
  )

  it.effect("change nothing in a dry run, and are one when repeated", () =>
    Effect.gen(function* () {
      const track = yield* song()
      const headers = from(newAddress())
      const dry = yield* ask(track, {}, headers, "?dryRun=true")
      expect([
        dry.status,
        dry.body.dryRun,
        dry.body.status,
        dry.body.wouldBe.status,
        dry.body.wouldBe.requestCount
      ]).toEqual([200, true, 200, "pending", 1])
      expect(yield* standing(headers)).toEqual({ request: null })
      const keyed = { ...headers, "idempotency-key": "once" }
      const [first, again] = [yield* ask(track, {}, keyed), yield* ask(track, {}, keyed)]
      expect([first.status, again.status, again.body.requestId]).toEqual([200, 200, first.body.requestId])
      expect(refused(yield* ask(track, {}, headers, "?dryRun=true"))).toEqual([409, "SONG_REQUEST_ALREADY_ACTIVE"])
    })
  )

  it.effect("are listed and cancelled by operators without the requester's identity, with an audit entry", () =>
    Effect.gen(function* () {
      const track = yield* song()
      const headers = from(newAddress())
      const { body } = yield* ask(track, agreed, headers)
      const [producer, viewer] = [yield* operator("producer"), yield* operator("reviewer")]
      const list = yield* call("GET", "/api/ops/song-requests?status=pending&limit=1", { key: viewer })
      expect(list.body.requests[0]).toMatchObject({
        requestId: body.requestId,
        requestedBy: "guest",
        listenerLabel: "a listener",
        status: "pending",
        track: { id: track }
      })
      expect(JSON.stringify(list.body)).not.toContain("guest_")
      expect(refused(yield* call("GET", "/api/ops/song-requests?cursor=nonsense", { key: viewer }))).toEqual([
        400,
        "INVALID_FIELD"
      ])
      const act = (what: string, key?: string, id: string = body.requestId) =>
        call("POST", `/api/ops/song-requests/${id}/${what}`, {
          body: { reason: "Not tonight." },
          ...(key === undefined ? {} : { key })
        })
      expect((yield* act("cancel")).status).toBe(401)
      expect((yield* act("cancel", viewer)).status).toBe(403)
      expect(refused(yield* act("cancel", producer, "sreq_00000000000000000000000000"))).toEqual([404, "NOT_FOUND"])
      for (let i = 0; i < 2; i++)
        expect((yield* act("cancel", producer)).body.request).toMatchObject({
          status: "cancelled",
          statusReason: "OPERATOR"
        })
      expect(refused(yield* act("schedule", producer))).toEqual([409, "SUBJECT_CONFLICT"])
      expect(yield* standing(headers, "?includeTerminal=1")).toMatchObject({
        request: null,
        recentTerminal: [{ status: "cancelled", terminalAt: null }]
      })
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT action, reason FROM audit WHERE subject_id = ${body.requestId}`).toEqual([
        { action: "song_request.cancel", reason: "Not tonight." }
      ])
      // No agent asked: nobody's endpoint is told.
      expect(
        (yield* (yield* Outbox).listAfter(0, 10_000)).filter(({ event }) => event._tag === "SongRequestUpdated")
      ).toEqual([])
    })
  )
})
