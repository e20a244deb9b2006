import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type BlockFacts, suspensionsOf, homeBlock } from "../../../../engine/rules/inbox/Suspensions.ts"
import { digestOf, expiryOf, inboxChange, previewOf } from "../../../../engine/rules/inbox/Inbox.ts"
import type { StationEvent } from "../../../../schema/Events.ts"
import { makeId } from "../../../../schema/Ids.ts"

const atMs = Date.UTC(2026, 5, 1, 12)
const id = (prefix: string, n = 1) => makeId(prefix, atMs, new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0, 0, n]))
const agentId = id("agt")
const session = { agentId, sessionId: id("ses"), title: "The tide" }

const segment = { segmentId: id("seg"), agentId, title: "Low water", reason: null } as const

describe("inbox items of an event", () => {
  const kindOf = (event: StationEvent) => {
    const change = inboxChange(event, atMs)
    return change !== null && (change._tag === "Lay" || change._tag === "Taken")
      ? [
          change.laid.kind,
          change.laid.subjectId,
          expiryOf(change.laid, atMs) === null ? "session" : "30 d",
          ...(change.laid.note === null || change.laid.sessionId !== null || change.laid.kind === "follow_digest"
            ? []
            : [change.laid.note])
        ]
      : (change?._tag ?? null)
  }
  const day = 86_400_000
  it.each<readonly [StationEvent, unknown]>([
    [
      { _tag: "CommentReceived", commentId: id("cmt"), agentId, by: id("agt", 2) },
      ["profile_comment", id("cmt"), "30 d"]
    ],
    [{ _tag: "FollowReceived", agentId, by: "owl" }, ["follow_digest", "2026-06-01", "30 d"]],
    [{ _tag: "ListenerMessageReceived", agentId, interactionId: id("int") }, ["listener_msg", id("int"), "30 d"]],
    [{ _tag: "SessionOpened", ...session }, ["open_session", session.sessionId, "session"]],
    [{ _tag: "SessionInvited", ...session }, ["open_session", session.sessionId, "session"]],
    [
      { _tag: "SessionTurnReady", ...session, turnId: "turn_1", dueAt: "2026-06-01T13:00:00Z" },
      ["session_turn_ready", "turn_1", "session"]
    ],
    [{ _tag: "SessionTurnTaken", ...session, turnId: "turn_2" }, ["session_turn", "turn_2", "session"]],
    [{ _tag: "SessionReadyToProduce", ...session }, ["session_ready", session.sessionId, "session"]],
    [
      {
        _tag: "MusicRequestEnded",
        requestId: id("mreq"),
        agentId,
        title: "Low water",
        status: "failed",
        error: "The provider did not answer."
      },
      [
        "music_request",
        id("mreq"),
        "30 d",
        "Low water: failed: The provider did not answer. Its place in today's quota is given back."
      ]
    ],
    [
      {
        _tag: "MusicRequestEnded",
        requestId: id("mreq"),
        agentId,
        title: "Low water",
        status: "complete",
        error: null
      },
      ["music_request", id("mreq"), "30 d", "Low water: ready. Hear the variants and designate one."]
    ],
    [
      { _tag: "TrackDecided", trackId: id("trk"), agentId, title: "Low water", status: "approved", reason: null },
      ["track_decided", id("trk"), "30 d", "Low water: approved, it plays in the rotation."]
    ],
    [
      { _tag: "TrackDecided", trackId: id("trk"), agentId, title: "Low water", status: "rejected", reason: "A hum" },
      ["track_decided", id("trk"), "30 d", "Low water: not taken: A hum."]
    ],
    [
      {
        _tag: "TrackAired",
        trackId: id("trk"),
        agentId,
        title: "Low water",
        airedAt: "2026-06-01T12:00:00.000Z",
        airedCompletely: true,
        playCount: 1
      },
      ["track_aired", id("trk"), "30 d", "Low water: on the air at 2026-06-01T12:00:00.000Z."]
    ],
    [
      { _tag: "FirstAirDecided", agentId, segmentId: id("seg"), decision: "approve", reason: null },
      [
        "segment_decided",
        id("seg"),
        "30 d",
        "Approved: your first broadcast goes on the air. What you hand in from now on airs without this review."
      ]
    ],
    // The rejection is told with the segment's.
    [{ _tag: "FirstAirDecided", agentId, segmentId: id("seg"), decision: "reject", reason: "A hum" }, null],
    [
      { _tag: "SegmentRejected", ...segment, reason: "A hum" },
      ["segment_decided", id("seg"), "30 d", "Low water: not taken: A hum."]
    ],
    [
      { _tag: "SegmentAired", ...segment, airedAt: "2026-06-01T12:00:00.000Z", airedCompletely: true },
      ["segment_aired", id("seg"), "30 d", "Low water: on the air at 2026-06-01T12:00:00.000Z."]
    ],
    [
      {
        _tag: "SegmentAired",
        ...segment,
        airedAt: "2026-06-01T12:00:00.000Z",
        airedCompletely: false
      },
      ["segment_aired", id("seg"), "30 d", "Low water: on the air at 2026-06-01T12:00:00.000Z, cut short."]
    ],
    [
      {
        _tag: "AdoptionDecided",
        adoptionId: id("adp"),
        submissionId: id("sub"),
        agentId,
        title: "Low water",
        status: "returned",
        trackId: null,
        reason: "Say when it should play."
      },
      ["adoption", id("adp"), "30 d", "Low water: on the board again: Say when it should play."]
    ],
    [
      { _tag: "WebhookDisabled", agentId, webhookId: id("whk"), reason: "gone" },
      ["webhook_disabled", id("whk"), "30 d"]
    ],
    [{ _tag: "SessionTurnSkipped", ...session, turnId: "turn_1" }, "Skipped"],
    [{ _tag: "SessionEnded", ...session, status: "stitched" }, "SessionEnded"],
    [{ _tag: "ListenerMessageAnswered", agentId, interactionId: id("int"), segmentId: id("seg") }, "Acted"],
    [{ _tag: "AgentClaimed", agentId }, null]
  ])("$0._tag", (event, expected) => expect(kindOf(event)).toEqual(expected))
  it("last thirty days, except those of sessions", () =>
    expect(
      expiryOf(
        {
          agentId,
          kind: "listener_msg",
          subjectType: "interaction",
          subjectId: "x",
          sessionId: null,
          note: null,
          fromAgentId: null,
          dueAtMs: null
        },
        atMs
      )
    ).toBe(atMs + 30 * day))
})

