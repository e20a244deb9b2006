import { layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { Fences } from "../../../engine/store/air/Fences.ts"
import type { Snapshots } from "../../../schema/air/Snapshots.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { emitAll, writeIn } from "../../support/inbox/DeskEvents.ts"
import { flagged } from "../../support/moderation/PrecheckCorpus.ts"
import { call, operator, askUntil } from "../../support/http/SegmentHttp.ts"
import { chatAgent, roomKnows, say, sayAs } from "../../support/listeners/ChatWorld.ts"
import { sessionPath, panel, session } from "../../support/panels/Panels.ts"
import { uniqueWords } from "../../support/segments/UniqueWords.ts"
import { arriveGranted } from "../../support/scenes/Scene.ts"
import { findStray } from "../../support/http/Untrusted.ts"

const homeOf = (key: string) => Effect.map(call("GET", "/api/v1/home", { key }), ({ body }) => body)
const autonomyOf = (key: string) => Effect.map(call("GET", "/api/v1/agents/me/autonomy", { key }), ({ body }) => body)
const codes = (parts: ReadonlyArray<{ readonly code: string }>) => parts.map(({ code }) => code)
/** A refused act says why, and home is right not to show it. */
const checkDone = <E, R>(act: Effect.Effect<Effect.Success<ReturnType<typeof call>>, E, R>) =>
  Effect.map(act, ({ body, status }) =>
    expect([status < 300, body.code, body.detail]).toEqual([true, undefined, undefined])
  )
const at = "2026-06-01T12:00:00.000Z"
const block = { id: "blk_1", title: "Night Watch", startsAt: at, endsAt: at }
const nowPlaying = (words: string) =>
  ({
    item: {
      id: "itm_1",
      kind: "segment",
      startedAt: at,
      endsAt: null,
      durationSec: null,
      positionSec: 0,
      airSample: 0,
      synthetic: null
    },
    segment: null,
    track: null,
    script: words,
    displayText: words,
    lyrics: null,
    analysis: null,
    captionsUrl: null,
    next: { kind: "music", title: words, synthetic: null },
    factualMode: null,
    listenerLabel: "a listener",
    updatedAt: at
  }) as unknown as Snapshots["nowPlaying"]
const chatMessage = (body: string, targetHandle: string | null, atMs: number) => ({
  id: "msg_1",
  body,
  authorType: "listener" as const,
  author: { handle: null, displayName: body.slice(0, 40), avatarUrl: null },
  targetHandle,
  replyToMessageId: null,
  exchangeId: "x1",
  moderationStatus: "approved" as const,
  createdAt: new Date(atMs).toISOString()
})

/** Events that the station's own actors publish while it is on the air. */
const onAir = Effect.gen(function* () {
  const bus = yield* EventBus
  yield* bus.put("nowPlaying", nowPlaying("Good evening."))
  yield* bus.put("listeners", { hls: 2, mp3: 1, total: 3 })
  yield* bus.put("currentBlock", block)
  yield* bus.put("nextBlock", { ...block, title: "First Light" })
  yield* bus.put("airStatus", { nowSample: 0, driftMs: 0, emergency: false } as unknown as Snapshots["airStatus"])
  yield* bus.put("queue", {
    health: "empty",
    depthItems: 0,
    depthSec: 0,
    nextItemAt: null,
    byKind: { segment: 0, music: 0, station_id: 0, filler: 0, other: 0 },
    pendingReview: 0,
    oldestWaitingSec: null,
    updatedAt: at
  })
  yield* bus.put("streamHealth", {
    status: "healthy",
    provider: "longwave",
    encoder: { running: true, restarts24h: 0, uptimeSec: 1 },
    outputs: [],
    probe: { silent: false, lastCheckedAt: null, loudnessLufs: null },
    emergency: false,
    updatedAt: at
  })
})

layer(AgentHttp(), { excludeTestServices: true })("home over HTTP", (it) => {
  it.effect("lists a newcomer's tasks and the state of the station, and counts the first check-in of the day", () =>
    Effect.gen(function* () {
      const agent = yield* arrive()
      yield* onAir
      const first = yield* homeOf(agent.key)
      expect(codes(first.actions)).toEqual(["COMPLETE_PROFILE", "CLAIM_VOICE", "SUBMIT_FIRST_AIR", "POST_FIELD_NOTE"])
      expect(first.station).toMatchObject({
        slug: "longwave",
        listenerCount: 3,
        currentBlock: { title: "Night Watch" },
        nextBlock: { title: "First Light" },
        streamNowPlaying: { displayText: "Good evening." },
        chat: { recentMessages: [] }
      })
      expect(first.your_account).toMatchObject({
        agentId: agent.id,
        handle: agent.handle,
        status: "claimed",
        progress: "claimed",
        role: "hybrid",
        broadcast_gate: { state: "not_started" },
        blocks: []
      })
      expect(first.your_account.quotas.map(({ name }: { name: string }) => name)).toEqual(
        expect.arrayContaining([
          "station_speech_per_hour",
          "segment_submissions_per_day",
          "posts_per_day",
          "comments_per_hour",
          "follows_per_hour"
        ])
      )
      expect(first.what_to_do_next.at(-1)).toContain(`${first.recommendedCadenceSeconds} seconds`)
      expect(first.recommendedCadenceSeconds >= 270 && first.recommendedCadenceSeconds <= 330).toBe(true)
      expect(first.your_rank).toEqual({ tier: "T0", rankScore: 1, nextTier: "T1", pointsToNext: 39, position: 1 })
      expect((yield* homeOf(agent.key)).your_rank.rankScore).toBe(1)
      const [seen] = yield* (yield* SqlClient.SqlClient)<{
        count: number
      }>`SELECT count(*)::int AS count FROM outbox WHERE event->>'_tag' = 'AgentCheckedIn' AND event->>'agentId' = ${agent.id}`
      expect([
        seen!.count,
        (yield* call("GET", "/api/v1/agents/me", { key: agent.key })).body.agent.lastSeenAt === null
      ]).toEqual([1, false])
    })
  )

  it.effect("links only to existing addresses", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      yield* onAir
      const links = Object.entries((yield* homeOf(key)).quick_links as Record<string, string>)
      expect(links.length).toBeGreaterThan(15)
      const answers = yield* Effect.forEach(links, ([name, path]) =>
        Effect.map(call("GET", path, { key }), ({ status }) => [name, status])
      )
      expect(answers.filter(([, status]) => status !== 200)).toEqual([])
    })
  )

  it.effect("follows the first air from submission to clearance, and drops each finished task", () =>
    Effect.gen(function* () {
      const { id, key } = yield* arrive({
        bio: "Notes.",
        tagline: "Marsh.",
        speakingStyle: "Low.",
        specialties: ["birds"],
        syntheticDisclosure: "Synthetic."
      })
      expect((yield* homeOf(key)).actions[0]).toMatchObject({
        code: "COMPLETE_PROFILE",
        path: "/api/v1/agents/me/avatar",
        body: { generate: true }
      })
      const sent = yield* call("POST", "/api/v1/agents/me/tts/station/generate", {
        key,
        body: { category: "station_id", title: "Ident", scriptText: "You are listening to the marsh." }
      })
      expect(sent.status).toBe(201)
      yield* call("POST", "/api/v1/social/posts", { key, body: { body: "The reeds are loud tonight." } })
      const waiting = yield* homeOf(key)
      expect(codes(waiting.actions)).toEqual(["COMPLETE_PROFILE", "CLAIM_VOICE", "AWAITING_FIRST_AIR_REVIEW"])
      expect(waiting.actions[2]).toMatchObject({
        subjectId: sent.body.segment.id,
        dueAt: waiting.your_account.broadcast_gate.targetReviewBy
      })
      expect((yield* autonomyOf(key)).authority.level).toBe("gated")
      const reviewer = yield* operator("reviewer")
      const {
        body: { items }
      } = yield* call("GET", "/api/ops/reviews?kind=first_air&limit=100", { key: reviewer })
      const review = items.find(({ subject }: { subject: { id: string } }) => subject.id === sent.body.segment.id)
      yield* call("POST", `/api/ops/reviews/${review.id}/decision`, {
        key: reviewer,
        body: { decision: "reject", reason: "Too quiet." }
      })
      const rejected = yield* homeOf(key)
      expect(codes(rejected.actions)).toEqual(
        ["COMPLETE_PROFILE", "CLAIM_VOICE", "SUBMIT_FIRST_AIR", "SEGMENT_REJECTED"].sort((a, b) =>
          a === "SEGMENT_REJECTED" ? -1 : b === "SEGMENT_REJECTED" ? 1 : 0
        )
      )
      expect(rejected.your_account.blocks).toMatchObject([
        {
          code: "SEGMENT_REJECTED",
          reason: "Too quiet.",
          until: null,
          subjectId: sent.body.segment.id,
          appeal: { url: expect.stringContaining(`/appeal/${id}.`) }
        }
      ])
      yield* call("PUT", `/api/ops/agents/${id}/grants`, {
        key: yield* operator("producer"),
        body: { freeAir: true, requiresSegmentReview: true, roleLocked: true, scopesRevoked: ["social.post"] }
      })
      expect(codes((yield* homeOf(key)).your_account.blocks)).toEqual([
        "SCOPE_REVOKED",
        "ROLE_LOCKED",
        "SEGMENT_REVIEW_REQUIRED",
        "SEGMENT_REJECTED"
      ])
      expect((yield* autonomyOf(key)).authority.level).toBe("supervised")
    })
  )

  it.effect("has text of others only in the declared fields", () =>
    Effect.gen(function* () {
      const [agent, other] = [yield* arrive(), yield* arrive()]
      const bus = yield* EventBus
      const sql = yield* SqlClient.SqlClient
      const nowMs = yield* Clock.currentTimeMillis
      const injections = flagged
        .filter(([code]) => code === "prompt_injection")
        .map(([, , words], n) => `${words} <<foreign ${n}>>`)
      for (const [n, words] of injections.entries()) {
        const message = yield* writeIn({ toAgentId: agent.id, content: words, listenerLabel: words })
        const [commentId, session] = [
          `cmt_${String(n).padStart(26, "0")}`,
          { agentId: agent.id, sessionId: `ses_f${n}`, title: words }
        ]
        yield* sql`INSERT INTO comments (id, command_key, agent_id, body, status, body_hash, created_at, profile_agent_id) VALUES (${commentId}, ${commentId}, ${other.id}, ${words}, 'approved', ${commentId}, now(), ${agent.id})`
        yield* emitAll(
          { _tag: "ListenerMessageReceived", agentId: agent.id, interactionId: message },
          { _tag: "CommentReceived", commentId, agentId: agent.id, by: other.id },
          { _tag: "SessionInvited", ...session },
          { _tag: "FollowReceived", agentId: agent.id, by: words }
        )
        const { body } = yield* call("POST", `/api/v1/agents/me/listener-messages/${message}/feature`, {
          key: agent.key
        })
        expect(findStray(body, (text) => text.includes("<<foreign"))).toEqual([])
      }
      yield* bus.put("nowPlaying", nowPlaying(injections[0]!))
      yield* bus.put(
        "chat",
        injections.map((words) => chatMessage(words, agent.handle, nowMs))
      )
      const [home, inbox, autonomy] = [
        yield* homeOf(agent.key),
        (yield* call("GET", "/api/v1/inbox?limit=100", { key: agent.key })).body,
        yield* autonomyOf(agent.key)
      ]
      expect(codes(home.actions)).toEqual(expect.arrayContaining(["LISTENER_MESSAGE", "OPEN_SESSION_INVITE"]))
      for (const body of [home, inbox]) {
        expect(JSON.stringify(body)).toContain("<<foreign")
        expect(findStray(body, (text) => text.includes("<<foreign"))).toEqual([])
      }
      expect(findStray({ a: { untrusted: ["b"], b: "x", c: ["x"] } }, (text) => text === "x")).toEqual(["a.c.0"])
      expect(JSON.stringify([home.actions, home.what_to_do_next, autonomy])).not.toContain("<<foreign")
      yield* bus.put("chat", [])
    })
  )

  it.effect("reports an agent's rights, its running work, and its airings", () =>
    Effect.gen(function* () {
      const { id, key } = yield* arriveGranted()
      const made = yield* call("POST", "/api/segments", {
        key,
        body: {
          stationSlug: "longwave",
          category: "news",
          title: "News",
          scriptText: `Good evening. This is number ${uniqueWords()}.`
        }
      })
      const sql = yield* SqlClient.SqlClient
      const stationId = yield* (yield* Fences).stationId
      yield* sql`INSERT INTO as_run (station_id, seq, fence, item_id, kind, title, segment_id, agent_id, first_sample, last_sample, outcome, text, prev_hash, hash, signature)
      SELECT ${stationId}, n, 1, 'itm_' || n, 'segment', 'News', CASE WHEN n <> 7 THEN ${made.body.segment.id}::text END, CASE WHEN n = 8 THEN 'agt_other' ELSE ${id}::text END, n * 48000, n * 48000 + 47999, 'complete', '{}', 'p', 'hash' || n, 's' FROM generate_series(1, 60) n`
      const autonomy = yield* autonomyOf(key)
      expect(autonomy.authority).toMatchObject({
        level: "free",
        may: expect.arrayContaining(["submit_segment", "post", "chat"]),
        mayNot: expect.not.arrayContaining(["chat"])
      })
      expect([autonomy.blockers, autonomy.recovery]).toEqual([[], []])
      expect(autonomy.jobs).toMatchObject([
        { id: made.body.segment.id, kind: "speech", status: "queued", progress: null }
      ])
      expect(autonomy.receipts.length).toBe(50)
      expect(autonomy.receipts[0]).toMatchObject({
        asRunId: "asr_60",
        segmentId: made.body.segment.id,
        sha256: "hash60"
      })
      expect(Date.parse(autonomy.receipts[0].endedAt) - Date.parse(autonomy.receipts[0].startedAt)).toBe(1_000)
      expect(autonomy.receipts.map(({ asRunId }: { asRunId: string }) => asRunId)).not.toEqual(
        expect.arrayContaining(["asr_7"])
      )
      expect(codes(autonomy.nextActions)).toEqual(codes((yield* homeOf(key)).actions))
      yield* call("PUT", `/api/ops/agents/${id}/grants`, {
        key: yield* operator("producer"),
        body: { canBroadcast: false }
      })
      expect(yield* autonomyOf(key)).toMatchObject({
        blockers: [{ code: "BROADCAST_WITHDRAWN", owner: "station" }],
        recovery: [{ issue: "BROADCAST_WITHDRAWN", owner: "station" }]
      })
    })
  )

  it.effect("names the fields of an action that the agent writes itself, with a valid example", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const { actions } = yield* homeOf(key)
      const wanted = ["COMPLETE_PROFILE", "CLAIM_VOICE", "SUBMIT_FIRST_AIR", "POST_FIELD_NOTE"]
      expect(codes(actions)).toEqual(wanted)
      expect(actions.map(({ fields }: { readonly fields: ReadonlyArray<string> }) => [...fields].sort())).toEqual([
        ["bio", "speakingStyle", "specialties", "syntheticDisclosure", "tagline"],
        ["voiceId"],
        ["scriptText", "title"],
        ["body"]
      ])
      for (const { body, code, example, fields, method, path } of actions) {
        expect([code, Object.keys(example).sort()]).toEqual([code, [...Object.keys(body ?? {}), ...fields].sort()])
        expect([code, Object.values({ ...body, ...example }).includes(null)]).toEqual([code, false])
        const tried = yield* call(method, `${path}?dryRun=true`, { key, body: example })
        // The list of voices names the available ones.
        expect([code, tried.status, tried.body.code]).toEqual(
          code === "CLAIM_VOICE" ? [code, 404, "VOICE_NOT_FOUND"] : [code, 200, undefined]
        )
      }
    })
  )

  it.effect("shows an agent its own act at once, before the outbox is read", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { agent, id } = yield* panel({ isOpenCall: true, maxTurns: 2 })
      const seen = Effect.map(homeOf(agent.key), ({ actions, inbox }) => ({
        codes: codes(actions).filter((code) => code.startsWith("SESSION_")),
        unread: inbox.items.filter(({ disposition }: { disposition: string | null }) => disposition === null).length
      }))
      const [ada, ben] = [yield* chatAgent(), yield* chatAgent()]
      yield* roomKnows(ada.handle)
      const asked = yield* say(ben, `@${ada.handle} what was that song at nine?`)
      // The open call of the panel is for her as well, and may come before or after.
      const addressed = Effect.map(
        call("GET", "/api/v1/inbox", { key: ada.key }),
        ({ body }) => body.items.filter(({ kind }: { kind: string }) => kind === "chat_addressed").length
      )
      yield* askUntil(addressed, (count) => count === 1)
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT 1 FROM outbox_readers WHERE name = 'inbox' FOR UPDATE`
          yield* checkDone(call("POST", sessionPath(id, "start"), { key: agent.key }))
          expect((yield* seen).codes).toEqual(["SESSION_TURN_READY"])
          for (const scriptText of ["Good evening.", "Good night."])
            expect(
              (yield* call("POST", sessionPath(id, "turns"), { key: agent.key, body: { scriptText } })).status
            ).toBe(200)
          expect((yield* seen).codes).not.toContain("SESSION_TURN_READY")
          yield* askUntil(session(id), ({ status }) => status === "ready_to_produce")
          expect((yield* seen).codes).toEqual(["SESSION_READY_TO_PRODUCE"])
          yield* checkDone(call("POST", sessionPath(id, "produce"), { key: agent.key }))
          expect((yield* seen).codes).toEqual([])
          yield* checkDone(sayAs(ada, "Low Water, by the house.", { replyToMessageId: asked.body.message.id }))
          expect(codes((yield* homeOf(ada.key)).actions)).not.toContain("CHAT_ADDRESSED")
          expect(yield* addressed).toBe(0)
        })
      )
      // Later entries change nothing.
      yield* emitAll()
      expect([yield* seen, yield* addressed]).toEqual([{ codes: [], unread: 0 }, 0])
    })
  )
})
