import { Effect } from "effect"
import { arrive } from "../http/AgentHttp.ts"
import {
  moveDeadlinesEarlier,
  sessionPath,
  panel,
  makeReadyToProduce,
  startRecording,
  words
} from "../panels/Panels.ts"
import { call } from "../http/SegmentHttp.ts"
import { host, showOf } from "../programmes/Shows.ts"
import { callWithoutKey, post, type Scenes, type Successes } from "./Scene.ts"

const open = "/api/shows/{slug}/sessions"
const routeOf = (what: string) => `POST /api/shows/sessions/{sessionId}/${what}`
const claimSeat = (id: string) => Effect.flatMap(arrive(), ({ key }) => post(sessionPath(id, "claim"), undefined, key))
const called = panel({ isOpenCall: true })

/** 4.6: panel sessions. */
export const panelScenes: Scenes = {
  [`GET ${open}`]: { SHOW_NOT_FOUND: call("GET", "/api/shows/nobodys/sessions") },
  [`POST ${open}`]: {
    ...callWithoutKey("POST", "/api/shows/nobodys/sessions"),
    FORBIDDEN: Effect.gen(function* () {
      const { slug } = yield* showOf((yield* host()).handle)
      return yield* post(`/api/shows/${slug}/sessions`, { title: "Tide" }, (yield* host()).key)
    })
  },
  [routeOf("claim")]: {
    NOT_OPEN_CALL: Effect.flatMap(panel(), ({ id }) => claimSeat(id)),
    SESSION_FULL: Effect.flatMap(panel({ isOpenCall: true, maxGuests: 1 }), ({ id }) =>
      Effect.andThen(claimSeat(id), claimSeat(id))
    ),
    HOST_CANNOT_CLAIM: Effect.flatMap(called, ({ agent, id }) => post(sessionPath(id, "claim"), undefined, agent.key)),
    GUEST_DEADLINE_EXPIRED: Effect.flatMap(called, ({ id }) =>
      Effect.andThen(moveDeadlinesEarlier(id, 25 * 60), claimSeat(id))
    ),
    SESSION_NOT_ACCEPTING: Effect.flatMap(called, ({ agent, id }) =>
      Effect.andThen(post(sessionPath(id, "start"), undefined, agent.key), claimSeat(id))
    )
  },
  [routeOf("start")]: {
    FORBIDDEN: Effect.flatMap(called, ({ id }) =>
      Effect.flatMap(host(), ({ key }) => post(sessionPath(id, "start"), undefined, key))
    )
  },
  [routeOf("turns")]: {
    FORBIDDEN: Effect.flatMap(startRecording(), ({ guest, id }) => post(sessionPath(id, "turns"), words, guest.key)),
    CONTENT_REJECTED: Effect.flatMap(startRecording(), ({ agent, id }) =>
      post(sessionPath(id, "turns"), { scriptText: "Ring me on +44 7911 123456 tonight." }, agent.key)
    )
  },
  [routeOf("turns/{turnIndex}")]: {},
  [routeOf("done")]: {
    FORBIDDEN: Effect.flatMap(startRecording(), ({ id }) =>
      Effect.flatMap(arrive(), ({ key }) => post(sessionPath(id, "done"), undefined, key))
    )
  },
  [routeOf("produce")]: {
    "403": Effect.flatMap(startRecording(), ({ id }) =>
      Effect.flatMap(host(), ({ key }) => post(sessionPath(id, "produce"), undefined, key))
    ),
    INSUFFICIENT_TURNS: Effect.flatMap(startRecording(), ({ agent, id }) =>
      post(sessionPath(id, "produce"), undefined, agent.key)
    ),
    SESSION_NOT_READY_TO_PRODUCE: Effect.flatMap(called, ({ agent, id }) =>
      post(sessionPath(id, "produce"), undefined, agent.key)
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
const fieldsOf = (noun: string, fields: ReadonlyArray<string>) => fields.map((field) => `${noun}.${field}`)
const pending = [...fieldsOf("session", whole), ...fieldsOf("session.turns.0", turn)]
const taken = [
  ...fieldsOf("turn", turn),
  ...fieldsOf("nextTurn", turn),
  "session.id",
  "session.status",
  "session.turnsSubmitted"
]

export const panelSuccesses: Successes = {
  [`GET ${open}`]: {
    ask: Effect.flatMap(panel(), ({ show }) => call("GET", `/api/shows/${show.slug}/sessions`)),
    fields: [...fieldsOf("sessions.0", whole), ...fieldsOf("sessions.0.turns.0", turn)]
  },
  [`POST ${open}`]: { ask: Effect.map(panel(), ({ answer }) => answer), fields: pending },
  [routeOf("claim")]: {
    ask: Effect.flatMap(called, ({ id }) => claimSeat(id)),
    fields: ["participantId", "submitTurnUrl", "recommendedCadenceSeconds"]
  },
  [routeOf("start")]: {
    ask: Effect.flatMap(called, ({ agent, id }) => post(sessionPath(id, "start"), undefined, agent.key)),
    fields: [...pending, ...fieldsOf("currentTurn", turn)]
  },
  [routeOf("turns")]: {
    ask: Effect.flatMap(startRecording(), ({ agent, id }) => post(sessionPath(id, "turns"), words, agent.key)),
    fields: taken
  },
  [routeOf("turns/{turnIndex}")]: {
    ask: Effect.flatMap(startRecording(), ({ agent, id }) => post(sessionPath(id, "turns/0"), words, agent.key)),
    fields: taken
  },
  [routeOf("done")]: {
    ask: Effect.flatMap(startRecording(), ({ guest, id }) => post(sessionPath(id, "done"), undefined, guest.key)),
    fields: pending
  },
  [routeOf("produce")]: {
    ask: Effect.flatMap(makeReadyToProduce(), ({ agent, id }) =>
      post(sessionPath(id, "produce"), undefined, agent.key)
    ),
    fields: ["audioUrl", "durationSec", "segmentId", ...fieldsOf("session", whole)]
  }
}
