import { layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { houseProgrammer } from "../../../actors/music/HouseProgrammer.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { Air } from "../../../engine/ports/Air.ts"
import { AsRun } from "../../../engine/store/air/AsRun.ts"
import { Fences } from "../../../engine/store/air/Fences.ts"
import { historyItems } from "../../../http/views/StationViews.ts"
import {
  listActs,
  airSegment,
  keepForDraft,
  type Line,
  OpsHttp,
  queueSegment,
  awaitReady,
  rundown,
  segmentOf,
  songs
} from "../../support/http/OpsHttp.ts"
import { type Answer, call, makeClaimedAgent, operator, askUntil } from "../../support/http/SegmentHttp.ts"

let said = 0

/** Voices a news item, which has a bed by itself; returns the segment. */
const newsSpoken = (key: string) =>
  Effect.map(
    call("POST", "/api/v1/agents/me/tts/station/generate", {
      key,
      body: { category: "news", title: "Tides", scriptText: `High water at ten past ${++said}, and calm.` }
    }),
    ({ body }) => body.production
  )

layer(OpsHttp, { excludeTestServices: true, timeout: 300_000 })("the operators' interface", (it) => {
  it.effect("names the track of the bed under speech, also of a bed from before beds had tracks", () =>
    Effect.gen(function* () {
      const producer = yield* operator("producer")
      yield* awaitReady(producer)
      const sql = yield* SqlClient.SqlClient
      const beds = sql<{
        id: string
        assetId: string
      }>`SELECT id, asset_id FROM tracks WHERE category = 'bed' ORDER BY id`
      const made = yield* askUntil(beds, ({ length }) => length === 3)
      const agent = yield* makeClaimedAgent()
      yield* call("PUT", `/api/ops/agents/${agent.id}/grants`, {
        key: producer,
        body: { freeAir: true, stationSpeech: true, reason: "a friend of the house" }
      })
      const spoken = yield* newsSpoken(agent.key)
      expect(spoken.bedStatus).toBe("used")
      expect(made.map(({ id }) => id)).toContain(spoken.bedTrackId)
      yield* sql`DELETE FROM tracks WHERE category = 'bed'`
      expect(yield* newsSpoken(agent.key)).toMatchObject({ bedStatus: "source_unavailable", bedTrackId: null })
      const { houseSeed: seed, stationName, timeZone: zone } = yield* StationConfig
      yield* Effect.scoped(
        houseProgrammer({
          programme: "on",
          seed,
          stationName,
          zone,
          pin: () => Effect.void,
          onMade: () => Effect.void
        })
      )
      expect(yield* beds).toEqual(made)
      expect(made.map(({ id }) => id)).toContain((yield* newsSpoken(agent.key)).bedTrackId)
    })
  )

  it.effect("places, moves, locks, replaces and drops songs, with audit entries", () =>
    Effect.gen(function* () {
      const producer = yield* operator("producer")
      const { items } = yield* awaitReady(producer)
      const [, a, b, c] = songs(items)
      const post = (path: string, body: object, headers?: Record<string, string>) =>
        call("POST", path, { key: producer, body, ...(headers === undefined ? {} : { headers }) })
      const place = ({ body }: Answer, id: string) =>
        (body.rundown.items as Array<Line>).findIndex((one) => one.id === id)

      const key = { "idempotency-key": "one song" }
      const inserted = yield* post(
        "/api/ops/rundown/items",
        { trackId: a!.trackId, before: c!.id, reason: "a request" },
        key
      )
      expect([inserted.status, inserted.body.detail]).toEqual([200, undefined])
      const mine = (inserted.body.rundown.items as Array<Line>).find(
        ({ locked, trackId }) => locked && trackId === a!.trackId
      )!
      expect(mine).toMatchObject({ trace: expect.arrayContaining(["inserted by an operator: a request"]) })
      expect(place(inserted, mine.id)).toBeLessThan(place(inserted, c!.id))
      const again = yield* post(
        "/api/ops/rundown/items",
        { trackId: a!.trackId, before: c!.id, reason: "a request" },
        key
      )
      expect([again.headers.get("idempotent-replayed"), again.body.rundown.revision]).toEqual([
        "true",
        inserted.body.rundown.revision
      ])

      const edit = (id: string, body: object) => call("PATCH", `/api/ops/rundown/items/${id}`, { key: producer, body })
      expect((yield* edit(mine.id, { before: b!.id, reason: "earlier" })).status).toBe(200)
      // Both places are read from one answer: an item that begins leaves the rundown, and every item behind it moves up.
      const locked = yield* edit(b!.id, { locked: true })
      expect(place(locked, mine.id)).toBeGreaterThanOrEqual(0)
      expect(place(locked, mine.id)).toBeLessThan(place(locked, b!.id))
      const replaced = yield* edit(mine.id, { trackId: b!.trackId })
      expect(place(replaced, mine.id)).toBe(-1)
      const other = (replaced.body.rundown.items as Array<Line>).find(
        ({ locked, trackId }) => locked && trackId === b!.trackId
      )!
      const [held, released] = [
        (yield* edit(c!.id, { held: true, reason: "a look" })).body.rundown.items.at(-1),
        yield* edit(c!.id, { held: false })
      ]
      expect([
        held.id,
        held.held,
        held.trace.at(-1),
        place(released, c!.id) >= 0,
        released.body.rundown.items.some((one: typeof held) => one.held)
      ]).toEqual([c!.id, true, "held by an operator: a look", true, false])
      const dropped = yield* call("DELETE", `/api/ops/rundown/items/${other.id}?reason=enough`, { key: producer })
      expect([dropped.status, place(dropped, other.id)]).toEqual([200, -1])

      for (const [answer, status, code] of [
        [yield* call("DELETE", `/api/ops/rundown/items/${other.id}`, { key: producer }), 404, "NOT_FOUND"],
        [yield* edit(b!.id, {}), 400, "INVALID_FIELD"],
        [yield* edit(b!.id, { before: null, locked: true }), 400, "INVALID_FIELD"],
        [yield* post("/api/ops/rundown/items", {}), 400, "MISSING_FIELDS"],
        [yield* post("/api/ops/rundown/items", { trackId: "trk_00000000000000000000000000" }), 404, "TRACK_NOT_FOUND"],
        [
          yield* post("/api/ops/rundown/items", { segmentId: "seg_00000000000000000000000000" }),
          404,
          "SEGMENT_NOT_FOUND"
        ],
        [yield* post("/api/ops/rundown/items", { trackId: a!.trackId, before: other.id }), 404, "NOT_FOUND"]
      ] as const)
        expect([answer.status, answer.body.code]).toEqual([status, code])

      const log = yield* listActs(producer, `&subject=${mine.id}`)
      expect(log.map(({ action, reason }) => [action, reason])).toEqual([
        ["playout.replace", null],
        ["playout.move", "earlier"],
        ["playout.insert", "a request"]
      ])
      expect(new Set(log.map(({ actor }) => actor)).size).toBe(1)
      expect(log[2]).toMatchObject({ before: { item: null }, after: { item: { title: a!.title, locked: true } } })
    })
  )

  it.effect("airs something at once, or names the obstacle", () =>
    Effect.gen(function* () {
      const producer = yield* operator("producer")
      const { items, onAir } = yield* awaitReady(producer)
      const [, , song] = songs(items)
      const now = yield* call("POST", "/api/ops/playout/insert-now", {
        key: producer,
        body: { trackId: song!.trackId, reason: "breaking" }
      })
      expect(now.status).toBe(200)
      const playing = yield* askUntil(rundown(producer), ({ onAir: is }) => is?.trackId === song!.trackId)
      expect(playing.onAir!.id).not.toBe(onAir!.id)
      const skipped = yield* call("POST", "/api/ops/playout/skip", {
        key: producer,
        body: { itemId: playing.onAir!.id, reason: "enough of it" }
      })
      expect(skipped.status).toBe(200)
      yield* askUntil(rundown(producer), ({ onAir: is }) => is !== null && is.id !== playing.onAir!.id)

      const { id } = yield* queueSegment(yield* operator("admin"))
      expect(
        (yield* call("POST", "/api/ops/playout/hold", { key: producer, body: { reason: "a look at it first" } })).body
          .rundown.held
      ).toBe(true)
      const heldOff = yield* call("POST", "/api/ops/playout/insert-now", { key: producer, body: { segmentId: id } })
      expect([heldOff.status, heldOff.body.code]).toEqual([409, "PLAYOUT_CONFLICT"])
      expect((yield* call("POST", "/api/ops/playout/resume", { key: producer, body: {} })).body.rundown.held).toBe(
        false
      )
      expect(
        (yield* call("POST", "/api/ops/playout/emergency", { key: producer, body: { reason: "a drill" } })).body.rundown
          .emergency
      ).toBe(true)
      expect(
        (yield* call("POST", "/api/ops/playout/insert-now", { key: producer, body: { trackId: song!.trackId } })).body
          .code
      ).toBe("PLAYOUT_CONFLICT")
      expect((yield* call("POST", "/api/ops/playout/skip", { key: producer, body: {} })).body).toMatchObject({
        status: 409,
        code: "PLAYOUT_CONFLICT"
      })
      expect(
        (yield* call("POST", "/api/ops/playout/emergency/clear", { key: producer, body: {} })).body.rundown.emergency
      ).toBe(false)
      yield* (yield* Air).emergency(true, "the listener probe hears silence")
      for (const [command, body] of [
        ["skip", {}],
        ["insert-now", { trackId: song!.trackId }]
      ] as const) {
        expect([
          command,
          (yield* call("POST", `/api/ops/playout/${command}`, { key: producer, body })).body.code
        ]).toEqual([command, "PLAYOUT_CONFLICT"])
      }
      yield* call("POST", "/api/ops/playout/emergency/clear", { key: producer, body: {} })
      yield* airSegment(producer, id)
      const log = yield* listActs(producer)
      expect(
        log
          .map(({ action }) => action)
          .filter((action) => action.startsWith("playout."))
          .filter((action) => action !== "playout.insert_now")
          .slice(0, 6)
      ).toEqual([
        "playout.emergency_clear",
        "playout.emergency_clear",
        "playout.emergency",
        "playout.resume",
        "playout.hold",
        "playout.skip"
      ])
    })
  )

  it.effect(
    "holds, releases and removes a segment in any state; aired sound stays in the log",
    () =>
      Effect.gen(function* () {
        const admin = yield* operator("admin")
        const { agent, id } = yield* queueSegment(admin)
        const judge = (what: string, body: object = { reason: "looked at again" }, of = id) =>
          call("POST", `/api/ops/subjects/segment/${of}/${what}`, { key: admin, body })
        const planned = askUntil(rundown(admin), ({ items }) => items.some(({ segmentId }) => segmentId === id))
        expect((yield* judge("hold", {})).body.code).toBe("MISSING_FIELDS")
        expect((yield* judge("hold")).body.segment).toMatchObject({ status: "held", statusReason: "looked at again" })
        yield* askUntil(rundown(admin), ({ items }) => !items.some(({ segmentId }) => segmentId === id))
        const waits = yield* call("GET", "/api/ops/reviews?kind=segment&status=held", { key: admin })
        expect(waits.body.items.map(({ subject }: { subject: { id: string } }) => subject.id)).toContain(id)
        expect((yield* judge("hold")).body.segment.status).toBe("held")
        expect((yield* judge("release", {})).body.segment.status).toBe("queued")
        expect(
          (yield* call("GET", "/api/ops/reviews?kind=segment&status=held", { key: admin })).body.items.map(
            ({ subject }: { subject: { id: string } }) => subject.id
          )
        ).not.toContain(id)
        yield* Effect.andThen(planned, keepForDraft(admin, agent, id))

        // On the air: it is taken off and hidden, and doesn't return.
        yield* airSegment(admin, id)
        yield* askUntil(segmentOf(admin, agent.id, id), ({ status }) => status === "airing")
        expect((yield* judge("remove", { reason: "a mistake" })).status).toBe(200)
        yield* askUntil(rundown(admin), ({ onAir }) => onAir !== null && onAir.segmentId !== id)
        const after = yield* askUntil(segmentOf(admin, agent.id, id), ({ status }) => status === "aired")
        expect(after.airedCompletely).toBe(false)
        expect((yield* call("GET", `/api/v1/segments/${id}`)).body.code).toBe("SEGMENT_NOT_FOUND")
        const sql = yield* SqlClient.SqlClient
        yield* askUntil(sql`SELECT 1 FROM as_run WHERE segment_id = ${id}`, (rows) => rows.length === 1)
        const heard = (yield* (yield* AsRun).history(yield* (yield* Fences).stationId, {
          types: ["segment"],
          before: { _tag: "Now" },
          limit: 5
        })).find(({ segmentId }) => segmentId === id)!
        expect((yield* historyItems([heard]))[0]).toMatchObject({ segmentId: id, copy: heard.title, copyKind: "title" })
        const log = yield* listActs(admin, `&subject=${id}`)
        expect(log.map(({ action, reason }) => [action, reason])).toEqual([
          ["segment.remove", "a mistake"],
          ["segment.release", null],
          ["segment.hold", "looked at again"]
        ])
        expect((yield* judge("remove", { reason: "again" })).status).toBe(200)
        expect((yield* listActs(admin, `&subject=${id}`)).length).toBe(3)

        // Its copies return when it is released; after another hold, a decision on the review releases it too.
        expect((yield* judge("release", {})).status).toBe(200)
        expect((yield* call("GET", `/api/v1/segments/${id}`)).status).toBe(200)
        expect((yield* historyItems([heard]))[0]!.copyKind).toBe("script")
        yield* judge("hold")
        expect((yield* call("GET", `/api/v1/segments/${id}`)).status).toBe(404)
        const {
          body: {
            items: [review]
          }
        } = yield* call("GET", "/api/ops/reviews?kind=segment&status=held", { key: admin })
        expect(
          (yield* call("POST", `/api/ops/reviews/${review.id}/decision`, { key: admin, body: { decision: "approve" } }))
            .body.review.status
        ).toBe("approved")
        expect((yield* call("GET", `/api/v1/segments/${id}`)).status).toBe(200)

        const waiting = yield* queueSegment(admin)
        expect((yield* judge("remove", { reason: "withdrawn" }, waiting.id)).body).toMatchObject({
          segment: { status: "cancelled" }
        })
        yield* askUntil(rundown(admin), ({ items }) => !items.some(({ segmentId }) => segmentId === waiting.id))
        expect((yield* judge("release", {}, waiting.id)).body.code).toBe("SUBJECT_CONFLICT")
        expect((yield* judge("remove", { reason: "x" }, "seg_00000000000000000000000000")).body.code).toBe(
          "SEGMENT_NOT_FOUND"
        )
        expect(
          (yield* call("POST", `/api/ops/subjects/poem/${id}/remove`, { key: admin, body: { reason: "x" } })).status
        ).toBe(400)
      }),
    300_000
  )

  it.effect("takes a track out of the rotation and brings it back", () =>
    Effect.gen(function* () {
      const reviewer = yield* operator("reviewer")
      const { items } = yield* awaitReady(reviewer)
      const { title, trackId } = songs(items)[4]!
      const shelf = (query: string) =>
        Effect.map(call("GET", `/api/ops/tracks?${query}`, { key: reviewer }), ({ body }) => body)
      const pages: Array<string> = []
      for (let cursor = ""; ;) {
        const { nextCursor, tracks } = yield* shelf(`limit=5${cursor}`)
        pages.push(...tracks.map(({ id }: { id: string }) => id))
        if (nextCursor === undefined) break
        cursor = `&cursor=${nextCursor}`
      }
      expect([new Set(pages).size, pages.includes(trackId!)]).toEqual([pages.length, true])
      expect(
        (yield* shelf(`q=${encodeURIComponent(title.toUpperCase())}`)).tracks.map(({ id }: { id: string }) => id)
      ).toContain(trackId)
      expect((yield* shelf("q=%25")).tracks).toEqual([])
      expect((yield* shelf("cursor=trk_x")).code).toBe("INVALID_FIELD")
      const judge = (what: string, body: object = { reason: "too loud" }) =>
        call("POST", `/api/ops/subjects/track/${trackId}/${what}`, { key: reviewer, body })
      expect((yield* judge("hold")).body).toEqual({ track: { id: trackId, approvalStatus: "held" } })
      yield* askUntil(rundown(reviewer), (now) => !now.items.some((one) => one.trackId === trackId))
      expect(
        (yield* call("POST", "/api/ops/playout/insert-now", { key: yield* operator("producer"), body: { trackId } }))
          .body.code
      ).toBe("PLAYOUT_CONFLICT")
      expect((yield* shelf("status=held")).tracks).toMatchObject([{ id: trackId, approvalReason: "too loud" }])
      expect((yield* judge("release", {})).body.track.approvalStatus).toBe("approved")
      expect((yield* judge("remove")).body.track.approvalStatus).toBe("retired")
      expect((yield* judge("release", {})).body.code).toBe("SUBJECT_CONFLICT")
      expect((yield* listActs(reviewer, `&subject=${trackId}`)).map(({ action }) => action)).toEqual([
        "track.remove",
        "track.release",
        "track.hold"
      ])
    })
  )

  it.effect("decides many reviews at once, each by itself", () =>
    Effect.gen(function* () {
      const reviewer = yield* operator("reviewer")
      const script = (title: string) => ({
        stationSlug: "longwave",
        category: "news",
        title,
        scriptText: `This is ${title}, number ${++said}.`
      })
      const [one, two] = [yield* makeClaimedAgent(), yield* makeClaimedAgent()]
      for (const { key } of [one, two])
        expect((yield* call("POST", "/api/segments", { key, body: script("a first word") })).status).toBe(201)
      const {
        body: { items }
      } = yield* call("GET", "/api/ops/reviews?kind=first_air&limit=2", { key: reviewer })
      const [a, b] = items.map(({ id }: { id: string }) => id)
      const decisions = [
        { reviewId: a, decision: "approve" },
        { reviewId: b, decision: "reject" },
        { reviewId: b, decision: "reject", reason: "no" },
        { reviewId: "rev_x", decision: "approve" },
        { reviewId: a, decision: "hold", reason: "wait" }
      ]
      const { body, status } = yield* call("POST", "/api/ops/reviews/decisions", { key: reviewer, body: { decisions } })
      expect(status).toBe(200)
      expect(
        body.results.map(
          ({ code, review, status }: { code: string; review: { status: string } | null; status: number }) => [
            status,
            code,
            review?.status ?? null
          ]
        )
      ).toEqual([
        [200, null, "approved"],
        [400, "MISSING_FIELDS", null],
        [200, null, "rejected"],
        [404, "NOT_FOUND", null],
        [409, "REVIEW_CONFLICT", null]
      ])
      expect(
        (yield* call("POST", "/api/ops/reviews/decisions", {
          key: reviewer,
          body: { decisions: Array.from({ length: 101 }, () => decisions[0]) }
        })).body.code
      ).toBe("INVALID_FIELD")
      expect(
        (yield* call("POST", `/api/ops/reviews/${b}/decision`, { key: reviewer, body: { decision: "escalate" } })).body
      ).toMatchObject({ code: "MISSING_FIELDS", errors: [{ pointer: "/reason" }] })
    })
  )

  it.effect("pages through the audit log without losing or doubling a row, and exports it as CSV", () =>
    Effect.gen(function* () {
      const admin = yield* operator("admin")
      const poison = `=HYPERLINK("http://x"),\r\n"quoted"`
      expect(
        (yield* call("POST", "/api/ops/playout/hold", {
          key: admin,
          body: { reason: poison.replaceAll(/[\r\n]/g, "") }
        })).status
      ).toBe(200)
      for (let n = 0; n < 8; n++) yield* call("POST", "/api/ops/playout/resume", { key: admin, body: {} })
      const ids: Array<string> = []
      for (let cursor = ""; ;) {
        const { body } = yield* call("GET", `/api/ops/audit?limit=3${cursor}`, { key: admin })
        ids.push(...body.rows.map(({ id }: { id: string }) => id))
        // Entries written during paging don't shift the following pages.
        if (ids.length < 12)
          yield* call("POST", "/api/ops/playout/resume", { key: admin, body: { reason: "meanwhile" } })
        if (body.nextCursor === undefined) break
        cursor = `&cursor=${body.nextCursor}`
      }
      expect(new Set(ids).size).toBe(ids.length)
      expect((yield* call("GET", "/api/ops/audit?cursor=aud_x", { key: admin })).body.code).toBe("INVALID_FIELD")
      const csv = yield* call("GET", "/api/ops/audit?format=csv", { key: admin })
      expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8")
      expect(csv.headers.get("cache-control")).toBe("no-store")
      const lines = (csv.body as string).split("\r\n")
      expect(lines[0]).toBe("id,at,actor,action,subjectType,subjectId,reason,before,after,previousHash,hash")
      for (const id of ids) expect((csv.body as string).includes(`${id},`)).toBe(true)
      expect(csv.body).toContain(`"'=HYPERLINK(""http://x"")`)
      const verify = Effect.map(call("GET", "/api/ops/audit/verify", { key: admin }), ({ body }) => body)
      expect(yield* verify).toEqual({ ok: true, firstBad: null })
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE audit DISABLE TRIGGER USER`
      yield* sql`UPDATE audit SET reason = 'never' WHERE id = ${ids[2]!}`
      expect(yield* verify).toEqual({ ok: false, firstBad: ids[2] })
    })
  )

  it.effect(
    "exports the as-run log in three formats, and finds a changed row",
    () =>
      Effect.gen(function* () {
        const viewer = yield* operator("viewer")
        const producer = yield* operator("producer")
        const sql = yield* SqlClient.SqlClient
        const rows = sql<{ seq: number }>`SELECT seq::float8 AS seq FROM as_run ORDER BY seq`
        yield* askUntil(
          Effect.andThen(call("POST", "/api/ops/playout/skip", { key: producer, body: {} }), rows),
          (found) => found.length > 3
        )
        const from = new Date(Date.now() - 3_600_000).toISOString()
        const to = new Date(Date.now() + 3_600_000).toISOString()
        const get = (format: string) =>
          call("GET", `/api/ops/as-run?from=${from}&to=${to}&format=${format}`, { key: viewer })
        const [json, csv, lines] = [yield* get("json"), yield* get("csv"), yield* get("ndjson")]
        const written = (lines.body as string)
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as { id: string; hash: string; prevHash: string; text: string })
        expect(written.length).toBeGreaterThan(3)
        written.forEach((row, i) => i > 0 && expect(row.prevHash).toBe(written[i - 1]!.hash))
        expect(json.body.rows.slice(0, 3)).toEqual(written.slice(0, 3))
        expect(json.body.hours).toEqual([])
        const table = (csv.body as string).trim().split("\r\n")
        expect(table[0]!.split(",").slice(0, 3)).toEqual(["id", "startedAt", "endedAt"])
        expect(table.length - 1).toBeGreaterThanOrEqual(json.body.rows.length)
        for (const { id, hash } of written.slice(0, 3))
          expect(table.some((line) => line.startsWith(`${id},`) && line.includes(hash))).toBe(true)
        expect([
          csv.headers.get("content-type"),
          lines.headers.get("content-type"),
          csv.headers.get("content-disposition")?.startsWith("attachment")
        ]).toEqual(["text/csv; charset=utf-8", "application/x-ndjson", true])
        expect((yield* call("GET", `/api/ops/as-run?day=2020-01-01`, { key: viewer })).body).toEqual({
          rows: [],
          hours: []
        })
        for (const query of [
          "",
          "day=2026-02-30",
          "day=2026-01-01&from=2026-01-01T00:00:00Z",
          `from=${to}&to=${from}`,
          `from=${from}`,
          "day=2026-01-01&format=xml"
        ]) {
          expect([query, (yield* call("GET", `/api/ops/as-run?${query}`, { key: viewer })).status]).toEqual([
            query,
            400
          ])
        }

        const verify = (query = "") =>
          Effect.map(call("GET", `/api/ops/as-run/verify${query}`, { key: viewer }), ({ body }) => body)
        expect(yield* verify()).toMatchObject({ ok: true, firstBad: null, day: null })
        const day = new Date().toISOString().slice(0, 10)
        expect(yield* verify(`?day=${day}`)).toMatchObject({ ok: true, day })
        yield* sql`ALTER TABLE as_run DISABLE TRIGGER USER`
        yield* sql`UPDATE as_run SET text = text || ' ' WHERE seq = ${(yield* rows)[2]!.seq}`
        expect(yield* verify()).toMatchObject({ ok: false, firstBad: { id: written[2]!.id } })
      }),
    300_000
  )

  it.effect("suspends an agent until its reinstatement or the given time", () =>
    Effect.gen(function* () {
      const admin = yield* operator("admin")
      const { agent, id } = yield* queueSegment(admin)
      const post = (what: string, body: object) =>
        call("POST", `/api/ops/agents/${agent.id}/${what}`, { key: admin, body })
      const own = call("GET", "/api/segments", { key: agent.key })
      expect((yield* post("suspend", {})).body.code).toBe("MISSING_FIELDS")
      expect((yield* post("suspend", { reason: "x", until: "2020-01-01T00:00:00Z" })).body.code).toBe("INVALID_FIELD")
      expect((yield* post("suspend", { reason: "spam" })).body.agent).toMatchObject({
        status: "suspended",
        suspension: { reason: "spam", until: null }
      })
      expect((yield* own).body).toMatchObject({ code: "AGENT_SUSPENDED", suspension: { reason: "spam" } })
      expect((yield* segmentOf(admin, agent.id, id)).status).toBe("cancelled")
      yield* askUntil(rundown(admin), ({ items }) => !items.some(({ segmentId }) => segmentId === id))
      expect((yield* post("reinstate", { reason: "it won't happen again" })).body.agent).toMatchObject({
        status: "claimed",
        suspension: null
      })
      expect((yield* own).status).toBe(200)
      const ends = new Date(Date.now() + 3_600_000).toISOString()
      expect((yield* post("suspend", { reason: "an hour off", until: ends })).body.agent.suspension).toEqual({
        reason: "an hour off",
        until: ends
      })
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE agents SET suspended_until = now() - interval '1 second' WHERE id = ${agent.id}`
      expect((yield* own).status).toBe(200)
      expect((yield* post("revoke-keys", { reason: "found in a public place" })).body.revokedKeyIds).toHaveLength(1)
      expect((yield* own).body.code).toBe("INVALID_API_KEY")
      expect((yield* listActs(admin, `&subject=${agent.id}`)).map(({ action }) => action)).toEqual([
        "agent.revoke_keys",
        "agent.suspend",
        "agent.reinstate",
        "agent.suspend",
        "agent.grants"
      ])
    })
  )

  it.effect("lets known operators control the air while the store is away, and records it afterwards", () =>
    Effect.gen(function* () {
      const producer = yield* operator("producer")
      const stranger = yield* operator("producer")
      yield* awaitReady(producer)
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE audit RENAME TO audit_away`
      yield* sql`ALTER TABLE operator_tokens RENAME TO operator_tokens_away`
      const pressed = yield* call("POST", "/api/ops/playout/emergency", {
        key: producer,
        body: { reason: "the store is away" }
      })
      const cleared = yield* call("POST", "/api/ops/playout/emergency/clear", { key: producer, body: {} })
      const refused = yield* call("POST", "/api/ops/playout/emergency", { key: stranger, body: {} })
      const forged = yield* call("POST", "/api/ops/playout/emergency", {
        key: `${producer.slice(0, -1)}${producer.endsWith("A") ? "B" : "A"}`,
        body: {}
      })
      yield* sql`ALTER TABLE operator_tokens_away RENAME TO operator_tokens`
      yield* sql`ALTER TABLE audit_away RENAME TO audit`
      expect([pressed.status, pressed.body.rundown?.emergency, cleared.status, refused.status, forged.status]).toEqual([
        200,
        true,
        200,
        500,
        401
      ])
      // The database is up but doesn't answer: neither the sound nor the operator waits for it. Both commands arrive while the
      // tables are locked.
      const slow = yield* sql.withTransaction(
        Effect.andThen(
          sql`LOCK TABLE operator_tokens, audit, rundowns IN ACCESS EXCLUSIVE MODE`,
          Effect.gen(function* () {
            const air = yield* Air
            const press = yield* Effect.forkChild(
              call("POST", "/api/ops/playout/emergency", {
                key: producer,
                body: { reason: "it hangs" },
                headers: { "idempotency-key": "hangs" }
              })
            )
            yield* askUntil(air.status, ({ emergency }) => emergency)
            return yield* Fiber.join(press)
          })
        )
      )
      expect([slow.status, slow.body.rundown.emergency]).toEqual([200, true])
      yield* askUntil(
        call("POST", "/api/ops/playout/emergency/clear", { key: producer, body: {} }),
        ({ status }) => status === 200
      )
      const twice = { key: producer, body: { reason: "pressed twice" }, headers: { "idempotency-key": "help" } }
      expect((yield* call("POST", "/api/ops/playout/emergency", twice)).status).toBe(200)
      expect((yield* call("POST", "/api/ops/playout/emergency", twice)).headers.get("idempotent-replayed")).toBe("true")
      yield* call("POST", "/api/ops/playout/emergency/clear", { key: producer, body: {} })
      const log = yield* askUntil(
        listActs(producer, `&actor=producer-${producer.split("_")[2]}`),
        (rows) => rows.filter(({ action }) => action === "playout.emergency").length === 3
      )
      expect(log.flatMap(({ action, reason }) => (action === "playout.emergency" ? [reason] : [])).sort()).toEqual([
        "it hangs",
        "pressed twice",
        "the store is away"
      ])
    })
  )
})
