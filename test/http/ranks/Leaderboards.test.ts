import { layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { emit } from "../../../actors/runtime/emit.ts"
import { sampleOf } from "../../../schema/time/Samples.ts"
import { Assets } from "../../../engine/store/sound/Assets.ts"
import { HumansWriter } from "../../../engine/store/people/Humans.ts"
import { RanksWriter, weightOfPoints } from "../../../engine/store/ranks/Ranks.ts"
import { allBoards } from "../../../engine/rules/ranks/Leaderboards.ts"
import { Human } from "../../../schema/people/Human.ts"
import type { AgentId, HumanId, SegmentId } from "../../../schema/Ids.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { boardsMade } from "../../support/air/OnAir.ts"
import { totalsJobs } from "../../../actors/music/TotalsWorker.ts"
import { runJobs } from "../../support/runtime/RunJobs.ts"
import { airable, testId } from "../../support/air/Airables.ts"
import { checkChart } from "../../../bench/instruments/ChartCheck.ts"
import { listener } from "../../support/listeners/Listeners.ts"
import { baseUrl, call } from "../../support/http/SegmentHttp.ts"
import { assetOf } from "../../support/air/StudioDouble.ts"

const boards = "/api/v1/leaderboards"
const dayMs = 86_400_000
/** Directly from the store, without the readers' cache of some seconds. */
const standing = (kind: string, category: string, period: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{
      rows: ReadonlyArray<{
        score: number
        delta: number | null
        position: number
        agent: { id: string } | null
        track: { id: string } | null
      }>
    }>`
    SELECT rows FROM leaderboards WHERE kind = ${kind} AND category = ${category} AND period = ${period}`
    return row!.rows.map(({ agent, delta, position, score, track }) => [agent?.id ?? track?.id, score, position, delta])
  })
const entered = (agentId: string, code: string, points: number, daysAgo: number, subject: string) =>
  Effect.gen(function* () {
    const atMs = (yield* Clock.currentTimeMillis) - daysAgo * dayMs
    yield* (yield* RanksWriter).enter({ agentId, code, subjectId: subject, points, atMs })
  })
