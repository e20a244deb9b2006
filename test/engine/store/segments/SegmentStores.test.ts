import { layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { airingStep, type AiringStep } from "../../../../engine/rules/air/Airing.ts"
import { beginAssembly, beginProduction } from "../../../../engine/rules/programmes/Production.ts"
import { Candidates } from "../../../../engine/store/air/Candidates.ts"
import { Audit } from "../../../../engine/store/sql/Audit.ts"
import { Beds } from "../../../../engine/store/segments/Beds.ts"
import { Meters } from "../../../../engine/store/sql/Meters.ts"
import { Productions, ProductionsWriter } from "../../../../engine/store/programmes/Productions.ts"
import { Reviews } from "../../../../engine/store/moderation/Reviews.ts"
import type { NewSegment } from "../../../../engine/store/segments/Segments.ts"
import { SegmentsWriter } from "../../../../engine/store/segments/Segments.ts"
import { noGrants } from "../../../../engine/store/agents/Agents.ts"
import { StandingsWriter } from "../../../../engine/store/agents/Standings.ts"
import { VoicesWriter } from "../../../../engine/store/voices/Voices.ts"
import { Broadcaster } from "../../../../schema/segments/Submission.ts"
import { makeId } from "../../../../schema/Ids.ts"
import { ProductionAsk } from "../../../../schema/programmes/Production.ts"
import type { Airable } from "../../../../schema/air/Rundown.ts"
import { Grants } from "../../../../schema/moderation/Review.ts"
import { TestConfig } from "../../../support/agents/OnboardingWorld.ts"
import { TestPostgres } from "../../../support/sql/Postgres.ts"
import { voices } from "../../../support/media/SpeechDoubles.ts"
import { airingsOfSubjects, marksOf } from "../../../support/air/Airings.ts"
import { AiringState } from "../../../../schema/air/Airing.ts"
import { Stores } from "../../../../engine/store/Stores.ts"

const t = 1_780_000_000_123
const id = (prefix: string, n: number) =>
  makeId(prefix, 1_780_000_000_000 + n, new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, n >> 8, n & 255]))