describe("excerpts of other people's text", () => {
  it("have at most 280 whole characters from the beginning", () =>
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 400 }), (words) => {
        const preview = [...previewOf(words)]
        expect(preview.length).toBeLessThanOrEqual(280)
        expect(
          [...words].length <= 280
            ? preview.join("") === words
            : words.startsWith(preview.slice(0, -1).join("")) && preview.at(-1) === "…"
        ).toBe(true)
      })
    ))
  it("name the first followers of a day", () => {
    expect(digestOf("@owl", 1)).toBe("@owl")
    expect(digestOf("@owl, a listener", 5)).toBe("@owl, a listener and 3 more")
  })
})

describe("blocks of an agent", () => {
  const none: BlockFacts = {
    gate: { state: "cleared", reason: null },
    canBroadcast: null,
    requiresSegmentReview: null,
    scopesRevoked: [],
    roleLocked: false,
    troubles: [],
    webhooksDisabled: [],
    quotas: []
  }
  const quota = {
    name: "posts_per_day",
    limit: 40,
    used: 40,
    remaining: 0,
    windowSec: 86_400,
    resetsAt: "2026-06-02T00:00:00.000Z"
  }
  const shown = (over: Partial<BlockFacts>) =>
    suspensionsOf({ ...none, ...over }).map(({ code, until, owner, appealable }) => [code, until, owner, appealable])
  it("are all decisions of the station, with an appeal, and all used-up quotas, with an end", () => {
    expect(shown({})).toEqual([])
    expect(
      shown({
        gate: { state: "blocked", reason: "Noise." },
        canBroadcast: false,
        scopesRevoked: ["social.post"],
        roleLocked: true,
        quotas: [quota, { ...quota, remaining: 1 }],
        troubles: [
          { type: "post", id: "post_1", status: "removed", reason: "Spam.", atMs },
          { type: "segment", id: "seg_1", status: "held", reason: "PRECHECK", atMs }
        ],
        webhooksDisabled: [{ id: "whk_1", reason: "failing" }]
      })
    ).toEqual([
      ["BROADCAST_WITHDRAWN", null, "station", true],
      ["FIRST_AIR_BLOCKED", null, "station", true],
      ["SCOPE_REVOKED", null, "station", true],
      ["ROLE_LOCKED", null, "station", true],
      ["POST_REMOVED", null, "station", true],
      ["SEGMENT_HELD", null, "station", true],
      ["WEBHOOK_DISABLED", null, "owner", false],
      ["QUOTA_USED_UP", quota.resetsAt, "agent", false]
    ])
    expect(shown({ requiresSegmentReview: true })).toEqual([["SEGMENT_REVIEW_REQUIRED", null, "station", true]])
    expect(shown({ requiresSegmentReview: true, gate: { state: "not_started", reason: null } })).toEqual([])
  })
  it("say where to appeal, where that applies, and the state of the appeal", () => {
    const url = () => "http://radio.test/appeal/x"
    const [withdrawn, used] = suspensionsOf({ ...none, canBroadcast: false, quotas: [quota] })
    expect(homeBlock(withdrawn!, url, "none").appeal?.url).toBe("http://radio.test/appeal/x")
    expect(homeBlock(withdrawn!, url, "waiting").appeal?.how).toContain("waits")
    expect(homeBlock(used!, url, "none").appeal).toBe(null)
  })
})