layer(AgentHttp(), { excludeTestServices: true })("leaderboards", (it) => {
  it.effect("count points of the period, by kind of agent and category, and publish them", () =>
    Effect.gen(function* () {
      const [dj, artist, both] = [
        yield* arrive({ role: "dj" }),
        yield* arrive({ role: "artist" }),
        yield* arrive({ role: "hybrid" })
      ]
      const gone = yield* arrive({ role: "hybrid" })
      for (const [{ id }, points] of [
        [dj, 5],
        [both, 25],
        [gone, 30]
      ] as const)
        yield* entered(id, "panel_turn", points, 3, "turn")
      yield* entered(dj.id, "panel_turn", 10, 20, "older")
      yield* entered(dj.id, "panel_turn", 40, 200, "oldest")
      for (const { id } of [dj, artist, both]) yield* entered(id, "listener_like", 7, 1, "same for all")
      yield* entered(artist.id, "track_play", 4, 0.5, "play")
      yield* call("DELETE", "/api/v1/agents/me", { key: gone.key })
      yield* boardsMade
      const today = [dj, artist, both].map(({ id }) => id).toSorted()
      expect(yield* standing("dj", "panels", "7d")).toEqual([
        [both.id, 25, 1, null],
        [dj.id, 5, 2, null]
      ])
      expect(yield* standing("dj", "panels", "30d")).toEqual([
        [both.id, 25, 1, null],
        [dj.id, 15, 2, null]
      ])
      expect(yield* standing("dj", "panels", "all")).toEqual([
        [dj.id, 55, 1, null],
        [both.id, 25, 2, null]
      ])
      expect(yield* standing("station", "listeners_choice", "7d")).toEqual(today.map((id, i) => [id, 7, i + 1, null]))
      expect(yield* standing("artist", "liked", "all")).toEqual(
        today.filter((id) => id !== dj.id).map((id, i) => [id, 7, i + 1, null])
      )
      expect(yield* standing("artist", "plays", "7d")).toEqual([[artist.id, 4, 1, null]])
      expect([yield* standing("artist", "remixed", "all"), yield* standing("dj", "shows", "all")]).toEqual([[], []])
      const { body, headers, status } = yield* call("GET", `${boards}/dj/panels?period=all`)
      expect([
        status,
        headers.get("cache-control"),
        headers.get("etag")?.startsWith("W/"),
        headers.get("access-control-allow-origin")
      ]).toEqual([200, "public, max-age=5", true, "*"])
      expect(body).toMatchObject({
        kind: "dj",
        category: "panels",
        period: "all",
        rows: [
          {
            position: 1,
            score: 55,
            delta: null,
            track: null,
            tier: "T0",
            agent: { id: dj.id, handle: dj.handle, displayName: "A stranger", avatarUrl: null }
          },
          {}
        ]
      })
      expect(Date.now() - Date.parse(body.generatedAt)).toBeLessThan(60_000)
      // The next one is read as soon as it is published, not after the seconds that a board is kept for its readers.
      yield* boardsMade
      const next = yield* call("GET", `${boards}/dj/panels?period=all`)
      expect(Date.parse(next.body.generatedAt)).toBeGreaterThan(Date.parse(body.generatedAt))
    })
  )

  it.effect("rank by score in overall categories, and report places gained today", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [first, second] = [yield* arrive({ role: "dj" }), yield* arrive({ role: "dj" })]
      const aired = (agentId: string, n: number) =>
        emit({
          _tag: "SegmentAired",
          segmentId: testId("seg", n) as SegmentId,
          agentId: agentId as AgentId,
          title: "News",
          reason: null,
          airedAt: null,
          airedCompletely: true
        })
      yield* aired(first.id, 1)
      yield* boardsMade
      const of = (rows: ReadonlyArray<ReadonlyArray<unknown>>) =>
        rows.filter(([id]) => id === first.id || id === second.id)
      expect(of(yield* standing("dj", "overall", "30d"))).toEqual([[first.id, 10, 1, null]])
      // Today begins with yesterday's last board.
      yield* sql`UPDATE leaderboards SET day = day - 1`
      yield* aired(second.id, 2)
      yield* aired(second.id, 3)
      yield* boardsMade
      expect(of(yield* standing("dj", "overall", "30d"))).toEqual([
        [second.id, 20, 1, null],
        [first.id, 10, 2, -1]
      ])
      yield* sql`UPDATE leaderboards SET day = day - 1`
      yield* aired(first.id, 4)
      yield* aired(first.id, 5)
      yield* boardsMade
      expect(of(yield* standing("dj", "overall", "7d"))).toEqual([
        [first.id, 30, 1, 1],
        [second.id, 20, 2, -1]
      ])
      // Within a day, changes of place are relative to the same morning.
      yield* aired(second.id, 6)
      yield* aired(second.id, 7)
      yield* boardsMade
      expect(of(yield* standing("dj", "overall", "7d"))).toEqual([
        [second.id, 40, 1, 0],
        [first.id, 30, 2, 0]
      ])
    })
  )

  it.effect("have pages that hold every row once", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 7; n++)
        yield* entered((yield* arrive({ role: "dj" })).id, "plan_aired", n % 3 === 0 ? 50 : 25, 1, "plan")
      yield* boardsMade
      const read: Array<string> = []
      for (let query = "?limit=3"; ;) {
        const { body, status } = yield* call("GET", `${boards}/dj/shows${query}`)
        expect(status).toBe(200)
        read.push(
          ...body.rows.map(({ agent, score }: { agent: { id: string }; score: number }) => `${score} ${agent.id}`)
        )
        if (body.nextCursor === undefined) break
        query = `?limit=3&cursor=${body.nextCursor}`
      }
      expect(read).toEqual((yield* standing("dj", "shows", "30d")).map(([id, score]) => `${score} ${id}`))
      expect([read.length, new Set(read).size]).toEqual([7, 7])
    })
  )

  it.effect("count likes, requests, plays and growth of tracks", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const nowMs = yield* Clock.currentTimeMillis
      const at = (daysAgo: number) => sql`to_timestamp(${nowMs - daysAgo * dayMs}::float8 / 1000)`
      const { id: maker } = yield* arrive({ role: "artist" })
      const asset = assetOf(airable("music", 1, 180))
      yield* (yield* Assets).save(asset)
      const [liked, wished, held] = [testId("trk", 1), testId("trk", 2), testId("trk", 3)]
      for (const [id, status] of [
        [liked, "approved"],
        [wished, "approved"],
        [held, "held"]
      ] as const) {
        yield* sql`INSERT INTO tracks (id, asset_id, title, artist, genre, category, is_instrumental, duration_sec, approval_status, source, agent_id, rotation_class, created_at, updated_at)
        VALUES (${id}, ${asset.id}, 'A song', 'The Band', 'jazz', 'song', false, 180, ${status}, 'upload', ${maker}, 'contributed', now(), now())`
      }
      let n = 0
      const vote = (trackId: string, action: string, daysAgo: number, counted = true) =>
        Effect.gen(function* () {
          const listener = testId("lsn", ++n)
          yield* sql`INSERT INTO listeners (id, created_at, seen_at) VALUES (${listener}, now(), now())`
          yield* sql`INSERT INTO track_votes (track_id, listener_id, action, counted, at) VALUES (${trackId}, ${listener}, ${action}, ${counted}, ${at(daysAgo)})`
        })
      const request = (trackId: string, daysAgo: number) => sql`
      INSERT INTO song_requests (id, track_id, command_key, listener_label, source, acknowledged, status, created_at, expires_at, updated_at)
      VALUES (${testId("sreq", ++n)}, ${trackId}, ${String(n)}, 'a listener', 'api', true, 'fulfilled', ${at(daysAgo)}, ${at(daysAgo)}, ${at(daysAgo)})`
      const play = (trackId: string, daysAgo: number) =>
        Effect.gen(function* () {
          const first = sampleOf(nowMs - daysAgo * dayMs)
          yield* sql`INSERT INTO as_run (station_id, seq, fence, kind, title, track_id, first_sample, last_sample, outcome, text, prev_hash, hash, signature)
        VALUES ('longwave', ${++n}, 1, 'music', 'A song', ${trackId}, ${first}, ${first + 48_000}, 'complete', '{}', '', '', '')`
        })
      for (const [action, daysAgo, counted] of [
        ["like", 1, true],
        ["like", 2, true],
        ["like", 1, false],
        ["dislike", 1, true],
        ["like", 20, true]
      ] as const)
        yield* vote(liked, action, daysAgo, counted)
      yield* vote(held, "like", 1)
      for (const daysAgo of [1, 2, 3, 29]) yield* request(wished, daysAgo)
      for (const daysAgo of [1, 20, 29, 100]) yield* play(liked, daysAgo)
      yield* play(wished, 5)
      yield* boardsMade
      expect(yield* standing("tracks", "liked", "7d")).toEqual([[liked, 2, 1, null]])
      expect(yield* standing("tracks", "liked", "all")).toEqual([[liked, 3, 1, null]])
      expect(yield* standing("tracks", "requested", "7d")).toEqual([[wished, 3, 1, null]])
      expect(yield* standing("tracks", "played", "all")).toEqual([
        [liked, 4, 1, null],
        [wished, 1, 2, null]
      ])
      expect(yield* standing("tracks", "played", "7d")).toEqual([liked, wished].map((id, i) => [id, 1, i + 1, null]))
      // Later half minus the earlier half: 4 minus 1; the liked one has 3 and 3.
      expect(yield* standing("tracks", "rising", "30d")).toEqual([[wished, 3, 1, null]])
      // The maker has its points of the last day, each once: two counted likes and one play.
      const given = sql`SELECT code, sum(points)::int AS sum FROM points WHERE agent_id = ${maker} GROUP BY code ORDER BY code`
      expect(yield* given).toEqual([])
      for (const action of ["like", "like", "dislike"]) yield* vote(liked, action, 0.5)
      yield* play(wished, 0.25)
      yield* boardsMade
      yield* boardsMade
      expect(yield* given).toEqual([
        { code: "listener_like", sum: 2 },
        { code: "track_play", sum: 2 }
      ])
      expect(yield* standing("artist", "plays", "7d")).toContainEqual([maker, 2, 2, null])
      const { body } = yield* call("GET", `${boards}/tracks/played?period=all`)
      expect(body.rows[0]).toEqual({
        position: 1,
        score: 4,
        delta: null,
        tier: "T0",
        agent: null,
        track: { id: liked, title: "A song", artist: "The Band", genre: "jazz", madeByStation: false }
      })
      // The totals stay when their rows are folded, and later rows are added.
      const allTime = Effect.gen(function* () {
        yield* boardsMade
        const places = yield* Effect.forEach(["liked", "requested", "played"], (category) =>
          Effect.map(standing("tracks", category, "all"), (found) => found.map(([id, score]) => [id, score]))
        )
        const { body } = yield* call("GET", `/api/v1/tracks/${liked}/engagement`)
        return [...places, body.totals] as const
      })
      const left = sql`
        SELECT (SELECT count(*)::int FROM song_requests) AS requests, (SELECT count(*)::int FROM airings WHERE subject = 'song_request') AS airings,
          (SELECT count(*)::int FROM track_votes WHERE track_id = ${liked}) AS votes`
      yield* sql`
        INSERT INTO airings (id, subject, subject_id, state, changed_at, updated_at) SELECT id, 'song_request', id, 'aired', now(), now() FROM song_requests`
      const before = yield* allTime
      expect(before[3]).toMatchObject({ likes: 5, dislikes: 2 })
      yield* runJobs(totalsJobs)
      expect([yield* allTime, yield* left]).toEqual([before, [{ requests: 4, airings: 4, votes: 8 }]])
      yield* sql`UPDATE listeners SET seen_at = seen_at - interval '182 days'`
      yield* sql`UPDATE song_requests SET created_at = created_at - interval '400 days'`
      yield* runJobs(totalsJobs)
      expect([yield* allTime, yield* left]).toEqual([before, [{ requests: 0, airings: 0, votes: 0 }]])
      yield* vote(liked, "like", 1)
      yield* request(wished, 1)
      yield* play(liked, 0.1)
      yield* runJobs(totalsJobs)
      expect(yield* allTime).toMatchObject([
        [[liked, 6]],
        [[wished, 5]],
        [
          [liked, 5],
          [wished, 2]
        ],
        { likes: 6 }
      ])
    })
  )

  it.effect("can be recomputed by anybody from their evidence, whatever happened after they were published", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // Earned while the boards are made: for the next ones.
      yield* entered((yield* arrive({ role: "dj" })).id, "panel_turn", 20, -0.01, "meanwhile")
      // Some entries above are only in the ledger: the weights are their sums.
      yield* sql`
        INSERT INTO ranks (agent_id, weight) SELECT agent_id, ${weightOfPoints} FROM points GROUP BY agent_id
        ON CONFLICT (agent_id) DO UPDATE SET weight = excluded.weight`
      const [song, other] = [testId("trk", 1), testId("trk", 2)]
      const fans = [yield* listener(), yield* listener(), yield* listener()]
      const vote = (token: string, trackId: string, action: string) =>
        call("POST", `/api/v1/tracks/${trackId}/engagement`, {
          headers: { "x-listener-token": token },
          body: { action }
        })
      for (const { token } of fans) expect((yield* vote(token, other, "like")).status).toBe(200)
      yield* boardsMade
      // None of this was counted.
      expect((yield* vote(fans[0]!.token, other, "clear")).status).toBe(200)
      expect((yield* vote(fans[1]!.token, other, "dislike")).status).toBe(200)
      expect((yield* vote(fans[2]!.token, song, "like")).status).toBe(200)
      const [{ seq } = { seq: 0 }] = yield* sql<{ seq: number }>`SELECT max(seq)::int + 1 AS seq FROM as_run`
      const first = sampleOf((yield* Clock.currentTimeMillis) - 60_000)
      yield* sql`INSERT INTO as_run (station_id, seq, fence, kind, title, track_id, first_sample, last_sample, outcome, text, prev_hash, hash, signature)
        VALUES ('longwave', ${seq}, 1, 'music', 'A song', ${song}, ${first}, ${first + 48_000}, 'complete', '{}', '', '', '')`
      const base = yield* baseUrl
      const checks = yield* Effect.forEach(allBoards, (name) =>
        Effect.map(
          Effect.promise(() => checkChart(base, ...name)),
          (found) => ({ name, ...found })
        )
      )
      for (const { name, published, recomputed } of checks) expect([name, recomputed]).toEqual([name, published])
      expect(checks.filter(({ published }) => published.length > 0).length).toBeGreaterThan(20)

      const evidence = `${boards}/tracks/liked/evidence`
      const { body, headers } = yield* call("GET", `${evidence}?period=7d&limit=2`)
      expect([body.entries.length, headers.get("etag")?.startsWith("W/"), body.middle]).toEqual([2, true, null])
      const rest = (yield* call("GET", `${evidence}?period=7d&cursor=${body.nextCursor}`)).body
      const ballots = [...body.entries, ...rest.entries]
      // The voter of two tracks can't be recognised as one person, and nobody is named.
      expect(new Set(ballots.map(({ voter }: { readonly voter: string }) => voter)).size).toBe(ballots.length)
      expect(JSON.stringify([body, rest])).not.toMatch(/lsn_/)
      const plays = (yield* call("GET", `${boards}/tracks/played/evidence?period=all`)).body.entries
      expect(plays[0]).toMatchObject({
        type: "play",
        asRunId: expect.stringMatching(/^asr_\d+$/),
        voter: null,
        value: 1
      })
      for (const [path, status, code] of [
        [`${boards}/tracks/loved/evidence`, 400, "INVALID_CATEGORY"],
        [`${evidence}?limit=1001`, 400, "INVALID_FIELD"],
        [`${evidence}?period=1d`, 400, "INVALID_FIELD"],
        [`${evidence}?cursor=nonsense`, 400, "INVALID_FIELD"],
        [
          `${evidence}?cursor=${Buffer.from("1|0|0|1|2020-01-01 00:00:00+00").toString("base64url")}`,
          400,
          "INVALID_FIELD"
        ],
        [`${evidence}?cursor=${Buffer.from("1|0|9||").toString("base64url")}`, 400, "INVALID_FIELD"]
      ] as const)
        expect([path, yield* call("GET", path)]).toMatchObject([path, { status, body: { code } }])
    })
  )

  it.effect("list people who opted in, by all their agents together, and no others", () =>
    Effect.gen(function* () {
      const humans = yield* HumansWriter
      const sql = yield* SqlClient.SqlClient
      const person = (n: number, published: boolean, blockedReason: string | null = null) =>
        humans.insert(
          Human.make({
            id: testId("usr", n) as HumanId,
            slug: `person-${n}`,
            displayName: `Person ${n}`,
            bio: null,
            avatarPath: null,
            links: [],
            published,
            emailHash: `hash-of-${n}`,
            blockedReason,
            createdAtMs: 0
          })
        )
      const own = (n: number, score: number) =>
        Effect.gen(function* () {
          const { id } = yield* arrive()
          yield* sql`UPDATE agents SET owner_email_hash = ${`hash-of-${n}`}, owner_email_verified = true WHERE id = ${id}`
          for (let i = 0; i < score; i += 10)
            yield* emit({
              _tag: "SegmentAired",
              segmentId: testId("seg", 100 * n + 1_000 + i * 7 + score) as SegmentId,
              agentId: id as AgentId,
              title: "News",
              reason: null,
              airedAt: null,
              airedCompletely: true
            })
        })
      yield* person(1, true)
      yield* person(2, true)
      yield* person(3, false)
      yield* person(4, true, "Sells places.")
      yield* own(1, 20)
      yield* own(2, 10)
      yield* own(2, 20)
      yield* own(3, 30)
      yield* own(4, 30)
      const { body } = yield* call("GET", `${boards}/humans`)
      expect(body.rows).toEqual([
        {
          position: 1,
          human: { slug: "person-2", displayName: "Person 2", avatarUrl: null },
          rankScore: 30,
          agentCount: 2
        },
        {
          position: 2,
          human: { slug: "person-1", displayName: "Person 1", avatarUrl: null },
          rankScore: 20,
          agentCount: 1
        }
      ])
    })
  )

  it.effect("refuse unknown boards, periods and cursors", () =>
    Effect.gen(function* () {
      for (const path of [
        "nobody/overall",
        "station/loudest",
        "tracks/overall",
        "station/constructor",
        "humans/overall"
      ]) {
        expect((yield* call("GET", `${boards}/${path}`)).body).toMatchObject({ status: 400, code: "INVALID_CATEGORY" })
      }
      for (const query of [
        "period=1d",
        "limit=0",
        "limit=101",
        "limit=x",
        "cursor=nonsense",
        `cursor=${Buffer.from("1.agt_1").toString("base64url")}`
      ]) {
        expect([query, (yield* call("GET", `${boards}/station/overall?${query}`)).body.code]).toEqual([
          query,
          "INVALID_FIELD"
        ])
      }
      for (const path of [`${boards}/humans`, "/api/v1/peer-moderation/leaderboard"]) {
        expect((yield* call("GET", `${path}?limit=0`)).body.code).toBe("INVALID_FIELD")
        const head = yield* call("HEAD", path)
        expect([head.status, head.headers.get("cache-control")]).toEqual([200, "public, max-age=5"])
      }
    })
  )

  it.effect("rank reviewers by their binding decisions", () =>
    Effect.gen(function* () {
      const peers = "/api/v1/peer-moderation/leaderboard"
      expect((yield* call("GET", peers)).body).toMatchObject({ period: "30d", rows: [] })
      const [busy, rare] = [yield* arrive(), yield* arrive()]
      for (let n = 0; n < 12; n++) yield* entered(busy.id, "peer_decision_binding", n < 10 ? 3 : 0, 2, `rev_${n}`)
      yield* entered(rare.id, "peer_decision_binding", 3, 10, "rev_1")
      expect((yield* call("GET", peers)).body.rows).toEqual([
        {
          position: 1,
          agent: { id: busy.id, handle: busy.handle, displayName: "A stranger", avatarUrl: null },
          bindingDecisions: 12,
          agreementPct: null
        },
        {
          position: 2,
          agent: { id: rare.id, handle: rare.handle, displayName: "A stranger", avatarUrl: null },
          bindingDecisions: 1,
          agreementPct: null
        }
      ])
      expect((yield* call("GET", `${peers}?period=7d&limit=5`)).body).toMatchObject({
        period: "7d",
        rows: [{ agent: { id: busy.id } }]
      })
    })
  )
})
