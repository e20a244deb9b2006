import { it } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Fiber, Layer } from "effect"
import { TestRunner } from "effect/cluster"
import { SqlClient } from "effect/sql"
import { describe, expect } from "vitest"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { PanelProduction } from "../../../actors/panels/PanelProduction.ts"
import { settleTurns, turnJobs } from "../../../actors/panels/TurnWorker.ts"
import { VoiceTurn } from "../../../actors/panels/protocol/Jobs.ts"
import { Panel } from "../../../actors/panels/protocol/Panel.ts"
import { addJob } from "../../../actors/runtime/Jobs.ts"
import { workDue } from "../../../actors/runtime/JobWorker.ts"
import { ActorTree } from "../../../actors/runtime/Supervision.ts"
import { VoiceRegisterLive } from "../../../actors/voices/VoiceRegister.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { panelTimeline } from "../../../engine/rules/panels/PanelTimeline.ts"
import { Assets } from "../../../engine/store/sound/Assets.ts"
import { Lore } from "../../../engine/store/lore/Lore.ts"
import { PanelRecordings } from "../../../engine/store/panels/PanelRecordings.ts"
import { Replays } from "../../../engine/store/panels/Replays.ts"
import { Segments, SegmentsWriter } from "../../../engine/store/segments/Segments.ts"
import { ShowsWriter } from "../../../engine/store/programmes/Shows.ts"
import { SoundAccess } from "../../../engine/store/sound/SoundAccess.ts"
import { StandingsWriter } from "../../../engine/store/agents/Standings.ts"
import { Transaction } from "../../../engine/store/sql/Transaction.ts"
import { VoicesWriter } from "../../../engine/store/voices/Voices.ts"
import type { AgentId, AssetId, ParticipantId, SegmentId, SessionId, ShowId, TurnId } from "../../../schema/Ids.ts"
import { PanelSession } from "../../../schema/panels/Panel.ts"
import { ScriptedMusic, ScriptedStitch, StitchScript } from "../../support/panels/PanelDoubles.ts"
import { TestPostgres } from "../../support/sql/Postgres.ts"
import { makeClaimedAgent, askUntil } from "../../support/http/SegmentHttp.ts"
import { ScriptedPrepare, ScriptedSpeech, SpeechScript } from "../../support/media/SpeechDoubles.ts"
import { Stores } from "../../../engine/store/Stores.ts"
import { setSegments } from "../../support/air/Airings.ts"
import { publicView } from "../../../engine/rules/segments/SegmentView.ts"

/** Notifications that panels received. The test removes them, so that they can be sent again. */
class Told extends Context.Service<
  Told,
  {
    readonly news: Array<{ readonly sessionId: string; readonly turnId: string; readonly detail: string | null }>
    deaf: boolean
  }
