import { layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { ObjectStore } from "../../../engine/ports/ObjectStore.ts"
import { coverPx } from "../../../engine/rules/agents/limits.ts"
import { MusicCatalog } from "../../../engine/store/music/MusicCatalog.ts"
import { nightJobs } from "../../../actors/music/NightWorker.ts"
import { makeHouseWork } from "../../../actors/music/HouseWorks.ts"
import { nightlySongs } from "../../../engine/rules/music/HouseCatalogue.ts"
import { houseLibraryMax } from "../../../engine/rules/music/limits.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { look } from "../../support/agents/Galleries.ts"
import { runJobs } from "../../support/runtime/RunJobs.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { testId } from "../../support/air/Airables.ts"
import { call } from "../../support/http/SegmentHttp.ts"
import { fillTables } from "../../support/sql/Postgres.ts"

const catalog = "/api/station/music/catalog"
let count = 0

const shelved = Effect.fnUntraced(function* (
  title: string,
  artist: string,
  over: {
    readonly genre?: string
    readonly status?: string
    readonly category?: string
    readonly restedUntil?: string | null
    readonly durationSec?: number
    readonly source?: string
  } = {}
) {
  const sql = yield* SqlClient.SqlClient
  const id = testId("trk", ++count)
  yield* sql`INSERT INTO assets (id, kind, length_samples, pcm_sha256, body) VALUES (${testId("mas", count)}, 'track', 48000, ${`${count}`}, '{"cue":{}}'::jsonb)`
  yield* sql`
    INSERT INTO tracks (id, asset_id, title, artist, genre, category, is_instrumental, duration_sec, approval_status, source, rotation_class, rested_until, created_at, updated_at)
    VALUES (${id}, ${testId("mas", count)}, ${title}, ${artist}, ${over.genre ?? "folk"}, ${over.category ?? "song"}, false, ${over.durationSec ?? 120}, ${over.status ?? "approved"}, ${over.source ?? "house"}, 'house',
      ${over.restedUntil ?? null}::timestamptz, now() + ${count} * interval '1 second', now())`
  return id
})

const titles = (query: string) =>
  Effect.map(call("GET", `${catalog}${query}`), ({ body, status }) => {
    expect(status).toBe(200)
    return (body.tracks as ReadonlyArray<{ readonly title: string }>).map(({ title }) => title)
  })

layer(AgentHttp())("the catalog of music", (it) => {
  it.effect("finds songs by the beginnings of words, regardless of case and accents", () =>
    Effect.gen(function* () {
      yield* shelved("Évening Tide", "Björk of the Harbour")
      yield* shelved("Low Water", "The Lamps", { genre: "drum_and_bass" })
      yield* shelved("Waiting", "Nobody Else", { status: "pending_review" })
      yield* shelved("A bed of rain", "The Lamps", { category: "bed" })
      expect(yield* titles("?q=even")).toEqual(["Évening Tide"])
      expect(yield* titles("?q=BJ%C3%96R+ti")).toEqual(["Évening Tide"])
      expect(yield* titles("?q=ening")).toEqual([])
      expect(yield* titles("?q=%25+%26+%21")).toEqual([])
      expect(yield* titles("?q=wa")).toEqual(["Low Water"])
      expect(yield* titles("?artist=the+lamps")).toEqual(["Low Water"])
      expect(yield* titles("?genre=Drum-and+Bass")).toEqual(["Low Water"])
      expect(yield* titles("")).toEqual(["Low Water", "Évening Tide"])
      const { body } = yield* call("GET", catalog)
      expect(body.genres).toEqual([
        { id: "drum_and_bass", count: 1 },
        { id: "folk", count: 1 }
      ])
      expect(body.genresAreSampled).toBe(false)
      expect(body.tracks[0]).toMatchObject({
        artist: "The Lamps",
        mood: null,
        durationSec: 120,
        isInstrumental: false,
        coverUrl: expect.stringMatching(/\/media\/covers\/trk_/),
        requestable: true
      })
    })
  )

  it.effect("draws a cover for music that brought none, and serves the cover that music brought", () =>
    Effect.gen(function* () {
      const bare = [yield* shelved("Slack Water", "Keel"), yield* shelved("Spring Tide", "Keel")]
      const own = yield* shelved("Ebb", "Keel")
      const brought = Buffer.from("came with its sound")
      yield* (yield* ObjectStore).put(`covers/${own}.webp`, { bytes: brought }, "image/webp")
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE tracks SET cover_key = ${`covers/${own}.webp`} WHERE id = ${own}`
      const { body } = yield* call("GET", `${catalog}?artist=Keel`)
      const coverOf = (id: string) =>
        look(body.tracks.find((track: { readonly id: string }) => track.id === id).coverUrl)
      const drawn = yield* Effect.forEach([...bare, bare[0]!], coverOf)
      expect(
        drawn.map(({ bytes, headers, status }) => [
          status,
          headers.get("content-type"),
          headers.get("cache-control"),
          bytes.readUInt32BE(16),
          bytes.readUInt32BE(20)
        ])
      ).toEqual([1, 2, 3].map(() => [200, "image/png", "public, max-age=3600", coverPx, coverPx]))
      expect([drawn[0]!.bytes.equals(drawn[1]!.bytes), drawn[0]!.bytes.equals(drawn[2]!.bytes)]).toEqual([false, true])
      const served = yield* coverOf(own)
      expect([served.status, served.headers.get("content-type"), served.bytes]).toEqual([200, "image/webp", brought])
    })
  )

  it.effect("refuses invalid parameters, and pages without shifts by new songs", () =>
    Effect.gen(function* () {
      yield* shelved("Kept away", "Somebody", { restedUntil: "2999-01-01T00:00:00Z" })
      expect((yield* call("GET", `${catalog}?q=kept`)).body.tracks[0].requestable).toBe(false)
      expect(yield* call("GET", `${catalog}?genre=polka`)).toMatchObject({
        status: 400,
        body: { code: "INVALID_GENRE" }
      })
      expect(yield* call("GET", `${catalog}?cursor=trk_none`)).toMatchObject({
        status: 400,
        body: { code: "INVALID_FIELD" }
      })
      expect(yield* call("GET", `${catalog}?limit=0`)).toMatchObject({ status: 400, body: { code: "INVALID_FIELD" } })
      expect(yield* call("GET", `${catalog}?stationSlug=elsewhere`)).toMatchObject({
        status: 404,
        body: { code: "STATION_NOT_FOUND" }
      })
      const all = yield* titles("")
      const first = (yield* call("GET", `${catalog}?limit=2`)).body
      yield* shelved("Newcomer", "Somebody")
      const rest = (yield* call("GET", `${catalog}?limit=100&cursor=${first.nextCursor}`)).body
      expect([...first.tracks, ...rest.tracks].map(({ title }: { title: string }) => title)).toEqual(all)
      expect(rest.nextCursor).toBeUndefined()
    })
  )

  it.effect("lets agents search the approved music by words, kind and length", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const found = (query: string) => call("GET", `/api/music/library/search${query}`, { key })
      const names = (query: string) =>
        Effect.map(found(query), ({ body }) => body.results.map(({ title }: { readonly title: string }) => title))
      yield* shelved("Library quay", "Keel", { genre: "techno", durationSec: 200 })
      yield* shelved("Library pier", "Keel", { genre: "techno", durationSec: 60, source: "upload" })
      yield* shelved("Library bed", "Keel", { genre: "techno", category: "bed" })
      yield* shelved("Library to come", "Keel", { genre: "techno", status: "pending_review" })
      expect(yield* names("?q=librar")).toEqual(["Library pier", "Library quay"])
      expect(yield* names("?q=librar&category=bed")).toEqual(["Library bed"])
      expect(yield* names("?genre=Techno&minDurationSec=100&maxDurationSec=300")).toEqual(["Library quay"])
      expect(yield* names("?genre=techno&category=instrumental")).toEqual([])
      expect(yield* names("?q=%21")).toEqual([])
      expect(yield* names("?q=librar&mood=calm")).toEqual([])
      const { body } = yield* found("?q=librar&limit=1")
      expect(body.results[0]).toMatchObject({ artist: "Keel", mood: null, durationSec: 60, madeByStation: false })
      expect(body.results[0].previewUrl).toContain(`/media/audio/${body.results[0].assetId}.mp3`)
      const rest = (yield* found(`?q=librar&cursor=${body.nextCursor}`)).body
      expect(rest.results).toMatchObject([{ title: "Library quay", madeByStation: true }])
      expect(rest.nextCursor).toBeUndefined()
      for (const [query, code] of [
        ["?genre=polka", "INVALID_GENRE"],
        ["?mood=hungry", "INVALID_GENRE"],
        ["?category=opera", "INVALID_FIELD"],
        ["?minDurationSec=-1", "INVALID_FIELD"],
        ["?maxDurationSec=soon", "INVALID_FIELD"],
        ["?minDurationSec=9&maxDurationSec=8", "INVALID_FIELD"],
        ["?limit=101", "INVALID_FIELD"],
        ["?cursor=trk_none", "INVALID_FIELD"]
      ] as const)
        expect([query, yield* found(query)]).toMatchObject([query, { status: 400, body: { code } }])
    })
  )

  it.effect(
    "composes new pieces at night, each once, and retires what is too much: the disliked first, then the oldest",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { houseSeed } = yield* StationConfig
        const pieces = sql<{ name: string; status: string; source: string }>`
        SELECT p.name, t.approval_status AS status, t.source FROM house_pieces p JOIN tracks t ON t.id = p.airable->>'trackId' WHERE p.name LIKE 'night:%' ORDER BY p.name`
        const day = Math.floor((yield* Clock.currentTimeMillis) / 86_400_000)
        const tonight = nightlySongs(houseSeed, day).map(({ name }) => name)
        yield* runJobs(nightJobs)
        // The founding repertoire comes first.
        expect(yield* pieces).toEqual([])
        yield* sql`INSERT INTO house_pieces (name, role, hour, airable) SELECT 'song:' || n, 'music', NULL, '{}'::jsonb FROM generate_series(0, 13) n`
        yield* runJobs(nightJobs).pipe(
          Effect.provideService(StationConfig, { ...(yield* StationConfig), houseProgramme: "off" })
        )
        expect(yield* pieces).toEqual([])
        // As if killed after the second piece: the rest follow, and nothing is made twice.
        for (const song of nightlySongs(houseSeed, day).slice(0, 2)) yield* makeHouseWork(song, houseSeed)
        yield* runJobs(nightJobs)
        yield* runJobs(nightJobs)
        expect(yield* pieces).toEqual(tonight.map((name) => ({ name, status: "approved", source: "house" })))

        const [{ count } = { count: 0 }] = yield* sql<{ count: number }>`
        SELECT count(*)::int AS count FROM tracks WHERE source = 'house' AND approval_status = 'approved' AND category = 'instrumental'`
        for (let n = count; n < houseLibraryMax + 2; n++)
          yield* shelved(`Founder ${n}`, "Founders", { category: "instrumental" })
        yield* sql`UPDATE tracks SET vote_weight = CASE WHEN id = (SELECT airable->>'trackId' FROM house_pieces WHERE name = ${tonight[3]!}) THEN 0.5 ELSE 1.5 END
        WHERE id IN (SELECT airable->>'trackId' FROM house_pieces WHERE name IN (${tonight[0]!}, ${tonight[3]!}))`
        yield* runJobs(nightJobs)
        const retired = (yield* pieces).filter(({ status }) => status === "retired").map(({ name }) => name)
        expect(retired).toHaveLength(2)
        expect(retired).toContain(tonight[3])
        expect(retired).not.toContain(tonight[0])
        // A day later nothing needs their sound: it goes, and the rest stays.
        yield* sql`UPDATE tracks SET updated_at = updated_at - interval '25 hours' WHERE approval_status = 'retired'`
        yield* sql`UPDATE house_pieces SET name = 'night:1:' || right(name, 1) WHERE name IN (${retired[0]!}, ${retired[1]!})`
        yield* runJobs(nightJobs)
        expect((yield* pieces).filter(({ name }) => name.startsWith("night:1:"))).toEqual([])
      })
  )

  it.effect("estimates genres from a sample in a large library", () =>
    Effect.gen(function* () {
      yield* fillTables(
        (sql) => sql`
        INSERT INTO tracks (id, asset_id, title, artist, genre, category, is_instrumental, duration_sec, approval_status, source, rotation_class, created_at, updated_at)
        SELECT 'trk_' || lpad(n::text, 26, '0'), ${testId("mas", 1)}, 'Song ' || n, 'Many', CASE n % 4 WHEN 0 THEN 'jazz' ELSE 'house' END, 'song', false, 120, 'approved', 'house', 'house', now() - interval '1 day', now()
        FROM generate_series(1, 60000) n`
      )
      yield* fillTables((sql) => sql`ANALYZE tracks`)
      const { genres, sampled } = yield* (yield* MusicCatalog).genres
      expect(sampled).toBe(true)
      const of = (genre: string) => genres.find(({ id }) => id === genre)?.count ?? 0
      expect(of("house")).toBeGreaterThan(35_000)
      expect(of("house")).toBeLessThan(55_000)
      expect(of("house") / of("jazz")).toBeGreaterThan(2)
      expect((yield* call("GET", catalog)).body.genresAreSampled).toBe(true)
    })
  )
})
