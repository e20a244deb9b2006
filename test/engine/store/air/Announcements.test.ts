import { NodeServices } from "@effect/platform-node"
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import type { AnnouncementDraft } from "../../../../engine/rules/air/Announcer.ts"
import { clockFact, factKey, loreFact, messageFact } from "../../../../engine/rules/air/Facts.ts"
import { StationConfig } from "../../../../engine/runtime/Config.ts"
import { AnnouncementFacts } from "../../../../engine/store/air/AnnouncementFacts.ts"
import { Announcements, AnnouncementsWriter } from "../../../../engine/store/air/Announcements.ts"
import { Fences, FencesWriter } from "../../../../engine/store/air/Fences.ts"
import { Sentence } from "../../../../schema/air/Announcement.ts"
import { sampleOf } from "../../../../schema/time/Samples.ts"
import { airable, testId } from "../../../support/air/Airables.ts"
import { TestPostgres } from "../../../support/sql/Postgres.ts"

const World = Layer.mergeAll(Announcements.layer, AnnouncementFacts.layer, Fences.layer).pipe(
  Layer.provideMerge(StationConfig.fromEnvironment({ DATA_DIR: "/var", STATION_TIME_ZONE: "Europe/Berlin" })),
  Layer.provideMerge(TestPostgres),
  Layer.provideMerge(NodeServices.layer)
)
const now = Date.UTC(2026, 5, 3, 19)
const minute = 60_000
const hour = 60 * minute
const draft = (n: number, more: Partial<AnnouncementDraft> = {}) => ({
  id: testId("ann", n),
  assetId: testId("mas", n),
  atMs: now + n * minute,
  humanId: null,
  kind: "time_check" as const,
  title: "Time check",
  sentences: [new Sentence({ pattern: "it's {time}.", fact: clockFact("UTC", now) })],
  afterItemId: null,
  beforeItemId: null,
  validFromMs: now,
  validUntilMs: now + hour,
  ...more
})
const sounding = (n: number) =>
  Object.assign(airable("filler", n, 3, { validFromMs: now, validUntilMs: now + hour }), {
    announcement: { id: testId("ann", n), afterItemId: null, beforeItemId: null }
  })