>()("test/Told") {
  static readonly layer = Layer.sync(Told, () => Told.of({ news: [], deaf: false }))
}
const PanelDouble = Panel.toLayer(
  Effect.gen(function* () {
    const told = yield* Told
    const sql = yield* SqlClient.SqlClient
    const hear = (turnId: string, detail: string | null) =>
      Effect.orDie(
        Effect.gen(function* () {
          if (told.deaf) return yield* Effect.die(new Error("nobody is there"))
          const [row] = yield* sql<{
            id: string
            body: { turns: Array<{ turnId: string; voiced: boolean; unvoiced: string | null }> }
          }>`SELECT id, body FROM panel_sessions WHERE body @> ${JSON.stringify({ turns: [{ turnId }] })}::text::jsonb`
          const turns = row!.body.turns.map((turn) =>
            turn.turnId === turnId ? { ...turn, voiced: detail === null, unvoiced: detail } : turn
          )
          told.news.push({ sessionId: row!.id, turnId, detail })
          yield* sql`UPDATE panel_sessions SET body = ${JSON.stringify({ ...row!.body, turns })}::text::jsonb WHERE id = ${row!.id}`
        })
      )
    return {
      TurnVoiced: ({ payload }: { payload: { turnId: string } }) => hear(payload.turnId, null),
      TurnUnvoiced: ({ payload }: { payload: { turnId: string; detail: string } }) =>
        hear(payload.turnId, payload.detail)
    } as never
  }),
  { disableFatalDefects: true, defectRetryPolicy: { while: () => false } as never }
)
const World = Layer.mergeAll(PanelProduction.layer, VoiceRegisterLive, PanelDouble).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      Stores,
      ScriptedSpeech,
      ScriptedPrepare,
      ScriptedStitch,
      ScriptedMusic,
      EventBus.layer,
      IdSource.layer,
      ActorTree.layer,
      TestRunner.layer
    )
  ),
  Layer.provideMerge(
    Layer.mergeAll(
      SpeechScript.layer,
      StitchScript.layer,
      Told.layer,
      TestPostgres,
      StationConfig.fromEnvironment({ PUBLIC_URL: "http://radio.test" })
    )
  )
)
const lines = [
  "Tonight we look for the Copper Kettle. Who has seen it?",
  "I saw the Copper Kettle by the quay.",
  "Then the Copper Kettle is gone. Good night."
]
/** A panel with all its turns, as its actor stores it: host, guest, host. */
const recorded = Effect.fnUntraced(function* (
  over: { readonly cleared?: boolean; readonly said?: ReadonlyArray<string> } = {}
) {
  const ids = yield* IdSource
  const sql = yield* SqlClient.SqlClient
  const nowMs = yield* Clock.currentTimeMillis
  const id = <Id extends string>(prefix: string) => Effect.map(ids.make(prefix), (made) => made as Id)
  const [host, guest] = [
    yield* makeClaimedAgent({ displayName: "Ada Bell" }),
    yield* makeClaimedAgent({ displayName: "Bo Lamb" })
  ]
  for (const agent of over.cleared === false ? [host] : [host, guest]) {
    yield* (yield* StandingsWriter).saveGate(agent.id as AgentId, {
      state: "cleared",
      rejections: 0,
      segmentId: null,
      submittedAtMs: null,
      reviewedAtMs: null,
      reason: null
    })
  }
  const show = yield* (yield* ShowsWriter).add({
    id: yield* id<ShowId>("show"),
    wantedSlug: `kettle-${host.handle}`,
    title: "Kettle Talk",
    tagline: null,
    description: null,
    format: "panel",
    audience: null,
    genres: [],
    hostAgentId: host.id as AgentId,
    status: "active",
    blockId: null,
    reservedVoiceIds: [],
    createdAtMs: nowMs
  })
  const seats = yield* Effect.forEach([host, guest], (agent, seat) =>
    Effect.map(id<ParticipantId>("part"), (participantId) => ({
      participantId,
      agentId: agent.id as AgentId,
      handle: agent.handle,
      role: seat === 0 ? ("host" as const) : ("guest" as const),
      seat,
      done: false,
      invited: false,
      joinedAtMs: nowMs,
      missedTurns: 0,
      missedInARow: 0
    }))
  )
  const turns = yield* Effect.forEach(over.said ?? lines, (scriptText, turnIndex) =>
    Effect.gen(function* () {
      return {
        turnId: yield* id<TurnId>("turn"),
        turnIndex,
        participantId: seats[turnIndex % 2]!.participantId,
        status: "submitted" as const,
        commandKey: `k${turnIndex}`,
        scriptText,
        segmentId: yield* id<SegmentId>("seg"),
        durationSec: null,
        assetId: null,
        voiced: false,
        unvoiced: null,
        dueAtMs: nowMs,
        submittedAtMs: nowMs
      }
    })
  )
  const title = `The missing kettle of ${host.handle}`
  const session = PanelSession.make({
    id: yield* id<SessionId>("ses"),
    showId: show.id,
    showSlug: show.slug,
    hostAgentId: host.id as AgentId,
    title,
    topic: "kettles",
    description: null,
    status: "ready_to_produce",
    statusReason: null,
    isOpenCall: false,
    maxGuests: 3,
    minTurns: 2,
    maxTurns: 3,
    guestDeadlineMs: null,
    hardDeadlineMs: nowMs + 3_600_000,
    turnDeadlineMin: 60,
    participants: seats,
    turns,
    closedAtMs: nowMs,
    durationSec: null,
    assetId: null,
    stitchedSegmentId: null,
    createdAtMs: nowMs,
    revision: 1
  })
  yield* sql`INSERT INTO panel_sessions (id, command_key, show_id, host_agent_id, status, revision, body, created_at)
    VALUES (${session.id}, ${session.id}, ${show.id}, ${host.id}, 'ready_to_produce', 1, ${JSON.stringify(session)}::text::jsonb, now())`
  for (const [index, turn] of turns.entries()) {
    const agent = seats[index % 2]!
    yield* (yield* SegmentsWriter).add({
      id: turn.segmentId,
      origin: `panel_turn:${turn.turnId}`,
      agentId: agent.agentId,
      handle: agent.handle,
      displayName: agent.handle,
      lane: "station",
      agentShowId: null,
      topicIds: [],
      category: "panel_turn",
      title: `turn ${index}`,
      scriptText: turn.scriptText,
      displayText: turn.scriptText,
      bodyHash: turn.turnId,
      status: "queued",
      statusReason: "NO_AUDIO",
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
      wordCount: 9,
      loudnessLufs: null,
      scheduledForMs: null,
      sessionId: session.id,
      createdAtMs: nowMs + index
    })
    yield* addJob(VoiceTurn, {
      key: turn.segmentId,
      payload: { segmentId: turn.segmentId, sessionId: session.id },
      runAtMs: nowMs - turns.length + index
    })
  }
  return { session, host, guest, show, turns }
})
const segmentsOf = (turns: ReadonlyArray<{ readonly segmentId: SegmentId }>) =>
  Effect.flatMap(Segments, (segments) =>
    Effect.forEach(turns, ({ segmentId }) => Effect.map(segments.find(segmentId), (found) => found!))
  )