const agent = id("agt", 0)
const segment = (n: number, over: Partial<NewSegment> = {}): NewSegment => ({
  id: id("seg", n),
  agentId: agent,
  handle: "ada",
  displayName: "Ada",
  lane: "script",
  agentShowId: null,
  topicIds: ["x"],
  category: "news",
  title: "t",
  scriptText: "hello",
  displayText: "hello",
  bodyHash: "h",
  status: "queued",
  statusReason: null,
  isFirstAir: false,
  flags: [],
  audioStatus: "none",
  assetId: null,
  bedAssetId: null,
  durationSec: null,
  engine: null,
  voiceId: null,
  bedStatus: "not_selected",
  bedTrackId: null,
  wordCount: 1,
  loudnessLufs: null,
  scheduledForMs: null,
  createdAtMs: t + n,
  ...over
})
const sound = (n: number) => ({
  assetId: id("mas", n),
  bedAssetId: null,
  durationSec: 1.5,
  engine: "HOUSE" as const,
  voiceId: "v",
  bedStatus: "not_selected" as const,
  bedTrackId: null,
  loudnessLufs: -16
})
const saveAsset = (n: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
  INSERT INTO assets (id, kind, length_samples, pcm_sha256, body) VALUES (${id("mas", n)}, 'speech', ${48_000n}, 'x', ${JSON.stringify({ cue: { cueIn: 0, introEnd: 0, segue: 10, cueOut: 20 } })}::text::jsonb)`
  )
const World = airingsOfSubjects.pipe(
  Layer.provideMerge(Stores),
  Layer.provideMerge(Layer.mergeAll(TestPostgres, TestConfig()))
)
layer(World)("the store of segments", (it) => {
  it.effect("stores the result of one origin once, and returns pages", () =>
    Effect.gen(function* () {
      const segments = yield* SegmentsWriter
      expect((yield* segments.add(segment(1, { origin: "panel:1" }))).repeated).toBe(false)
      expect((yield* segments.add(segment(99, { origin: "panel:1" }))).record.id).toBe(id("seg", 1))
      for (let n = 2; n < 8; n++) yield* segments.add(segment(n))
      const page = yield* segments.list({ agentId: agent, status: ["queued"], sinceMs: t, limit: 3, cursor: null })
      expect(page!.records.map((record) => record.id)).toEqual([7, 6, 5].map((n) => id("seg", n)))
      const rest = yield* segments.list({ agentId: agent, status: null, sinceMs: null, limit: 5, cursor: page!.next })
      expect(rest!.records.map((record) => record.id)).toEqual([4, 3, 2, 1].map((n) => id("seg", n)))
      expect(rest!.next).toBeNull()
      expect(
        yield* segments.list({ agentId: id("agt", 9), status: null, sinceMs: null, limit: 5, cursor: page!.next })
      ).toBeNull()
    })
  )

  it.effect("updates a production from the state read, and finds those that continue after their agent's news", () =>
    Effect.gen(function* () {
      const productions = yield* ProductionsWriter
      const by = Broadcaster.make({ agentId: agent, handle: "ada", displayName: "Ada", ownerKey: null })
      const made = beginAssembly(
        beginProduction(
          id("job", 1),
          by,
          ProductionAsk.make({
            kind: "generate",
            title: "Of tides",
            format: "talk",
            audience: null,
            idea: null,
            parts: [{ title: "One", minutes: 2, scriptText: "Good evening." }],
            uploadIds: [],
            includeMusic: true,
            agentShowId: null,
            show: null,
            occurrenceStartMs: null,
            recurring: null
          }),
          null,
          [{ startMs: null, endMs: null }],
          false,
          t
        )
      )
      yield* productions.add(made)
      const read = (yield* productions.find(made.id))!
      expect((yield* productions.save(read, t))!.revision).toBe(made.revision + 1)
      expect(yield* productions.save(read, t)).toBe(null)
      expect(yield* productions.listFollowing(agent)).toEqual([made.id])
    }).pipe(Effect.provide(Productions.layer))
  )

  it.effect(
    "keeps segments of shows and plans out of the open queue, and lists those that waited too long for their show",
    () =>
      Effect.gen(function* () {
        const segments = yield* SegmentsWriter
        const air = yield* Candidates
        const showId = id("show", 1)
        const bound = { agentId: id("agt", 40) }
        for (const [n, over] of [
          [40, { agentShowId: showId }],
          [41, {}],
          [42, { planId: id("plan", 1) }],
          [43, { agentShowId: showId, planId: id("plan", 1) }]
        ] as const) {
          yield* saveAsset(n)
          yield* segments.add(segment(n, { ...bound, ...over }))
          yield* segments.markRendering(id("seg", n), t)
          yield* segments.addSound(id("seg", n), sound(n), t)
        }
        const own = (all: ReadonlyArray<Airable>) =>
          all.flatMap(({ agentId, segmentId, showId }) => (agentId === bound.agentId ? [[segmentId, showId]] : []))
        expect(own(yield* air.listQueued(t, 1))).toEqual([
          [id("seg", 41), undefined],
          [id("seg", 40), showId]
        ])
        // A draft keeps its segment until the draft ends.
        const sql = yield* SqlClient.SqlClient
        yield* sql`
      INSERT INTO plans (id, command_key, agent_id, title, block_id, occurrence_start, occurrence_end, target_duration_sec, planned_duration_sec, status, items, created_at, updated_at)
      VALUES (${id("plan", 2)}, 'draft', ${bound.agentId}, 'p', 'blk_1', now(), now(), 1, 0, 'draft', ${JSON.stringify([{ kind: "segment", segmentId: id("seg", 41) }])}::text::jsonb, now(), now())`
        expect(own(yield* air.listQueued(t, 1))).toEqual([[id("seg", 40), showId]])
        yield* sql`UPDATE plans SET status = 'cancelled' WHERE id = ${id("plan", 2)}`
        expect(own(yield* air.listQueued(t, 1))).toHaveLength(2)
        expect((yield* air.findAirable(id("seg", 43)))?.showId).toBeUndefined()
        const late = yield* segments.listOverdue(
          { unreviewedMs: 0, queuedMs: 0, showBoundMs: t + 60_000, scheduledForMs: 0 },
          100
        )
        expect(late.filter(({ agentId }) => agentId === bound.agentId).map((one) => one.id)).toEqual([id("seg", 40)])
        yield* Effect.flatMap(
          SqlClient.SqlClient,
          (sql) =>
            sql`WITH gone AS (DELETE FROM segments WHERE agent_id = ${bound.agentId} RETURNING id) DELETE FROM airings WHERE id IN (SELECT id FROM gone)`
        )
      })
  )

  it.effect("lets the scheduler move a segment as the rules allow, if it owns the air", () =>
    Effect.gen(function* () {
      const segments = yield* SegmentsWriter
      const air = yield* Candidates
      const sql = yield* SqlClient.SqlClient
      yield* saveAsset(10)
      yield* segments.add(segment(10, { agentId: id("agt", 1) }))
      yield* segments.markRendering(id("seg", 10), t)
      yield* segments.addSound(id("seg", 10), sound(10), t)
      expect((yield* air.listQueued(t, 10)).map((each) => each.segmentId)).toEqual([id("seg", 10)])
      const marks = yield* marksOf
      const steps: ReadonlyArray<readonly [AiringStep, (id: string, fence: number) => Effect.Effect<unknown>]> = [
        ["Place", (id, fence) => marks.place(id, fence, t)],
        ["Displace", (id, fence) => marks.displace(id, fence, "DISPLACED")],
        ["Begin", (id, fence) => marks.begin(id, fence, t)],
        ["Finish", (id, fence) => marks.end(id, fence, 1, t)]
      ]
      for (const [step, mark] of steps) {
        for (const from of AiringState.literals) {
          for (const fence of [5, 4]) {
            yield* sql`UPDATE segments SET status = 'queued' WHERE id = ${id("seg", 10)}`
            yield* sql`UPDATE airings SET state = ${from}, fence = ${5n} WHERE id = ${id("seg", 10)}`
            yield* mark(id("seg", 10), fence)
            const after = yield* sql`SELECT state FROM airings WHERE id = ${id("seg", 10)}`
            const to = fence === 4 ? null : airingStep("segment", from, step)
            expect([step, from, fence, after]).toEqual([step, from, fence, [{ state: to ?? from }]])
          }
        }
      }
    })
  )

  it.effect("airs a segment again once after an early cut", () =>
    Effect.gen(function* () {
      const segments = yield* SegmentsWriter
      const air = yield* Candidates
      yield* saveAsset(11)
      yield* segments.add(segment(11, { agentId: id("agt", 2) }))
      yield* segments.addSound(id("seg", 11), sound(11), t)
      for (const [share, status, completely] of [
        [0.3, "queued", null],
        [0.3, "aired", false]
      ] as const) {
        const marks = yield* marksOf
        yield* marks.place(id("seg", 11), 6, t)
        yield* marks.begin(id("seg", 11), 6, t + 60)
        yield* marks.end(id("seg", 11), 6, share, t + 90)
        expect(yield* segments.find(id("seg", 11))).toMatchObject({ status, airedCompletely: completely })
      }
      expect(yield* air.findRefused([id("seg", 11)])).toEqual([id("seg", 11)])
    })
  )

  it.effect("returns segments placed by a crashed station to the queue", () =>
    Effect.gen(function* () {
      const segments = yield* SegmentsWriter
      const air = yield* Candidates
      for (const n of [12, 13]) {
        yield* saveAsset(n)
        yield* segments.add(segment(n, { agentId: id("agt", 3), scheduledForMs: n === 13 ? t + 86_400_000 : null }))
        yield* segments.addSound(id("seg", n), sound(n), t)
        yield* (yield* marksOf).place(id("seg", n), 7, t)
      }
      yield* (yield* marksOf).reclaim([id("seg", 12)], ["placed"], t, 8)
      expect([(yield* segments.find(id("seg", 12)))!.status, (yield* segments.find(id("seg", 13)))!.status]).toEqual([
        "scheduled",
        "queued"
      ])
      expect((yield* air.listQueued(t, 10)).map((each) => each.segmentId)).not.toContain(id("seg", 13))
      // Segments scheduled for later never block others, whatever their number.
      yield* saveAsset(15)
      yield* segments.add(segment(15, { agentId: id("agt", 3) }))
      yield* segments.addSound(id("seg", 15), sound(15), t)
      expect((yield* air.listQueued(t + 86_400_000, 10)).at(-1)!.segmentId).toBe(id("seg", 13))
      expect(
        (yield* air.listQueued(t + 86_400_000, 10)).find((each) => each.segmentId === id("seg", 13))
      ).toMatchObject({
        validFromMs: t + 86_400_000
      })
    })
  )

  it.effect("withdraws a placed segment and queues it again, with its airing, and hides one on the air", () =>
    Effect.gen(function* () {
      const segments = yield* SegmentsWriter
      const marks = yield* marksOf
      const sql = yield* SqlClient.SqlClient
      const seg = id("seg", 16)
      yield* saveAsset(16)
      yield* segments.add(segment(16, { agentId: id("agt", 5) }))
      yield* segments.addSound(seg, sound(16), t)
      yield* marks.place(seg, 40, t + 9)
      const at = { reason: "LOOK", atMs: t + 1 }
      expect(yield* segments.move(seg, { ...at, from: ["queued", "pending_review"], to: "cancelled" })).toBeNull()
      const held = { status: "held", statusReason: "LOOK", expectedAirAtMs: null, statusChangedAtMs: t + 1 }
      expect(yield* segments.move(seg, { ...at, from: ["queued", "scheduled"], to: "held" })).toMatchObject(held)
      expect(yield* marks.place(seg, 40, t)).toEqual([])
      const back = { status: "queued", statusReason: "FINE", statusChangedAtMs: t + 2 }
      expect(yield* segments.move(seg, { from: ["held"], to: "queued", reason: "FINE", atMs: t + 2 })).toMatchObject(
        back
      )
      yield* marks.place(seg, 40, t + 3)
      expect(yield* segments.find(seg)).toMatchObject({ status: "scheduled", statusReason: null })
      expect(yield* segments.hide(seg, { ...at, hidden: true })).toBeNull()
      yield* marks.begin(seg, 40, t + 3)
      expect((yield* segments.count(id("agt", 5))).waiting).toBe(0)
      expect(yield* segments.hide(seg, { ...at, hidden: true })).toMatchObject({ rerunHold: true, cutBefore: true })
      yield* marks.end(seg, 40, 0.1, t + 9)
      expect(yield* segments.find(seg)).toMatchObject({ status: "aired", statusReason: "LOOK", airedCompletely: false })
      expect(
        yield* sql`SELECT s.status, air.state, air.reason FROM segments s JOIN airings air ON air.id = s.id WHERE s.id = ${seg}`
      ).toEqual([{ status: "aired", state: "aired", reason: "CUT" }])
    })
  )

  it.effect("is never moved by a station that lost the air, even before the owner writes anything", () =>
    Effect.gen(function* () {
      const segments = yield* SegmentsWriter
      const marks = yield* marksOf
      const sql = yield* SqlClient.SqlClient
      const seg = id("seg", 14)
      yield* saveAsset(14)
      yield* segments.add(segment(14, { agentId: id("agt", 4) }))
      yield* segments.addSound(seg, sound(14), t)
      yield* sql`INSERT INTO stations (id, slug, fence) VALUES ('s', 's', 30)`
      const steps = (fence: number) =>
        [
          ["scheduled", marks.place(seg, fence, t)],
          ["queued", marks.displace(seg, fence, "DISPLACED")],
          ["scheduled", marks.place(seg, fence, t)],
          ["queued", marks.reclaim([], ["placed"], t, fence)],
          ["scheduled", marks.place(seg, fence, t)],
          ["airing", marks.begin(seg, fence, t)],
          ["aired", marks.end(seg, fence, 1, t + 9)]
        ] as const
      for (const [i, [status, step]] of steps(30).entries()) {
        const before = (yield* segments.find(seg))!
        yield* steps(29)[i]![1]
        expect(yield* segments.find(seg)).toEqual(before)
        yield* step
        expect((yield* segments.find(seg))!.status).toBe(status)
      }
      yield* sql`DELETE FROM stations`
    })
  )

  it.effect("changes meters together or not at all, under concurrency", () =>
    Effect.gen(function* () {
      const meters = yield* Meters
      yield* Effect.forEach(
        Array.from({ length: 40 }),
        (_, i) =>
          Effect.exit(
            meters.change(i % 2 === 0 ? ["m1", "m2"] : ["m2", "m1"], (all) =>
              all[0]!.seconds.sum >= 30
                ? Result.fail("full")
                : Result.succeed(
                    all.map((meter) => ({
                      emptyAtMs: meter.emptyAtMs + 0.5,
                      seconds: { day: 3, sum: meter.seconds.sum + 1 }
                    }))
                  )
            )
          ),
        { concurrency: 20 }
      )
      expect(yield* meters.read(["m1", "m2", "m3"])).toEqual([
        { emptyAtMs: 15, seconds: { day: 3, sum: 30 } },
        { emptyAtMs: 15, seconds: { day: 3, sum: 30 } },
        { emptyAtMs: 0, seconds: { day: 0, sum: 0 } }
      ])
    })
  )

  it.effect("keeps one open review for each subject, and one decision", () =>
    Effect.gen(function* () {
      const reviews = yield* Reviews
      const open = (n: number) =>
        reviews.open({
          id: id("rev", n),
          kind: "first_air",
          subjectType: "segment",
          subjectId: id("seg", 3),
          agentId: agent,
          flags: [],
          status: "open",
          dueAtMs: t,
          createdAtMs: t
        })
      yield* open(0)
      yield* open(1)
      expect(yield* reviews.counts).toEqual({ first_air: 1 })
      expect(
        (yield* reviews.list({ kind: "first_air", status: ["open"], limit: 10, cursor: null }))!.records[0]
      ).toMatchObject({ handle: "ada", kind: "first_air" })
      const decision = {
        from: ["open" as const],
        status: "approved" as const,
        reason: "ok",
        note: null,
        by: "ops",
        atMs: t,
        before: { a: 1 }
      }
      expect(yield* reviews.decide(id("rev", 0), decision)).toMatchObject({
        status: "approved",
        beforeDecision: { a: 1 }
      })
      expect(yield* reviews.decide(id("rev", 0), decision)).toBeNull()
    })
  )

  it.effect("chains the audit log under concurrent writes, and detects a forged row", () =>
    Effect.gen(function* () {
      const audit = yield* Audit
      const sql = yield* SqlClient.SqlClient
      yield* Effect.forEach(
        Array.from({ length: 12 }, (_, n) => n),
        (n) =>
          audit.append({
            id: id("aud", n),
            atMs: t + n,
            actor: "op",
            action: "x",
            subject: { type: "segment", id: "s" },
            reason: "r",
            before: { n },
            after: null
          }),
        { concurrency: 8 }
      )
      expect(yield* audit.firstBroken).toBeNull()
      const page = yield* audit.list({ actor: "op", subject: "s", fromMs: t, toMs: null, limit: 10, cursor: null })
      expect(page!.rows).toHaveLength(10)
      expect(
        (yield* audit.list({ actor: "op", subject: "s", fromMs: t, toMs: null, limit: 10, cursor: page!.next }))!.rows
      ).toHaveLength(2)
      expect((yield* Effect.exit(sql`UPDATE audit SET reason = 'no' WHERE id = ${id("aud", 3)}`))._tag).toBe("Failure")
      yield* sql`ALTER TABLE audit DISABLE TRIGGER audit_append_only`
      yield* sql`UPDATE audit SET reason = 'no' WHERE id = ${id("aud", 3)}`
      expect(yield* audit.firstBroken).toBe(id("aud", 3))
    })
  )

  it.effect("returns grants, gates, voices and beds", () =>
    Effect.gen(function* () {
      const standings = yield* StandingsWriter
      expect(yield* standings.grants(agent)).toEqual(noGrants)
      yield* standings.saveGrants(agent, Grants.make({ ...noGrants, stationSpeech: true, tierPin: 4 }), t)
      expect(yield* standings.grants(agent)).toMatchObject({ stationSpeech: true, tierPin: 4 })
      yield* standings.saveGate(agent, {
        state: "awaiting_review",
        rejections: 1,
        segmentId: id("seg", 3),
        submittedAtMs: t,
        reviewedAtMs: null,
        reason: null
      })
      expect(yield* standings.gate(agent)).toMatchObject({ submittedAtMs: t, state: "awaiting_review" })
      expect(yield* (yield* Beds).pick("warm")).toBeNull()
      const store = yield* VoicesWriter
      yield* store.replaceCatalog(voices)
      yield* store.replaceCatalog(voices)
      expect((yield* store.list).map(({ voice }) => voice.voiceId)).toEqual([
        "voice_shared",
        "voice_ada",
        "voice_bo",
        "voice_cleo"
      ])
      expect(yield* store.find("voice_house")).toBeNull()
      expect(yield* store.findByAgent(agent)).toMatchObject({
        kind: "shared_default",
        voice: { voiceId: "voice_shared" }
      })
      expect(yield* store.claim("voice_ada", agent, t)).toBe(true)
      expect(yield* store.claim("voice_ada", agent, t)).toBe(true)
      expect(yield* store.claim("voice_ada", id("agt", 5), t)).toBe(false)
      expect(yield* store.findByAgent(agent)).toMatchObject({ kind: "unique", voice: { voiceId: "voice_ada" } })
      // An agent without a voice gets one that can't be claimed, else an unclaimed one, among the listed ones not reserved for
      // shows.
      const other = id("agt", 5)
      const spoken = Effect.map(Effect.all([store.shared, store.findByAgent(other)]), ([shared, own]) => [
        shared?.voiceId,
        own?.voice.voiceId,
        own?.kind,
        own?.preferred
      ])
      expect(yield* spoken).toEqual(["voice_shared", "voice_shared", "shared_default", null])
      yield* store.change("voice_shared", { listed: false })
      expect(yield* spoken).toEqual(["voice_bo", "voice_bo", "shared_default", null])
      yield* store.change("voice_bo", { reserved: true })
      expect(yield* spoken).toEqual(["voice_cleo", "voice_cleo", "shared_default", null])
      yield* store.change("voice_cleo", { listed: false })
      expect(yield* spoken).toEqual(["voice_ada", "voice_ada", "shared_default", null])
      yield* store.change("voice_ada", { listed: false })
      expect(yield* spoken).toEqual([undefined, undefined, undefined, undefined])
      expect(yield* store.findByAgent(agent)).toMatchObject({
        kind: "unique",
        voice: { voiceId: "voice_ada" },
        preferred: null
      })
    })
  )
})
