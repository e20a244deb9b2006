import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { type AiringEvent, applyEvent, offerAiring } from "../../../../engine/rules/air/Airing.ts"
import { requestStatus } from "../../../../engine/rules/music/SongRequest.ts"
import { AiringsWriter } from "../../../../engine/store/air/Airings.ts"
import { Candidates } from "../../../../engine/store/air/Candidates.ts"
import { type NewSongRequest, SongRequests, SongRequestsWriter } from "../../../../engine/store/music/SongRequests.ts"
import { HumanRecords } from "../../../../engine/store/people/HumanRecords.ts"
import { TracksWriter } from "../../../../engine/store/music/Tracks.ts"
import { makeId, type SongRequestId } from "../../../../schema/Ids.ts"
import { AiringState } from "../../../../schema/air/Airing.ts"
import { Track } from "../../../../schema/music/Track.ts"
import { airingsOfSubjects, marksOf, setRequests } from "../../../support/air/Airings.ts"
import { TestConfig } from "../../../support/agents/OnboardingWorld.ts"
import { Stores } from "../../../../engine/store/Stores.ts"
import { TestPostgres } from "../../../support/sql/Postgres.ts"

const t = 1_780_000_000_000
const hour = 3_600_000
const id = (prefix: string, n: number) => makeId(prefix, t, new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0, n >> 8, n & 255]))
const track = (n: number) =>
  new Track({
    id: id("trk", n),
    assetId: id("mas", n),
    title: `Song ${n}`,
    artist: "Ada",
    genre: "jazz",
    mood: null,
    category: "song",
    description: null,
    isInstrumental: true,
    lyrics: null,
    language: null,
    durationSec: 180,
    bpm: null,
    musicalKey: null,
    approvalStatus: "approved",
    approvalReason: null,
    remixable: false,
    source: "upload",
    agentId: null,
    rotationClass: "contributed",
    weight: 1,
    playCount: 0,
    lastPlayedAtMs: null,
    createdAtMs: t,
    updatedAtMs: t
  })
let made = 0
const request = (over: Partial<NewSongRequest> = {}): NewSongRequest => {
  made += 1
  return {
    id: id("sreq", made),
    trackId: id("trk", 1),
    requester: `guest_${made}`,
    humanId: null,
    listenerId: null,
    agentId: null,
    listenerLabel: "a listener",
    note: null,
    source: "api",
    acknowledged: false,
    disclosureVersion: null,
    createdAtMs: t + made,
    expiresAtMs: t + made + 6 * hour,
    ...over
  }
}
const added = (over: Partial<NewSongRequest> = {}) =>
  Effect.gen(function* () {
    const asked = request(over)
    expect(yield* (yield* SongRequestsWriter).add(asked)).toBe(true)
    return asked.id
  })
const statusOf = (one: SongRequestId) =>
  Effect.map(
    Effect.flatMap(SongRequests, (requests) => requests.find(one)),
    (found) => found!.status
  )
const place = { itemId: id("itm", 1), atMs: t + hour }

const World = airingsOfSubjects.pipe(
  Layer.provideMerge(Stores),
  Layer.provideMerge(Layer.mergeAll(TestPostgres, TestConfig()))
)