/** Runs all due jobs of panels' turns. */
const turnRound = Effect.andThen(workDue(turnJobs), settleTurns())
/** Moves the time of the next try into the past. */
const later = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`UPDATE jobs SET run_at = to_timestamp(0) WHERE kind = ${VoiceTurn.name}`
)
const triesAt = ({ segmentId }: { readonly segmentId: SegmentId }) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`SELECT tries FROM jobs WHERE kind = ${VoiceTurn.name} AND key = ${segmentId}`
  )
const state = Effect.fnUntraced(function* (session: PanelSession, status: string, sec: number | null) {
  const sql = yield* SqlClient.SqlClient
  const own = sql`session_id = ${session.id} AND category = 'panel'`
  if (status === "aired") yield* setSegments(own, "aired", { atMs: sec === null ? null : Date.now() - sec * 1000 })
  else yield* sql`UPDATE segments SET status = ${status}, status_changed_at = now() WHERE ${own}`
})
describe("a panel", () => {
  it.layer(World, { excludeTestServices: true })("from its turns to the queue", (it) => {
    it.effect("gets one voice per agent, on PRIMARY, reported once and never changed", () =>
      Effect.gen(function* () {
        const { guest, session, turns } = yield* recorded()
        const [script, told] = [yield* SpeechScript, yield* Told]
        yield* (yield* VoicesWriter).claim("voice_cleo", guest.id as AgentId, 0)
        yield* turnRound
        const made = yield* segmentsOf(turns)
        expect(made.map(({ audioStatus, engine, status, voiceId }) => [audioStatus, engine, status, voiceId])).toEqual([
          ["ready", "PRIMARY", "queued", "voice_shared"],
          ["ready", "PRIMARY", "queued", "voice_cleo"],
          ["ready", "PRIMARY", "queued", "voice_shared"]
        ])
        expect(script.asked.filter(({ text }) => lines.includes(text)).map(({ role }) => role)).toEqual([
          "PRIMARY",
          "PRIMARY",
          "PRIMARY"
        ])
        expect(told.news.filter(({ sessionId }) => sessionId === session.id)).toEqual(
          turns.map(({ turnId }) => ({ sessionId: session.id, turnId, detail: null }))
        )
        const asked = script.asked.length
        yield* turnRound
        expect([
          script.asked.length,
          (yield* segmentsOf(turns)).map(({ assetId }) => assetId),
          told.news.filter(({ sessionId }) => sessionId === session.id).length
        ]).toEqual([asked, made.map(({ assetId }) => assetId), 3])
        // A process that finishes later finds the sound already made.
        expect(
          yield* (yield* SegmentsWriter).addSound(
            turns[0]!.segmentId,
            {
              assetId: "mas_other" as AssetId,
              bedAssetId: null,
              durationSec: 1,
              engine: "PRIMARY",
              voiceId: "v",
              bedStatus: "not_selected",
              bedTrackId: null,
              loudnessLufs: -16
            },
            0
          )
        ).toBe(null)
      })
    )

    it.effect("continues after a process died at one of its turns, and hears of turns stored elsewhere", () =>
      Effect.gen(function* () {
        const { session, turns } = yield* recorded()
        const [segments, sql, told] = [yield* SegmentsWriter, yield* SqlClient.SqlClient, yield* Told]
        yield* segments.markRendering(turns[0]!.segmentId, yield* Clock.currentTimeMillis)
        yield* sql`UPDATE jobs SET state = 'running', worker = 'wkr_killed', tries = 1, run_at = now() + interval '1 hour' WHERE key = ${turns[0]!.segmentId}`
        told.deaf = true
        yield* turnRound
        // The job that another worker holds is left alone until its lease ends.
        expect((yield* segmentsOf(turns)).map(({ audioStatus }) => audioStatus)).toEqual([
          "rendering",
          "ready",
          "ready"
        ])
        yield* later
        yield* turnRound
        expect((yield* segmentsOf(turns)).map(({ audioStatus }) => audioStatus)).toEqual(["ready", "ready", "ready"])
        expect(told.news.some(({ sessionId }) => sessionId === session.id)).toBe(false)
        told.deaf = false
        yield* turnRound
        expect(told.news.filter(({ sessionId }) => sessionId === session.id).length).toBe(3)
      })
    )

    it.effect("waits while the engines are busy, retries its turns later, and gives up after the last try", () =>
      Effect.gen(function* () {
        const { session, turns } = yield* recorded({ said: ["One turn."] })
        const [script, told] = [yield* SpeechScript, yield* Told]
        script.fault = "busy"
        for (let i = 0; i < 6; i++) yield* Effect.andThen(later, turnRound)
        expect((yield* segmentsOf(turns)).map(({ audioStatus, status }) => [audioStatus, status])).toEqual([
          ["none", "queued"]
        ])
        expect(yield* triesAt(turns[0]!)).toEqual([{ tries: 0 }])
        script.fault = "crashes"
        yield* Effect.andThen(later, turnRound)
        yield* turnRound
        expect(yield* triesAt(turns[0]!)).toEqual([{ tries: 1 }])
        for (let i = 0; i < 3; i++) yield* Effect.andThen(later, turnRound)
        script.fault = "none"
        expect(
          (yield* segmentsOf(turns)).map(({ audioStatus, status, statusReason }) => [audioStatus, status, statusReason])
        ).toEqual([["failed", "failed", "AUDIO_IMPOSSIBLE"]])
        expect(told.news.filter(({ sessionId }) => sessionId === session.id).map(({ detail }) => detail)).toEqual([
          "AUDIO_IMPOSSIBLE"
        ])
        expect(yield* Effect.flip((yield* PanelProduction).produce(session))).toMatchObject({ _tag: "Unvoiced" })
      })
    )

    it.effect("lists its turns in order with its speakers, the same for repeated and concurrent requests", () =>
      Effect.gen(function* () {
        const { session, turns } = yield* recorded()
        yield* turnRound
        const production = yield* PanelProduction
        const [script, speech] = [yield* StitchScript, yield* SpeechScript]
        const [first, second] = yield* Effect.all([production.produce(session), production.produce(session)], {
          concurrency: 2
        })
        expect([second, yield* production.produce(session)]).toEqual([first, first])
        expect([script.asked.length, first.assetId, first.bedStatus, first.loudnessLufs]).toEqual([
          1,
          `mas_${session.id.slice(4)}`,
          "used",
          -16.1
        ])
        expect(
          speech.asked.some(
            ({ text, voiceId }) => text === `${session.title}. With Ada Bell and Bo Lamb.` && voiceId === "voice_house"
          )
        ).toBe(true)
        const heard = { samples: 4 * 48_000, lufs: -16 }
        const timeline = panelTimeline({
          sting: heard,
          bed: heard,
          intro: heard,
          turns: turns.map(({ participantId, turnId }) => ({ turnId, participantId, ...heard }))
        })
        expect(
          first.turns.map(({ durationSec, handle, startSec, turnId }) => ({ durationSec, handle, startSec, turnId }))
        ).toEqual(
          timeline.parts
            .filter(({ what }) => what === "turn")
            .map(({ atSample, turnId }, i) => ({
              turnId,
              startSec: Math.round(atSample / 48) / 1_000,
              durationSec: 4,
              handle: session.participants[i % 2]!.handle
            }))
        )
        expect([first.durationSec, (yield* (yield* Assets).find(first.assetId))!.lengthSamples]).toEqual([
          Math.round(timeline.samples / 48) / 1_000,
          timeline.samples
        ])
      })
    )

    it.effect(
      "waits for the last voice, continues without the requester, and restarts after a full disk or a crash",
      () =>
        Effect.gen(function* () {
          const { session } = yield* recorded()
          const production = yield* PanelProduction
          const script = yield* StitchScript
          const before = script.asked.length
          const impatient = yield* Effect.forkChild(production.produce(session))
          yield* Effect.sleep("20 millis")
          yield* Fiber.interrupt(impatient)
          script.fault = "disk_full"
          yield* turnRound
          expect(yield* Effect.flip(production.produce(session))).toMatchObject({ _tag: "VoicingBusy" })
          expect(yield* (yield* PanelRecordings).find(session.id)).toBe(null)
          // Another process, after the first one was killed during its work.
          script.fault = "hangs"
          const killed = yield* Layer.build(Layer.fresh(PanelProduction.layer)).pipe(
            Effect.flatMap((context) => Context.get(context, PanelProduction).produce(session)),
            Effect.scoped,
            Effect.forkChild
          )
          yield* askUntil(
            Effect.sync(() => script.asked.length),
            (asked) => asked === before + 2
          )
          yield* Fiber.interrupt(killed)
          script.fault = "none"
          const made = yield* production.produce(session)
          const pieces = script.asked.slice(before).map(({ id, pieces, samples }) => ({
            id,
            samples,
            of: pieces.map(({ atSample, fromSample, samples }) => [atSample, fromSample, samples])
          }))
          expect([pieces.length, pieces[1], pieces[2], made.assetId]).toEqual([
            3,
            pieces[0],
            pieces[0],
            `mas_${session.id.slice(4)}`
          ])
        })
    )

    it.effect("leaves out removed turns, and works without music", () =>
      Effect.gen(function* () {
        const { session, turns } = yield* recorded()
        yield* turnRound
        yield* (yield* SegmentsWriter).move(turns[1]!.segmentId, {
          from: ["queued"],
          to: "held",
          reason: "an operator",
          atMs: 0
        })
        const script = yield* StitchScript
        script.music = "fails"
        const made = yield* (yield* PanelProduction).produce(session)
        script.music = "plays"
        expect([made.bedStatus, made.turns.map(({ turnIndex }) => turnIndex)]).toEqual(["source_unavailable", [0, 2]])
      })
    )

    it.effect("stores its results once: a segment that may air, a waiting replay, and its lore", () =>
      Effect.gen(function* () {
        const { host, session, show } = yield* recorded()
        yield* turnRound
        const { enter, produce } = yield* PanelProduction
        const { run } = yield* Transaction
        const made = yield* produce(session)
        const segments = yield* Segments
        expect(
          Exit.isFailure(
            yield* Effect.exit(
              run(Effect.andThen(enter(session, made), Effect.die(new Error("the state was not saved"))))
            )
          )
        ).toBe(true)
        const id = `seg_${session.id.slice(4)}`
        expect([
          yield* segments.find(id),
          yield* (yield* Replays).findBySession(session.id),
          (yield* (yield* Lore).list({
            limit: 20,
            cursor: null,
            category: null,
            topic: show.slug,
            q: null,
            status: ["proposed"],
            operational: false
          }))!.records
        ]).toEqual([null, null, []])
        expect([yield* run(enter(session, made)), yield* run(enter(session, made))]).toEqual([id, id])
        expect(yield* segments.find(id)).toMatchObject({
          agentId: host.id,
          category: "panel",
          status: "queued",
          sessionId: session.id,
          planId: null,
          audioStatus: "ready",
          assetId: made.assetId,
          bedStatus: "used",
          durationSec: made.durationSec,
          title: session.title,
          displayText: `Ada Bell: ${lines[0]}\n\nBo Lamb: ${lines[1]}\n\nAda Bell: ${lines[2]}`
        })
        expect(yield* (yield* Replays).findBySession(session.id)).toMatchObject({
          segmentId: id,
          publishedAtMs: null,
          hidden: false,
          turns: made.turns,
          participants: [
            { displayName: "Ada Bell", role: "host" },
            { displayName: "Bo Lamb", role: "guest" }
          ]
        })
        const lore = yield* Lore
        const found = (yield* lore.list({
          limit: 20,
          cursor: null,
          category: null,
          topic: show.slug.toUpperCase(),
          q: null,
          status: ["proposed"],
          operational: false
        }))!.records
        expect(
          found.map(({ category, proposedBy, references, title }) => [
            category,
            title,
            proposedBy?.handle,
            references.map((one) => one.id)
          ])
        ).toEqual(expect.arrayContaining([["moment", session.title, host.handle, [session.id, id]]]))
        const [kettle] = (yield* lore.list({
          limit: 20,
          cursor: null,
          category: "recurring_bit",
          topic: null,
          q: "copper kettle",
          status: ["proposed"],
          operational: false
        }))!.records
        // It becomes a mention once it was heard.
        expect([kettle!.title, kettle!.mentionCount]).toEqual(["Copper Kettle", 0])
        yield* state(session, "aired", 0)
        expect(yield* lore.find(kettle!.id)).toMatchObject({
          entry: { mentionCount: 1 },
          mentions: [{ segmentId: id, excerpt: "Tonight we look for the Copper Kettle." }],
          versions: [{ version: 1, title: "Copper Kettle" }],
          mergeLinks: []
        })
        // The entry is a proposal with an open review.
        expect(
          yield* (yield* SqlClient.SqlClient)`SELECT kind, status FROM reviews WHERE subject_type = 'lore' AND subject_id = ${kettle!.id}`
        ).toEqual([{ kind: "lore", status: "open" }])
        // Another panel that returns to it adds no second entry.
        const again = yield* recorded()
        yield* turnRound
        yield* run(enter(again.session, yield* produce(again.session)))
        expect(
          (yield* lore.list({
            limit: 20,
            cursor: null,
            category: "recurring_bit",
            topic: null,
            q: "copper kettle",
            status: ["proposed"],
            operational: false
          }))!.records.length
        ).toBe(1)
      })
    )

    it.effect("needs a listening review if one of its members has no cleared first air", () =>
      Effect.gen(function* () {
        const { session } = yield* recorded({ cleared: false })
        yield* turnRound
        const { enter, produce } = yield* PanelProduction
        const id = yield* Effect.flatMap(produce(session), (made) =>
          Effect.flatMap(Transaction, ({ run }) => run(enter(session, made)))
        )
        expect(yield* (yield* Segments).find(id)).toMatchObject({
          status: "pending_review",
          statusReason: "SEGMENT_REVIEW"
        })
        expect(
          (yield* (yield* SqlClient.SqlClient)`SELECT 1 FROM reviews WHERE subject_id = ${id} AND status = 'open' AND kind = 'segment'`)
            .length
        ).toBe(1)
      })
    )

    it.effect("needs a listening review if a turn was removed after the production", () =>
      Effect.gen(function* () {
        const { session, turns } = yield* recorded()
        yield* turnRound
        const { enter, produce } = yield* PanelProduction
        const made = yield* produce(session)
        yield* (yield* SegmentsWriter).move(turns[2]!.segmentId, {
          from: ["queued"],
          to: "held",
          reason: "an operator",
          atMs: 0
        })
        const id = yield* Effect.flatMap(Transaction, ({ run }) => run(enter(session, made)))
        expect((yield* (yield* Segments).find(id))!.status).toBe("pending_review")
      })
    )

    it.effect("ends its turns with it: aired, cut, or not aired", () =>
      Effect.gen(function* () {
        const { enter, produce } = yield* PanelProduction
        const { run } = yield* Transaction
        const panels = yield* Effect.forEach(["aired", "cut", "cancelled", "rejected"] as const, (how) =>
          Effect.map(recorded(), (panel) => ({ how, ...panel }))
        )
        yield* turnRound
        const recordings = yield* Effect.forEach(panels, ({ session }) =>
          Effect.tap(produce(session), (made) => run(enter(session, made)))
        )
        const cutAt = recordings[1]!.turns[1]!.startSec + 1
        for (const [i, { how, session }] of panels.entries())
          yield* state(
            session,
            how === "cut" ? "aired" : how,
            how === "aired" ? recordings[i]!.durationSec : how === "cut" ? cutAt : null
          )
        yield* turnRound
        const ends = yield* Effect.forEach(panels, ({ turns }) =>
          Effect.map(segmentsOf(turns), (found) =>
            found.map(({ airedCompletely, status, statusReason }) => [status, airedCompletely, statusReason])
          )
        )
        expect(ends).toEqual([
          [
            ["aired", true, null],
            ["aired", true, null],
            ["aired", true, null]
          ],
          [
            ["aired", true, null],
            ["aired", false, null],
            ["expired", null, "NOT_HEARD"]
          ],
          [
            ["cancelled", null, "PANEL_NOT_AIRED"],
            ["cancelled", null, "PANEL_NOT_AIRED"],
            ["cancelled", null, "PANEL_NOT_AIRED"]
          ],
          [
            ["queued", null, null],
            ["queued", null, null],
            ["queued", null, null]
          ]
        ])
        yield* (yield* SqlClient.SqlClient)`UPDATE segments SET status_changed_at = now() - interval '11 minutes' WHERE session_id = ${panels[3]!.session.id} AND category = 'panel'`
        yield* turnRound
        expect((yield* segmentsOf(panels[3]!.turns)).map(({ status }) => status)).toEqual([
          "cancelled",
          "cancelled",
          "cancelled"
        ])
        const [panel, first] = [
          (yield* (yield* Segments).find(`seg_${panels[0]!.session.id.slice(4)}`))!,
          (yield* segmentsOf(panels[0]!.turns))[0]!
        ]
        expect(first.airedAtMs! - panel.airedAtMs!).toBeCloseTo(recordings[0]!.turns[0]!.startSec * 1_000, -1)
        // A turn is taken down with its panel.
        const isOpen = Effect.map((yield* SoundAccess).reach(first.assetId!), (reach) => reach!.everybody)
        expect([yield* isOpen, publicView(first, null, null, { slug: "s", publicUrl: "u" })]).toEqual([true, null])
        yield* (yield* SegmentsWriter).hide(panel.id, { hidden: true, reason: "an operator", atMs: 0 })
        expect(yield* isOpen).toBe(false)
      })
    )
  })
})