layer(World, { excludeTestServices: true })("announcements", (it) => {
  it.effect("air at most once: made once, open until they begin, are logged, late or dropped", () =>
    Effect.gen(function* () {
      const writer = yield* AnnouncementsWriter
      const sql = yield* SqlClient.SqlClient
      const before = yield* (yield* FencesWriter).acquire
      const open = Effect.map(writer.open(now), (all) => all.map((one) => one.airable.announcement.id))
      expect(yield* writer.claim(draft(9), before)).toBe(true)
      const fence = yield* (yield* FencesWriter).acquire
      const made = [1, 2, 3, 4].map((n) => testId("ann", n))
      for (const n of [1, 2, 3, 4]) {
        expect(yield* writer.claim(draft(n), fence)).toBe(true)
        expect(yield* writer.claim(draft(n), fence)).toBe(false)
        expect(yield* writer.ready(testId("ann", n), sounding(n), 3_000, fence)).toBe(true)
      }
      // An incarnation that lost the air makes and drops nothing.
      expect(yield* writer.claim(draft(5), before)).toBe(false)
      yield* writer.drop([made[0]!], "A_GHOST", before)
      expect(yield* open).toEqual(made)
      yield* writer.begun(made[0]!, now, fence)
      yield* writer.drop([made[0]!, made[1]!], "FACT_CHANGED", fence)
      yield* sql`
        INSERT INTO as_run (station_id, seq, fence, item_id, kind, title, first_sample, last_sample, outcome, text, prev_hash, hash, signature)
        VALUES ('s', 1, ${fence}, ${`itm_${made[2]!.slice(4)}`}, 'filler', 't', 1, 2, 'cut', '', '', '', '')`
      expect(yield* open).toEqual([made[3]])
      yield* writer.dropOld(now, fence)
      expect((yield* writer.said(now)).map(({ kind }) => kind)).toEqual(["time_check", "time_check", "time_check"])
      const listed = yield* writer.list({ limit: 2, cursor: null })
      expect(listed).toMatchObject({
        records: [
          { id: testId("ann", 9), state: "dropped", reason: "INTERRUPTED" },
          { id: made[3], state: "ready", text: "It's seven o'clock.", durationSec: 3 }
        ],
        next: made[3]
      })
      expect(
        (yield* writer.list({ limit: 9, cursor: listed!.next }))!.records.map(({ reason, state }) => [state, reason])
      ).toEqual([
        ["ready", null],
        ["dropped", "FACT_CHANGED"],
        ["aired", null]
      ])
      expect(yield* writer.list({ limit: 9, cursor: "ann_x" })).toBeNull()
      expect((yield* writer.spokenMs(now)).time_check).toBe(9_000)
      yield* writer.dropOld(now + 2 * hour, fence)
      expect(yield* open).toEqual([])
      expect((yield* writer.old(now + 7 * 24 * hour, 9)).length).toBe(0)
      expect((yield* writer.old(now + 9 * 24 * hour, 9)).length).toBe(5)
    })
  )

  it.effect("keep no word about an erased person", () =>
    Effect.gen(function* () {
      const writer = yield* AnnouncementsWriter
      const fence = yield* (yield* FencesWriter).acquire
      yield* writer.claim(draft(20, {}), fence)
      yield* writer.claim({ ...draft(21), humanId: testId("usr", 1) }, fence)
      yield* writer.ready(testId("ann", 21), sounding(21), 3_000, fence)
      yield* writer.forget(testId("usr", 1))
      expect((yield* writer.open(now)).map((one) => one.airable.announcement.id)).not.toContain(testId("ann", 21))
      const { records } = (yield* writer.list({ limit: 9, cursor: null }))!
      expect(records.find(({ id }) => id === testId("ann", 21))).toMatchObject({
        text: "",
        state: "dropped",
        reason: "ACCOUNT_DELETED"
      })
      expect((yield* writer.old(now, 9)).map(({ id }) => id)).toEqual([testId("ann", 21)])
    })
  )

  it.effect("thank by name only listeners who agreed, for messages that are approved and still there", () =>
    Effect.gen(function* () {
      const facts = yield* AnnouncementFacts
      const sql = yield* SqlClient.SqlClient
      const messages: ReadonlyArray<readonly [number, string, string, string, number]> = [
        [1, "write_in", "approved", "Noor", 2],
        [2, "call_in", "aired", "Bao", 1],
        [3, "write_in", "approved", "a listener", 1],
        [4, "call_in", "pending", "Ilse", 1],
        [5, "dedication", "rejected", "June", 1],
        [6, "write_in", "approved", "Kofi", 25]
      ]
      for (const [n, type, status, label, hoursAgo] of messages)
        yield* sql`
          INSERT INTO interactions (id, type, content, visibility, moderation_status, flags, human_id, listener_label, source, created_at)
          VALUES (${testId("int", n)}, ${type}, 'Good evening.', 'desk', ${status}, '[]', ${testId("usr", n)}, ${label}, 'web', ${new Date(now - hoursAgo * hour)})`
      const found = yield* facts.messages(now)
      expect(found.map(({ humanId, label, type }) => [label, type, humanId])).toEqual([
        ["Noor", "write_in", testId("usr", 1)],
        ["Bao", "call_in", testId("usr", 2)]
      ])
      const stated = found.flatMap((one) => messageFact(one) ?? [])
      expect((yield* facts.current(stated, now)).size).toBe(2)
      // One was taken down, the other's author was erased.
      yield* sql`UPDATE interactions SET moderation_status = 'rejected' WHERE id = ${testId("int", 1)}`
      yield* sql`UPDATE interactions SET human_id = NULL, listener_label = 'a listener' WHERE id = ${testId("int", 2)}`
      expect((yield* facts.current(stated, now)).size).toBe(0)
    })
  )

  it.effect("state what is approved now: canonical lore, given advice, tracks in rotation, listeners who agreed", () =>
    Effect.gen(function* () {
      const facts = yield* AnnouncementFacts
      const sql = yield* SqlClient.SqlClient
      const at = new Date(now - hour)
      const lore = testId("lore", 1)
      yield* sql`INSERT INTO agents ${sql.insert({ id: testId("agt", 1), handle: "wren", status: "claimed", persona: "{}", created_at: at })}`.pipe(
        Effect.ignore
      )
      yield* sql`
        INSERT INTO lore_entries (id, command_key, category, title, summary, refs, status, operational, topics, canonical_since, created_at, updated_at)
        VALUES (${lore}, 'k', 'joke', 'Two Owls on Air', 's', '[]', 'canonical', false, '[]', ${at}, ${at}, ${at}),
          (${testId("lore", 2)}, 'k2', 'fact', 'The Cellar Code', 's', '[]', 'canonical', true, '[]', ${at}, ${at}, ${at})`
      yield* sql`
        INSERT INTO council_items (id, title, summary, status, opened_by, owner_key, closes_at, outcome, created_at)
        VALUES (${testId("doc", 1)}, 'Louder Mornings', 's', 'rejected', 'a', 'o', ${at}, ${JSON.stringify({ advice: "rejected", voters: 3, closedAt: at.toISOString() })}::text::jsonb, ${at}),
          (${testId("doc", 2)}, 'Open Motion', 's', 'open', 'a', 'o', ${at}, NULL, ${at})`
      const news = yield* facts.news(now)
      expect(new Set(news.map(factKey))).toEqual(new Set([`lore:${lore}`, `council:${testId("doc", 1)}`]))
      expect(news.find(({ kind }) => kind === "council")!.values).toMatchObject({
        advice: { text: "reject it" },
        voters: { text: "3 voters" }
      })
      expect([...(yield* facts.current(news, now)).keys()].length).toBe(2)
      yield* sql`UPDATE lore_entries SET status = 'retired' WHERE id = ${lore}`
      yield* sql`UPDATE council_items SET hidden = true`
      expect(yield* facts.news(now)).toEqual([])
      expect(
        (yield* facts.current([loreFact({ id: lore, title: "Two Owls on Air", category: "joke" })!], now)).size
      ).toBe(0)
      yield* sql`
        INSERT INTO assets (id, kind, length_samples, pcm_sha256, body) VALUES (${testId("mas", 90)}, 'music', 1, '', '{}')`
      yield* sql`
        INSERT INTO tracks (id, asset_id, title, artist, genre, category, is_instrumental, duration_sec, approval_status, remixable, source, rotation_class, weight, created_at, updated_at)
        VALUES (${testId("trk", 90)}, ${testId("mas", 90)}, 'Glass Road', 'Night Ferry', 'jazz', 'song', true, 100, 'approved', true, 'house', 'house', 1, ${at}, ${at})`
      yield* sql`
        INSERT INTO highlights (id, slug, is_daily, time_window, from_at, to_at, items, created_at)
        VALUES (${testId("hl", 1)}, '2026-06-03', true, '24h', ${at}, ${at}, ${JSON.stringify([{ kind: "track", subjectId: testId("trk", 90), why: "votes", count: 3, sec: null }])}::text::jsonb, ${at})`
      const [highlight] = yield* facts.news(now)
      expect(highlight).toMatchObject({
        kind: "highlight",
        id: testId("trk", 90),
        values: { title: { text: "Glass Road" } }
      })
      expect((yield* facts.current([highlight!], now)).size).toBe(1)
      yield* sql`UPDATE tracks SET approval_status = 'retired'`
      expect((yield* facts.current([highlight!], now)).size).toBe(0)
      expect(yield* facts.tracks([testId("trk", 90)])).toEqual([])
      expect(yield* facts.named([testId("sreq", 1)])).toEqual([])
      // The week has bookable hours with titles; plain rotation isn't announced.
      const programmes = yield* facts.programmes(now - 6 * hour)
      expect(programmes.map(({ values }) => values["programme"]!.text)).not.toContain("Night Watch")
      expect(programmes.length).toBeGreaterThan(0)
      const first = sampleOf(now - 10 * hour)
      yield* sql`INSERT INTO stations (id, slug, fence) VALUES ('one', 'one', 0)`.pipe(Effect.ignore)
      const [station] = yield* sql`SELECT id FROM stations LIMIT 1`
      yield* sql`
        INSERT INTO as_run (station_id, seq, fence, item_id, kind, title, track_id, first_sample, last_sample, outcome, text, prev_hash, hash, signature)
        SELECT ${(station as { id: string }).id}, 100 + n, 0, 'itm_' || n, 'music', 't', 'trk_' || n, ${first} + n * 1000, ${first} + n * 1000 + 999, CASE WHEN n = 3 THEN 'cut' ELSE 'complete' END, '', '', '', ''
        FROM generate_series(1, 3) n`
      // Nothing is said of a song that was cut.
      expect(yield* facts.playedLast).toBeNull()
      expect(yield* facts.day(now - 2 * hour)).toBeNull()
      const day = (yield* facts.day(now))!
      expect(day.values).toMatchObject({ songs: { text: "2 pieces of music" }, weekday: { text: "Wednesday" } })
      expect((yield* facts.current([day], now + hour)).get(factKey(day))).toEqual(day)
    })
  )
})