layer(World, { excludeTestServices: true })("the store of song requests", (it) => {
  it.effect("holds one open request for each requester and listener, also under concurrency", () =>
    Effect.gen(function* () {
      const tracks = yield* TracksWriter
      const sql = yield* SqlClient.SqlClient
      for (const n of [1, 2, 3]) {
        yield* sql`INSERT INTO assets (id, kind, length_samples, pcm_sha256, body) VALUES (${id("mas", n)}, 'music', ${48_000n}, 'x', ${JSON.stringify({ cue: { cueIn: 0, introEnd: 0, segue: 10, cueOut: 20 } })}::text::jsonb)`
        yield* tracks.save(track(n))
      }
      const requests = yield* SongRequestsWriter
      const same = yield* Effect.forEach(
        Array.from({ length: 100 }, () => request({ requester: "guest_same" })),
        requests.add,
        { concurrency: "unbounded" }
      )
      expect(same.filter(Boolean)).toHaveLength(1)
      const listener = yield* Effect.forEach(
        Array.from({ length: 20 }, () => request({ listenerId: id("lsn", 1) })),
        requests.add,
        { concurrency: "unbounded" }
      )
      expect(listener.filter(Boolean)).toHaveLength(1)
      const theirs = { requester: "guest_elsewhere", listenerId: id("lsn", 1) }
      const active = (yield* requests.active(theirs))!
      expect([active.status, active.track.title]).toEqual(["pending", "Song 1"])
      expect((yield* requests.cancel(active.id, "OPERATOR", t + hour))!.status).toBe("cancelled")
      expect(yield* requests.cancel(active.id, "OPERATOR", t + hour)).toBeNull()
      const caller = { _tag: "Listener" as const, listenerId: theirs.listenerId }
      expect([
        yield* requests.active(theirs),
        yield* requests.findOwnActive(caller),
        (yield* requests.findOwnEnded(caller, t))!.id,
        yield* requests.findOwnEnded(caller, t + 2 * hour)
      ]).toEqual([null, null, active.id, null])
    })
  )

  it.effect("moves a request as the rules allow, and only for the owner of the air", () =>
    Effect.gen(function* () {
      const air = yield* marksOf
      const sql = yield* SqlClient.SqlClient
      const events: ReadonlyArray<AiringEvent> = [
        { _tag: "Place", placement: place.itemId, expectedAtMs: place.atMs, atMs: t },
        { _tag: "Displace", reason: "DISPLACED", atMs: t },
        { _tag: "Begin", atMs: t },
        {
          _tag: "End",
          heard: { sinceMs: t, endedAtMs: t + 9_000, heardMs: 9_000, lengthMs: 9_000, complete: true },
          atMs: t
        },
        { _tag: "Expire", atMs: t },
        { _tag: "Stop", atMs: t },
        { _tag: "Withdraw", reason: "OPERATOR", atMs: t }
      ]
      for (const event of events) {
        for (const from of AiringState.literals) {
          for (const displacements of [0, 2]) {
            const one = yield* added()
            yield* setRequests(sql`id = ${one}`, from, displacements)
            const to = applyEvent({ ...offerAiring(one, "song_request", t), state: from, displacements }, event)
            expect(yield* (yield* AiringsWriter).move([one], event, 5)).toMatchObject(
              to === null ? [] : [{ before: { state: from }, after: { state: to.state } }]
            )
            expect(yield* statusOf(one), `${from} ${event._tag}`).toBe(requestStatus[to?.state ?? from])
            yield* setRequests(sql`id = ${one}`, "withdrawn")
          }
        }
      }
      const one = yield* added()
      yield* sql`INSERT INTO stations (id, slug, fence) VALUES ('stn_x', 'x', 7)`
      expect([yield* air.place(one, 6, t), yield* statusOf(one)]).toEqual([[], "pending"])
      expect([(yield* air.place(one, 7, t)).length, yield* statusOf(one)]).toEqual([1, "scheduled"])
      yield* setRequests(sql`status = 'pending'`, "withdrawn")
    })
  )

  it.effect("lists waiting requests by song for the scheduler, and ends those that waited too long or can't air", () =>
    Effect.gen(function* () {
      const air = yield* Candidates
      const tracks = yield* TracksWriter
      const [a, b, c] = [
        yield* added({ trackId: id("trk", 2) }),
        yield* added({ trackId: id("trk", 3) }),
        yield* added({ trackId: id("trk", 2) })
      ]
      expect(yield* air.songs(10)).toEqual([
        { trackId: id("trk", 2), songRequestIds: [a, c] },
        { trackId: id("trk", 3), songRequestIds: [b] }
      ])
      expect((yield* tracks.airables([id("trk", 2), id("trk", 9)])).map(({ title }) => title)).toEqual(["Song 2"])
      expect(yield* (yield* SongRequests).countOf(id("trk", 2))).toBe(2)
      const marks = yield* marksOf
      const airings = yield* AiringsWriter
      yield* marks.place(a, 7, t)
      expect(yield* airings.listOver([a, b, id("sreq", 4_000)])).toEqual([id("sreq", 4_000)])
      // After a restart, requests that aren't in the rundown wait again, and this doesn't count as a displacement.
      expect((yield* marks.reclaim([], ["placed"], t, 7)).map(({ after }) => [after.id, after.state])).toEqual([
        [a, "waiting"]
      ])
      expect((yield* (yield* SongRequests).find(a))!.displacements).toBe(0)
      yield* marks.place(a, 7, t)
      yield* tracks.judge(id("trk", 3), { from: ["approved"], to: "held", reason: null, atMs: t })
      const due = (hours: number) => air.findDueRequests(t + hours * hour)
      expect(yield* due(1)).toEqual({ expired: [], stopped: [], refused: [b] })
      yield* airings.move([b], { _tag: "Withdraw", reason: "TRACK_WITHDRAWN", atMs: t }, 7)
      // Six hours without a place, eight with one.
      expect(yield* due(7)).toEqual({ expired: [a, c], stopped: [], refused: [] })
      expect(yield* airings.move([a, c], { _tag: "Expire", atMs: t }, 7)).toMatchObject([{ after: { id: c } }])
      expect(yield* due(9)).toEqual({ expired: [], stopped: [a], refused: [] })
      yield* airings.move([a], { _tag: "Stop", atMs: t }, 7)
      expect([yield* statusOf(a), yield* statusOf(b), yield* statusOf(c)]).toEqual(["expired", "cancelled", "expired"])
      expect(yield* air.songs(10)).toEqual([])
    })
  )

  it.effect("forgets a guest's address after two days, and an account when it is erased", () =>
    Effect.gen(function* () {
      const requests = yield* SongRequestsWriter
      const sql = yield* SqlClient.SqlClient
      const guests = () =>
        Effect.map(
          sql<{ n: number }>`SELECT count(*)::int AS n FROM song_requests WHERE requester LIKE 'guest%'`,
          (rows) => rows[0]!.n
        )
      expect(yield* guests()).toBeGreaterThan(20)
      yield* requests.eraseAddresses(t - hour)
      expect(yield* guests()).toBeGreaterThan(20)
      yield* requests.eraseAddresses(t + hour)
      expect(yield* guests()).toBe(0)
      const human = id("usr", 1)
      const heard = yield* added({
        requester: human,
        humanId: human,
        listenerLabel: "Mara",
        createdAtMs: t + 50 * hour
      })
      const marks = yield* marksOf
      yield* marks.place(heard, 7, t, place.itemId)
      // The export of a person's data contains this too.
      expect((yield* (yield* HumanRecords).listAll(human))["song_requests"]).toMatchObject([
        { id: heard, status: "scheduled", item_id: place.itemId }
      ])
      yield* marks.begin(heard, 7, t)
      yield* marks.end(heard, 7, 1, t)
      const waits = yield* added({
        requester: human,
        humanId: human,
        listenerLabel: "Mara",
        createdAtMs: t + 60 * hour
      })
      expect(yield* requests.listTimesSince(human, t + 55 * hour)).toEqual([t + 60 * hour])
      yield* requests.forget(human, t + 61 * hour)
      expect([yield* requests.find(heard), yield* requests.find(waits)]).toMatchObject([
        { status: "fulfilled", listenerLabel: "a listener", requester: null, humanId: null, itemId: place.itemId },
        {
          status: "cancelled",
          statusReason: "ACCOUNT_DELETED",
          listenerLabel: "a listener",
          requester: null,
          humanId: null
        }
      ])
      const page = (yield* requests.list({ status: null, limit: 2, cursor: null }))!
      expect(page.requests.map((one) => one.id)).toEqual([waits, heard])
      const expired = (yield* requests.list({ status: ["expired"], limit: 100, cursor: page.next }))!.requests
      expect([expired.length > 1, expired.every(({ status }) => status === "expired")]).toEqual([true, true])
      expect(yield* requests.list({ status: null, limit: 2, cursor: "nonsense" })).toBeNull()
    })
  )
})
