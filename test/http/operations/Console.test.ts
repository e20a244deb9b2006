import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { comes, follow } from "../../../bench/instruments/EventReader.ts"
import { type Line, OpsHttp, ready, songs } from "../../support/http/OpsHttp.ts"
import { call, claimedAgent, operator, until } from "../../support/http/SegmentHttp.ts"

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

layer(OpsHttp, { excludeTestServices: true, timeout: 300_000 })("what the console needs", (it) => {
  it.effect("streams what happens, resumes where it broke off, and keeps reviews from viewers", () =>
    Effect.gen(function* () {
      const bus = yield* EventBus
      const [producer, viewer] = [yield* operator("producer"), yield* operator("viewer")]
      const { items } = yield* ready(producer)
      const mine = yield* follow("/api/ops/events", bearer(producer))
      const small = yield* follow("/api/ops/events", bearer(viewer))
      expect([mine.status, mine.headers["content-type"], mine.headers["cache-control"]]).toEqual([
        200,
        "text/event-stream",
        "no-store"
      ])
      yield* comes(() => mine.told().length > 0 && small.told().length > 0)
      const [first] = mine.told()
      expect(first).toMatchObject({
        event: "snapshot",
        data: {
          rundown: { held: false, emergency: false },
          playout: { emergency: false, fallback: false },
          reviews: { total: expect.any(Number), counts: expect.any(Object) }
        }
      })
      expect("reviews" in small.told()[0]!.data).toBe(false)

      // A command on the rundown arrives with the items that it changed.
      const song = songs(items)[3]!
      const locked = yield* call("PATCH", `/api/ops/rundown/items/${song.id}`, {
        key: producer,
        body: { locked: true, reason: "stays" }
      })
      const changed = (reader: typeof mine) =>
        reader.told().find(({ data, event }) => event === "rundown" && JSON.stringify(data.changes).includes("locked"))
      yield* comes(() => changed(mine) !== undefined && changed(small) !== undefined)
      expect(changed(mine)!.data).toMatchObject({
        changes: expect.arrayContaining([{ id: song.id, change: "locked", detail: expect.any(String) }])
      })
      expect(Number(changed(mine)!.data.version)).toBeGreaterThanOrEqual(locked.body.rundown.revision)

      const agent = yield* claimedAgent()
      const said = yield* call("POST", "/api/segments", {
        key: agent.key,
        body: {
          stationSlug: "longwave",
          category: "news",
          title: "First words",
          scriptText: "Good morning from the harbour, where it is calm."
        }
      })
      expect([said.status, said.body.detail]).toEqual([201, undefined])
      const arrived = () =>
        mine.told().find(({ data, event }) => event === "reviews" && data.arrived.length > 0 && data.total > 0)
      yield* comes(() => arrived() !== undefined)
      const reviewId = arrived()!.data.arrived.at(-1).id as string
      yield* call("POST", `/api/ops/reviews/${reviewId}/decision`, {
        key: producer,
        body: { decision: "hold", reason: "a second look" }
      })
      const decided = () =>
        mine
          .told()
          .find(
            ({ data, event }) => event === "reviews" && data.decided.some((one: { id: string }) => one.id === reviewId)
          )
      yield* comes(() => decided() !== undefined)
      expect(decided()!.data.decided).toEqual([
        { id: reviewId, kind: "first_air", status: "held", by: expect.any(String) }
      ])

      yield* bus.put("actors", [
        { name: "Station/Clock", state: "restarting", startedAtMs: 1, restarts: 3, lastFault: "gone" },
        { name: "Jobs", state: "running", startedAtMs: 1, restarts: 0, lastFault: null }
      ])
      yield* bus.publish({
        _tag: "JobFailed",
        id: "wrk_1",
        kind: "a.b",
        about: "x",
        tries: 2,
        error: "no",
        givenUp: true
      })
      yield* comes(() => ["actor", "job"].every((name) => small.told().some(({ event }) => event === name)))
      expect(small.told().filter(({ event }) => event === "actor")).toMatchObject([
        { data: { name: "Station/Clock", restarts: 3, lastFault: "gone" } }
      ])

      yield* call("POST", "/api/ops/playout/emergency", { key: producer, body: { reason: "a drill" } })
      yield* comes(() => mine.told().some(({ data, event }) => event === "playout" && data.emergency))
      yield* call("POST", "/api/ops/playout/emergency/clear", { key: producer, body: {} })
      yield* comes(() => mine.told().some(({ data, event }) => event === "playout" && !data.emergency))
      expect(small.told().some(({ event }) => event === "reviews")).toBe(false)

      // Whoever was away gets exactly what was missed, in order, and nothing that the role may not read.
      const all = mine.told().filter(({ id }) => id !== undefined)
      const resumed = yield* follow("/api/ops/events", { ...bearer(producer), "last-event-id": all[1]!.id! })
      yield* comes(() => resumed.told().some(({ id }) => id === all.at(-1)!.id))
      expect(
        resumed
          .told()
          .map(({ id }) => id)
          .slice(0, all.length - 2)
      ).toEqual(all.slice(2).map(({ id }) => id))
      const back = yield* follow("/api/ops/events?lastEventId=nonsense", bearer(viewer))
      yield* comes(() => back.told().length > 0)
      expect(back.told()[0]!.event).toBe("snapshot")
      expect((yield* call("GET", "/api/ops/events")).status).toBe(401)
    })
  )

  it.effect(
    "refuses a command on an outdated rundown, says what changed, and lets one of two concurrent ones win",
    () =>
      Effect.gen(function* () {
        const producer = yield* operator("producer")
        yield* ready(producer)
        const read = call("GET", "/api/ops/rundown", { key: producer })
        const lock = (id: string, locked: boolean, version: string, key = {}) =>
          call("PATCH", `/api/ops/rundown/items/${id}`, {
            key: producer,
            body: { locked },
            headers: { "if-match": version, ...key }
          })
        // The planner itself may change what lies ahead; the newest version is read until a command meets it.
        const first = yield* until(
          Effect.gen(function* () {
            const seen = yield* read
            const [a, b] = songs(seen.body.rundown.items as Array<Line>).slice(2)
            const version = seen.headers.get("etag")!
            expect(version).toBe(`"${seen.body.rundown.revision}"`)
            const both = yield* Effect.all([lock(a!.id, !a!.locked, version), lock(b!.id, !b!.locked, version)], {
              concurrency: 2
            })
            return { a: a!, b: b!, version, both }
          }),
          ({ both }) => both.some(({ status }) => status === 200)
        )
        expect(first.both.map(({ status }) => status).sort()).toEqual([200, 412])
        const lost = first.both.find(({ status }) => status === 412)!
        const won = first.both[0]!.status === 200 ? first.a : first.b
        expect(lost.body).toMatchObject({
          code: "PRECONDITION_FAILED",
          version: expect.stringMatching(/^\d+$/),
          differences: expect.arrayContaining([
            { id: won.id, change: won.locked ? "unlocked" : "locked", detail: expect.stringContaining(won.title) }
          ])
        })

        // The same command with the version read since goes through, even under the same key.
        const other = won === first.a ? first.b : first.a
        const key = { "idempotency-key": "a second try" }
        expect((yield* lock(other.id, !other.locked, first.version, key)).status).toBe(412)
        const again = yield* until(
          Effect.flatMap(read, ({ headers }) => lock(other.id, !other.locked, headers.get("etag")!, key)),
          ({ status }) => status === 200
        )
        expect(again.headers.get("etag")).toBe(`"${again.body.rundown.revision}"`)

        const post = (path: string, headers: Record<string, string>) =>
          call("POST", path, { key: producer, body: { reason: "a test" }, headers })
        for (const path of ["skip", "hold", "resume", "emergency/clear"])
          expect([path, (yield* post(`/api/ops/playout/${path}`, { "if-match": first.version })).status]).toEqual([
            path,
            412
          ])
        // Unknown versions are outdated; an emergency never is.
        expect((yield* post("/api/ops/playout/skip", { "if-match": '"elsewhere"' })).body).toMatchObject({
          code: "PRECONDITION_FAILED",
          differences: []
        })
        expect((yield* post("/api/ops/playout/skip", { "if-match": 'a, "b"' })).body.code).toBe("INVALID_FIELD")
        expect((yield* post("/api/ops/playout/emergency", { "if-match": first.version })).status).toBe(200)
        expect((yield* post("/api/ops/playout/emergency/clear", { "if-match": "*" })).status).toBe(200)
      })
  )

  it.effect("keeps two operators from overwriting each other's week and decisions", () =>
    Effect.gen(function* () {
      const producer = yield* operator("producer")
      const week = yield* call("GET", "/api/ops/blocks", { key: producer })
      const version = week.headers.get("etag")!
      const [one, other] = week.body.week.blocks as Array<{ id: string; title: string }>
      const rename = (id: string, title: string) =>
        call("PATCH", `/api/ops/blocks/${id}`, {
          key: producer,
          body: { title, reason: "a name" },
          headers: { "if-match": version }
        })
      const both = yield* Effect.all([rename(one!.id, "Dawn"), rename(other!.id, "Dusk")], { concurrency: 2 })
      expect(both.map(({ status }) => status).sort()).toEqual([200, 412])
      const [won, lost] = both[0]!.status === 200 ? both : both.toReversed()
      expect(won!.headers.get("etag")).not.toBe(version)
      expect(lost!.body).toMatchObject({
        version: won!.headers.get("etag")!.replaceAll('"', ""),
        differences: [{ id: both[0]!.status === 200 ? one!.id : other!.id, change: "changed" }]
      })

      const agent = yield* claimedAgent()
      const said = yield* call("POST", "/api/segments", {
        key: agent.key,
        body: {
          stationSlug: "longwave",
          category: "news",
          title: "Words",
          scriptText: "The ferry leaves at nine and comes back at noon."
        }
      })
      expect([said.status, said.body.detail]).toEqual([201, undefined])
      const { items } = (yield* call("GET", "/api/ops/reviews?kind=first_air", { key: producer })).body
      const review = items.find(({ subject }: { subject: { id: string } }) => subject.id === said.body.segment.id)
      const seen = yield* call("GET", `/api/ops/reviews/${review.id}`, { key: producer })
      expect(seen.headers.get("etag")).toBe(`"${review.version}"`)
      const decide = (decision: string) =>
        call("POST", `/api/ops/reviews/${review.id}/decision`, {
          key: producer,
          body: { decision, reason: "as read" },
          headers: { "if-match": `"${review.version}"` }
        })
      const two = yield* Effect.all([decide("reject"), decide("approve")], { concurrency: 2 })
      expect(two.map(({ status }) => status).sort()).toEqual([200, 412])
      expect(two.find(({ status }) => status === 412)!.body.differences).toMatchObject([
        { id: review.id, change: "status" }
      ])
      const many = yield* call("POST", "/api/ops/reviews/decisions", {
        key: producer,
        body: { decisions: [{ reviewId: review.id, version: review.version, decision: "approve" }] }
      })
      expect(many.body.results).toMatchObject([
        { status: 412, code: "PRECONDITION_FAILED", differences: [{ change: "status" }] }
      ])
    })
  )
})
