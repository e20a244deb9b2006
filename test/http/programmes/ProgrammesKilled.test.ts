import { Effect, Exit, Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { becomeAgent, call } from "../../../bench/instruments/clients/Stranger.ts"
import { PackageReplay } from "../../../actors/panels/protocol/Jobs.ts"
import { jobTickMs } from "../../../engine/rules/runtime/limits.ts"
import { Replays, ReplaysWriter } from "../../../engine/store/panels/Replays.ts"
import { Replay } from "../../../schema/panels/Replay.ts"
import { airable, testId } from "../../support/air/Airables.ts"
import { readLoggedRows } from "../../support/air/LoggedRows.ts"
import { inDatabaseOf } from "../../support/sql/OwnDatabase.ts"
import { keepAssets, plantTone, shelve } from "../../support/media/PlantedSound.ts"
import { assetOf } from "../../support/air/StudioDouble.ts"
import { waitMs } from "../../../bench/instruments/Patience.ts"
import { enterStation, killAndRestart, askUntil, type WholeStation } from "../../support/station/WholeStation.ts"
import { CommonsScene, commonsDone } from "../../support/lore/CommonsScene.ts"
import { endLeases } from "../../support/runtime/Leases.ts"
import { writerDouble } from "../../support/media/WriterDouble.ts"
import { setSegments } from "../../support/air/Airings.ts"

interface Agent {
  readonly agentId: string
  readonly apiKey: string
}
// oxlint-disable-next-line typescript/no-explicit-any
type Body = any
const shows = "/api/v1/agents/me/shows"
const heardSec = 20
const idea = {
  mode: "idea",
  title: "Of tides",
  format: "talk",
  targetMinutes: 5,
  idea: "What the tide brings and takes."
}
const outline = {
  mode: "guided",
  title: "Of lamps",
  format: "talk",
  targetMinutes: 5,
  outline: [{ title: "Lamps", notes: "Good evening. This is about lamps.", minutes: 1 }]
}
const lamps = [
  "Good evening from the pier, where the first lamp is lit.",
  "The second lamp is the one that the ships look for. It was lit for the first time in the year of the great storm, by a woman who had never been to sea, and it has burned every night since then, whoever was there to see it. Her daughter kept it after her, and wrote down each ship that passed, where it came from and what it carried, in a book that is still shown to those who ask for it at the harbour office.",
  "And the third is out. Good night from the pier."
]
const turns = [
  "Good evening from the harbour.",
  "And from the old breakwater.",
  "The ropes are talking tonight.",
  "So is the bell that nobody rings."
]
/** Work that is done but not yet recorded: the record waits while the test holds a lock on the table. */
const done = {
  plans: "NEW.status = 'submitted' AND OLD.status = 'draft'",
  clips: "NEW.status = 'ready' AND OLD.status = 'making'",
  replays: "NEW.packaged_at IS NOT NULL AND OLD.packaged_at IS NULL",
  segments: "NEW.audio_status = 'ready' AND OLD.audio_status = 'rendering'",
  panel_sessions: "NEW.status = 'stitched' AND OLD.status <> 'stitched'",
  ...commonsDone
}
describe("shows, plans, panels and recordings on a killed station (F3)", () => {
  let whole: WholeStation
  let writer: Effect.Success<typeof writerDouble>
  let writersEnd: Scope.Closeable
  let marlow: Agent, isolde: Agent
  /** Of the plan of three lamps, and of a sound that was heard. */
  let planId: string, heardId: string
  /** A panel without late participants. */
  let panelId: string
  let written: string, assembled: string, reviewed: string
  let showSlug: string

  const ask = async (
    method: string,
    path: string,
    { apiKey: bearer }: Pick<Agent, "apiKey">,
    body?: object
  ): Promise<Body> =>
    (await call(whole.station.base, method, path, { bearer, ...(body === undefined ? {} : { body }) })).body
  const operate = (method: string, path: string, body?: object) =>
    ask(method, `/api/ops/${path}`, { apiKey: whole.station.operator }, body)
  const store = <A>(change: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown, SqlClient.SqlClient>): Promise<A> =>
    inDatabaseOf(whole.station.dataDir, change)
  const generate = async (agent: Agent, body: object): Promise<string> =>
    (await ask("POST", `${shows}/generate`, agent, body)).production.id
  const production = async (agent: Agent, id: string): Promise<Body> =>
    (await ask("GET", `${shows}/productions/${id}`, agent)).production
  const at = async (agent: Agent, id: string, ...statuses: ReadonlyArray<string>): Promise<Body> => {
    const found = await askUntil(async () => {
      const now = await production(agent, id)
      if (now.status === "failed" || statuses.includes(now.status)) return now as Body
      throw new Error(`${id} is at ${now.status}: ${JSON.stringify(now)}`)
    })
    expect(statuses, found.error).toContain(found.status)
    return found
  }
  const invite = async (title: string): Promise<string> =>
    (
      await ask("POST", `/api/shows/${showSlug}/sessions`, marlow, {
        title,
        invitedAgentIds: [isolde.agentId],
        minTurns: 4,
        maxTurns: 4
      })
    ).session.id
  const session = async (id: string): Promise<Body> => (await ask("GET", `/api/shows/sessions/${id}`, marlow)).session
  /** Sent twice, it is one turn. */
  const turn = async (index: number): Promise<Body> =>
    (
      await call(whole.station.base, "POST", `/api/shows/sessions/${panelId}/turns`, {
        bearer: (index % 2 === 0 ? marlow : isolde).apiKey,
        headers: { "idempotency-key": `turn-${index}` },
        body: { scriptText: turns[index] }
      })
    ).body["turn"]
  const produce = async () => {
    const { audioUrl, durationSec, segmentId } = await ask("POST", `/api/shows/sessions/${panelId}/produce`, marlow)
    return { audioUrl: new URL(audioUrl).pathname, durationSec, segmentId }
  }
  const so = (ask: (sql: SqlClient.SqlClient) => Effect.Effect<ReadonlyArray<unknown>, unknown, SqlClient.SqlClient>) =>
    askUntil(async () => ((await store(ask)).length > 0 ? true : undefined))

  /** Killed during all of this. Nothing waits for minutes afterwards, and in this test not even for the rest of a lease. */
  const killedIn = async (
    tables: ReadonlyArray<keyof typeof done>,
    underWay: () => Promise<void>,
    meanwhile = () => Promise.resolve()
  ) => {
    await store((sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* Effect.forEach(tables, (table) => sql`SELECT pg_advisory_xact_lock(hashtext(${table}))`)
          yield* Effect.promise(underWay)
          yield* Effect.promise(() => whole.station.stop("SIGKILL"))
          // Otherwise the database would end these abandoned statements.
          yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`
        })
      )
    )
    await store((sql) =>
      Effect.gen(function* () {
        const [lease] = yield* sql<{
          ms: number
        }>`SELECT (1000 * extract(epoch from max(run_at) - now()))::float8 AS ms FROM jobs WHERE state = 'running'`
        // Killed work resumes within 20 seconds.
        expect(lease!.ms + jobTickMs).toBeLessThanOrEqual(20_000)
      })
    )
    await endLeases(whole.station.dataDir)
    const fromMs = performance.now()
    await killAndRestart(whole, { WRITER_URL: writer.url }, meanwhile)
    console.log(
      `killed in the middle of ${tables.join(", ")}; its API answered ${((performance.now() - fromMs) / 1_000).toFixed(1)} s after that`
    )
  }

  beforeAll(async () => {
    writersEnd = await Effect.runPromise(Scope.make())
    writer = await Effect.runPromise(Scope.provide(writerDouble, writersEnd))
    whole = await enterStation({ WRITER_URL: writer.url })
    const { base, dataDir } = whole.station
    marlow = await becomeAgent(base, "marlow")
    isolde = await becomeAgent(base, "isolde")
    await operate("PUT", `agents/${marlow.agentId}/grants`, { freeAir: true })
    await operate("PUT", `agents/${isolde.agentId}/grants`, { freeAir: true, requiresSegmentReview: true })
    const { segment } = await ask("POST", "/api/segments", isolde, {
      stationSlug: "longwave",
      category: "story",
      title: "A tone",
      scriptText: "There is a tone over the water, and it stays."
    })
    heardId = segment.id
    const [song, tone] = [assetOf(airable("music", 1, 200)), assetOf(airable("segment", 2, heardSec))]
    plantTone(dataDir, tone)
    await store((sql) =>
      Effect.gen(function* () {
        yield* sql`CREATE FUNCTION waits_here() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(hashtext(TG_TABLE_NAME)); RETURN NEW; END $$`
        for (const [table, when] of Object.entries(done))
          yield* sql`CREATE TRIGGER waits_here BEFORE UPDATE ON ${sql.literal(table)} FOR EACH ROW WHEN (${sql.literal(when)}) EXECUTE FUNCTION waits_here()`
        yield* keepAssets([song, tone])
        yield* sql`UPDATE segments SET audio_status = 'ready', asset_id = ${tone.id}, duration_sec = ${heardSec}, engine = 'HOUSE' WHERE id = ${heardId}`
        yield* setSegments(sql`id = ${heardId}`, "aired")
        // Songs for the plans of other days. The station's first check finds that theirs are unavailable.
        yield* Effect.forEach(
          Array.from({ length: 60 }, (_, n) => n),
          (n) => shelve(sql, { assetId: song.id, trackId: testId("trk", n) }, `Song ${n}`, `Artist ${n}`, 200)
        )
      })
    )
    const { plan } = await ask("POST", "/api/v1/catalog/slots/book", marlow, {
      title: "Three lamps",
      format: "talk",
      submit: false
    })
    planId = plan.id
    await ask("PATCH", `${shows}/plans/${planId}`, marlow, {
      items: lamps.map((scriptText) => ({ kind: "talk", scriptText, transition: "cut" }))
    })
    await store((sql) => sql`UPDATE plans SET target_duration_sec = 40 WHERE id = ${planId}`)
    await ask("POST", `${shows}/plans/${planId}/submit`, marlow)
    showSlug = (await operate("POST", "shows", { title: "The Harbour Table", hostHandle: "marlow" })).show.slug
    panelId = await invite("Before midnight")
    reviewed = await generate(isolde, outline)
    await at(isolde, reviewed, "review")
  }, 300_000)
  afterAll(async () => {
    await whole.leave()
    await Effect.runPromise(Scope.close(writersEnd, Exit.void))
  })

  it("continue: a show being written, one being submitted, one under review, a clip and the deadline of a turn", async () => {
    const sessionId = await invite("After midnight")
    await turn(0)
    const second = await turn(1)
    const say = (agent: Agent, scriptText: string) =>
      ask("POST", `/api/shows/sessions/${sessionId}/turns`, agent, { scriptText })
    await say(marlow, "Good evening from the harbour.")
    const cut = async (): Promise<string> =>
      (
        await operate("POST", "clips", {
          segmentId: heardId,
          startSec: 2,
          durationSec: 15,
          title: "A tone",
          reason: "a test"
        })
      ).clip.id
    let clipId = "",
      dueMs = 0
    writer.answer.waits = true
    await killedIn(
      ["plans", "clips"],
      async () => {
        written = await generate(marlow, idea)
        await askUntil(async () => (writer.asked.length === 1 ? true : undefined))
        dueMs = Date.now() + 5_000
        await operate("POST", `sessions/${sessionId}/extend`, {
          turnDue: new Date(dueMs).toISOString(),
          reason: "a test"
        })
        // A waiting production blocks no other.
        assembled = await generate(marlow, outline)
        clipId = await cut()
        await so(
          (sql) =>
            sql`SELECT 1 FROM jobs j, productions p WHERE j.key = ${clipId} AND j.state = 'running' AND p.id = ${assembled} AND p.status = 'assembling'`
        )
      },
      async () => {
        writer.answer.waits = false
        await waitMs(Math.max(0, dueMs - Date.now()))
      }
    )
    expect((await production(isolde, reviewed)).status).toBe("review")
    // A caller that never saw the answer repeats the command, and takes no second turn.
    expect(await turn(1)).toMatchObject({ turnId: second.turnId, status: "submitted" })
    await turn(2)
    await turn(3)
    const said = (await askUntil(async () => {
      const found = await session(panelId)
      return found.status === "ready_to_produce" ? found : undefined
    })) as Body
    expect(said.turns.map(({ scriptText, status }: Body) => [status, scriptText])).toEqual(
      turns.map((line) => ["submitted", line])
    )
    expect(new Set(said.turns.map(({ segmentId }: Body) => segmentId)).size).toBe(turns.length)
    const { participants, turns: late } = (await askUntil(async () => {
      const found = await session(sessionId)
      return found.turns.length === 3 ? found : undefined
    })) as Body
    expect(late.map(({ status, handle }: Body) => [handle, status])).toEqual([
      ["marlow", "submitted"],
      ["isolde", "skipped"],
      ["marlow", "pending"]
    ])
    expect(participants.map(({ missedTurns }: Body) => missedTurns)).toEqual([0, 1])
    expect((await say(marlow, "Then I shall say it myself.")).turn.turnIndex).toBe(2)
    for (const id of [written, assembled]) {
      const { planId } = await at(marlow, id, "rendering", "scheduled")
      expect((await ask("GET", `${shows}/plans/${planId}`, marlow)).plan.status).toBe("approved")
    }
    // The killed process lost one of the two requests.
    expect(writer.asked).toHaveLength(2)
    const again = await cut()
    const clips = await askUntil(async () => {
      const { clips } = await operate("GET", "clips")
      return clips.every(({ status }: Body) => status === "ready") ? (clips as Body) : undefined
    })
    expect(clips.map(({ durationSec, id }: Body) => [id, durationSec])).toEqual([
      [again, 15],
      [clipId, 15]
    ])
    // The same sound, whichever process was killed.
    expect(
      await store((sql) => sql`SELECT 1 FROM clips c JOIN assets a ON a.id = c.asset_id GROUP BY a.pcm_sha256`)
    ).toHaveLength(1)
  }, 300_000)

  it("continue: a plan on the air, scripts being spoken, a panel being produced and a recording being packaged", async () => {
    const replayId = testId("rep", 1)
    await so(
      (sql) =>
        sql`SELECT 1 FROM segments WHERE plan_id = ${planId} HAVING count(*) FILTER (WHERE audio_status = 'ready') = ${lamps.length}`
    )
    const segmentIds: ReadonlyArray<string> = (await ask("GET", `${shows}/plans/${planId}`, marlow)).plan.items.map(
      ({ segmentId }: Body) => segmentId
    )
    let asking: ReturnType<typeof produce> | undefined
    await killedIn(["segments", "replays", "panel_sessions"], async () => {
      // Repeated until it is made, as the answer says: the caller doesn't notice the kill.
      asking = askUntil(produce)
      await store((sql) =>
        Effect.gen(function* () {
          yield* sql`INSERT INTO panel_sessions (id, command_key, show_id, host_agent_id, status, revision, body, created_at) SELECT ${testId("ses", 1)}, 'x', id, host_agent_id, 'stitched', 1, '{}', now() FROM shows WHERE slug = ${showSlug}`
          const atMs = Date.now()
          const replay = Replay.make({
            id: replayId as Replay["id"],
            sessionId: testId("ses", 1) as Replay["sessionId"],
            segmentId: heardId as Replay["segmentId"],
            showSlug,
            title: "A tone",
            topic: "Water",
            description: null,
            durationSec: heardSec,
            participants: [{ handle: "marlow", displayName: "Marlow", role: "host" }],
            turns: [],
            airedAtMs: atMs,
            publishedAtMs: atMs,
            hidden: false
          })
          yield* Effect.provide(
            Effect.flatMap(ReplaysWriter, (replays) => replays.save(replay, atMs)),
            Replays.layer
          )
          yield* sql`INSERT INTO jobs (id, kind, key, payload, state, run_at, created_at) VALUES (${testId("wrk", 1)}, ${PackageReplay.name}, ${replayId}, ${JSON.stringify({ replayId })}::text::jsonb, 'waiting', now(), now())`
        })
      )
      const {
        items: [review]
      } = await operate("GET", "reviews?kind=plan")
      await operate("POST", `reviews/${review.id}/decision`, { decision: "approve", reason: "a test" })
      await so(
        (sql) =>
          sql`SELECT 1 FROM segments s, jobs j WHERE s.audio_status = 'rendering' AND j.key = ${replayId} AND j.state = 'running'`
      )
      await so(
        (sql) => sql`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory' AND query LIKE '%panel_sessions%'`
      )
      await store(
        (sql) =>
          sql`UPDATE plans SET occurrence_start = now() + interval '10 seconds', occurrence_end = now() + interval '5 minutes' WHERE id = ${planId}`
      )
      await askUntil(async () =>
        (await ask("GET", "/api/station/now-playing", marlow)).segment?.id === segmentIds[1] ? true : undefined
      )
      // The clock determines the present item; a kill cuts even the first part as long as its last sample was not sent.
      await askUntil(async () =>
        (await readLoggedRows(whole.station.base, whole.station.operator)).some(
          ({ segmentId }) => segmentId === segmentIds[0]
        )
          ? true
          : undefined
      )
    })
    const made = await asking!
    expect(made.durationSec).toBeGreaterThan(10)
    expect(await produce()).toEqual(made)
    expect((await session(panelId)).status).toBe("stitched")
    const { segments } = await ask("GET", "/api/v1/agents/me/segments?limit=100", marlow)
    expect(segments.flatMap(({ category, id }: Body) => (category === "panel" ? [id] : []))).toEqual([made.segmentId])
    const { airedItems, items } = await askUntil(async () => {
      const found = await ask("GET", `${shows}/plans/${planId}/as-run`, marlow)
      return found.status === "aired" ? (found as Body) : undefined
    })
    expect(items.map(({ aired, complete, reason }: Body) => [aired, complete, reason])).toEqual([
      [true, true, null],
      [false, false, "the station stopped"],
      [true, true, null]
    ])
    expect(airedItems).toBe(2)
    expect(
      await store((sql) => sql`SELECT status FROM segments WHERE plan_id = ${planId} ORDER BY created_at, id`)
    ).toEqual(["aired", "cancelled", "aired"].map((status) => ({ status })))
    const rows = (await readLoggedRows(whole.station.base, whole.station.operator)).filter(
      ({ segmentId }) => segmentId !== null && segmentIds.includes(segmentId)
    )
    expect(rows.map(({ outcome, segmentId }) => [segmentId, outcome])).toEqual(
      segmentIds.map((id, n) => [id, n === 1 ? "cut" : "complete"])
    )
    for (const [agent, id] of [
      [marlow, written],
      [marlow, assembled],
      [isolde, reviewed]
    ] as const)
      expect((await at(agent, id, "scheduled")).segmentIds).toHaveLength(1)
    // One plan for each, and each script once.
    expect((await ask("GET", `${shows}/plans`, marlow)).plans).toHaveLength(3)
    expect(
      await store((sql) => sql`SELECT id FROM segments WHERE agent_id = ${marlow.agentId} AND category = 'show'`)
    ).toHaveLength(lamps.length + 2)
    expect(
      (await production(marlow, written)).outline.every(({ scriptText }: Body) =>
        scriptText.startsWith("Good evening. Here is ")
      )
    ).toBe(true)
    const hlsUrl = await askUntil(
      async () => ((await ask("GET", `/api/replays/${replayId}`, marlow)).replay.hlsUrl as string) ?? undefined
    )
    const playlist = await (await fetch(hlsUrl)).text()
    expect([...playlist.matchAll(/#EXTINF:([\d.]+)/g)].reduce((sum, [, sec]) => sum + Number(sec), 0)).toBeCloseTo(
      heardSec,
      0
    )
    for (const piece of playlist.split("\n").filter((line) => line.endsWith(".ts")))
      expect((await fetch(new URL(piece, hlsUrl))).status).toBe(200)
  }, 300_000)

  it("continue: a docket and a jury at their deadlines, a blog entry being published, a creation and the station's own words", async () => {
    const commons = new CommonsScene(whole, marlow)
    await commons.prepare()
    await killedIn(["council_items", "peer_cases", "blog_entries"], () => commons.begin())
    await commons.expectOnce()
  }, 300_000)
})
