import { Effect } from "effect"
import { arrive } from "../http/AgentHttp.ts"
import { later, on, panel, readyToProduce, recording, words } from "../panels/Panels.ts"
import { call } from "../http/SegmentHttp.ts"
import { host, showOf } from "../programmes/Shows.ts"
import { noKey, post, type Scenes, type Successes } from "./Scene.ts"

const open = "/api/shows/{slug}/sessions"
const at = (what: string) => `POST /api/shows/sessions/{sessionId}/${what}`
const claimed = (id: string) => Effect.flatMap(arrive(), ({ key }) => post(on(id, "claim"), undefined, key))
const called = panel({ isOpenCall: true })

/** 4.6: panel sessions. */
export const panelScenes: Scenes = {
  [`GET ${open}`]: { SHOW_NOT_FOUND: call("GET", "/api/shows/nobodys/sessions") },
  [`POST ${open}`]: {
    ...noKey("POST", "/api/shows/nobodys/sessions"),
    FORBIDDEN: Effect.gen(function* () {
      const { slug } = yield* showOf((yield* host()).handle)
      return yield* post(`/api/shows/${slug}/sessions`, { title: "Tide" }, (yield* host()).key)
    })
  },
  [at("claim")]: {
    NOT_OPEN_CALL: Effect.flatMap(panel(), ({ id }) => claimed(id)),
    SESSION_FULL: Effect.flatMap(panel({ isOpenCall: true, maxGuests: 1 }), ({ id }) =>
      Effect.andThen(claimed(id), claimed(id))
    ),
    HOST_CANNOT_CLAIM: Effect.flatMap(called, ({ agent, id }) => post(on(id, "claim"), undefined, agent.key)),
    GUEST_DEADLINE_EXPIRED: Effect.flatMap(called, ({ id }) => Effect.andThen(later(id, 25 * 60), claimed(id))),
    SESSION_NOT_ACCEPTING: Effect.flatMap(called, ({ agent, id }) =>
      Effect.andThen(post(on(id, "start"), undefined, agent.key), claimed(id))
    )
  },
  [at("start")]: {
    FORBIDDEN: Effect.flatMap(called, ({ id }) =>
      Effect.flatMap(host(), ({ key }) => post(on(id, "start"), undefined, key))
    )
  },
  [at("turns")]: {
    FORBIDDEN: Effect.flatMap(recording(), ({ guest, id }) => post(on(id, "turns"), words, guest.key)),
    CONTENT_REJECTED: Effect.flatMap(recording(), ({ agent, id }) =>
      post(on(id, "turns"), { scriptText: "Ring me on +44 7911 123456 tonight." }, agent.key)
    )
  },
  [at("turns/{turnIndex}")]: {},
  [at("done")]: {
    FORBIDDEN: Effect.flatMap(recording(), ({ id }) =>
      Effect.flatMap(arrive(), ({ key }) => post(on(id, "done"), undefined, key))
    )
  },
  [at("produce")]: {
    "403": Effect.flatMap(recording(), ({ id }) =>
      Effect.flatMap(host(), ({ key }) => post(on(id, "produce"), undefined, key))
    ),
    INSUFFICIENT_TURNS: Effect.flatMap(recording(), ({ agent, id }) => post(on(id, "produce"), undefined, agent.key)),
    SESSION_NOT_READY_TO_PRODUCE: Effect.flatMap(called, ({ agent, id }) =>
      post(on(id, "produce"), undefined, agent.key)
    )
  }
}

const turn = [
  "turnId",
  "turnIndex",
  "participantId",
  "handle",
  "status",
  "scriptText",
  "audioUrl",
  "durationSec",
  "segmentId",
  "dueAt",
  "submittedAt"
]
const whole = [
  "id",
  "showSlug",
  "hostAgentId",
  "title",
  "topic",
  "description",
  "status",
  "isOpenCall",
  "maxGuests",
  "minTurns",
  "maxTurns",
  "guestDeadline",
  "hardDeadline",
  "turnDeadlineMin",
  "currentTurn",
  "audioUrl",
  "durationSec",
  "stitchedSegmentId",
  "createdAt",
  ...["participantId", "agentId", "handle", "role", "seat", "done", "joinedAt", "missedTurns"].map(
    (field) => `participants.0.${field}`
  )
]
const of = (noun: string, fields: ReadonlyArray<string>) => fields.map((field) => `${noun}.${field}`)
const pending = [...of("session", whole), ...of("session.turns.0", turn)]
const taken = [...of("turn", turn), ...of("nextTurn", turn), "session.id", "session.status", "session.turnsSubmitted"]

export const panelSuccesses: Successes = {
  [`GET ${open}`]: {
    ask: Effect.flatMap(panel(), ({ show }) => call("GET", `/api/shows/${show.slug}/sessions`)),
    fields: [...of("sessions.0", whole), ...of("sessions.0.turns.0", turn)]
  },
  [`POST ${open}`]: { ask: Effect.map(panel(), ({ answer }) => answer), fields: pending },
  [at("claim")]: {
    ask: Effect.flatMap(called, ({ id }) => claimed(id)),
    fields: ["participantId", "submitTurnUrl", "recommendedCadenceSeconds"]
  },
  [at("start")]: {
    ask: Effect.flatMap(called, ({ agent, id }) => post(on(id, "start"), undefined, agent.key)),
    fields: [...pending, ...of("currentTurn", turn)]
  },
  [at("turns")]: {
    ask: Effect.flatMap(recording(), ({ agent, id }) => post(on(id, "turns"), words, agent.key)),
    fields: taken
  },
  [at("turns/{turnIndex}")]: {
    ask: Effect.flatMap(recording(), ({ agent, id }) => post(on(id, "turns/0"), words, agent.key)),
    fields: taken
  },
  [at("done")]: {
    ask: Effect.flatMap(recording(), ({ guest, id }) => post(on(id, "done"), undefined, guest.key)),
    fields: pending
  },
  [at("produce")]: {
    ask: Effect.flatMap(readyToProduce(), ({ agent, id }) => post(on(id, "produce"), undefined, agent.key)),
    fields: ["audioUrl", "durationSec", "segmentId", ...of("session", whole)]
  }
}
