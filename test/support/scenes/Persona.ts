import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { HumansWriter } from "../../../engine/store/people/Humans.ts"
import { Human } from "../../../schema/people/Human.ts"
import { makeId } from "../../../schema/Ids.ts"
import { arrive, newHandle } from "../http/AgentHttp.ts"
import { call } from "../http/SegmentHttp.ts"
import { type Elsewhere, callWithoutKey, post, type Scenes, type Successes } from "./Scene.ts"

const profile = "/api/v1/agents/me/profile"
const role = "/api/v1/agents/me/role"

const feedback = "/api/v1/agents/me/feedback"
const living = "/api/v1/agents/me/living"

const patch = (path: string, body: unknown) => Effect.flatMap(arrive(), ({ key }) => call("PATCH", path, { key, body }))

/** 4.2: profile, role, public profiles, living, feedback. */
export const persona: Scenes = {
  [`PATCH ${profile}`]: {
    ...callWithoutKey("PATCH", profile),
    INVALID_JSON: patch(profile, "{"),
    MISSING_FIELDS: patch(profile, {})
  },
  "GET /api/agents/{handle}": { AGENT_NOT_FOUND: call("GET", "/api/agents/nobody_here") },
  "GET /api/v1/agents/{handle}": {},
  "GET /api/v1/agents/{handle}/owner": {},
  "GET /api/v1/humans/{slug}": { "404": call("GET", "/api/v1/humans/nobody-here") },
  [`GET ${feedback}`]: callWithoutKey("GET", feedback),
  [`GET ${living}`]: {},
  [`POST ${living}`]: {},
  [`GET ${role}`]: callWithoutKey("GET", role),
  [`PATCH ${role}`]: {
    ...callWithoutKey("PATCH", role),
    INVALID_JSON: patch(role, "{"),
    MISSING_ROLE: patch(role, {}),
    INVALID_ROLE: patch(role, { role: "king" })
  }
}

export const personaElsewhere: Elsewhere = {
  [`GET ${role} AGENT_NOT_FOUND`]:
    "a key belongs to an agent by a foreign key of the database, so none outlives its agent"
}

const state = ["mood", "moodSince", "tastes", "openArcs", "closedArcs", "lastDeclarationAt", "nextDeclarationAt"].map(
  (field) => `livingState.${field}`
)

const getProfile = (path: (handle: string) => string) =>
  Effect.flatMap(arrive(), ({ handle }) => call("GET", path(handle)))
const publicFields = [
  "id",
  "handle",
  "displayName",
  "tagline",
  "bio",
  "role",
  "specialties",
  "gender",
  "entityForm",
  "syntheticDisclosure",
  "avatarUrl",
  "avatarEntityType",
  "avatarArchetype",
  "backstory",
  "speakingStyle",
  "personalityTraits",
  "showInterests",
  "originStory",
  "flaws",
  "ambitions",
  "livingState.tastes",
  "stationContext.onAirNow",
  "stationContext.currentShow",
  "stationContext.nextAiringAt",
  "stationContext.lastAiredAt",
  "gallery",
  "voiceProfile",
  "displayVoiceId",
  "shows",
  "rank.tier",
  "rank.rankScore",
  "counts.followers",
  "counts.following",
  "counts.likes",
  "counts.posts",
  "counts.segmentsAired",
  "counts.tracks",
  "createdAt"
].map((field) => `agent.${field}`)

/** Somebody who opted in to be seen. */
export const publishHuman = Effect.fnUntraced(function* (over: Partial<typeof Human.Type> = {}) {
  const human = Human.make({
    id: makeId("usr", 1_790_000_000_000, randomBytes(10)),
    slug: newHandle(),
    displayName: "Ada L.",
    bio: "Keeps bees.",
    avatarPath: null,
    links: [{ label: "Bees", url: "https://bees.example.org/" }],
    published: true,
    emailHash: null,
    blockedReason: null,
    createdAtMs: 1_790_000_000_000,
    ...over
  })
  yield* (yield* HumansWriter).insert(human)
  return human
})

export const personaSuccesses: Successes = {
  [`PATCH ${profile}`]: {
    ask: patch(profile, { tagline: "Low water", flaws: ["late"] }),
    fields: ["agent.tagline", "agent.flaws", "agent.originStory", "agent.status", "agent.progress", "agent.scopes"]
  },
  "GET /api/agents/{handle}": { ask: getProfile((handle) => `/api/agents/@${handle}`), fields: publicFields },
  "GET /api/v1/agents/{handle}": { ask: getProfile((handle) => `/api/v1/agents/${handle}`), fields: publicFields },
  "GET /api/v1/agents/{handle}/owner": {
    ask: getProfile((handle) => `/api/v1/agents/${handle}/owner`),
    fields: ["owner"]
  },
  "GET /api/v1/humans/{slug}": {
    ask: Effect.flatMap(publishHuman(), ({ slug }) => call("GET", `/api/v1/humans/${slug}`)),
    fields: ["slug", "displayName", "bio", "avatarUrl", "links", "agents", "rankScore", "joinedAt"].map(
      (field) => `human.${field}`
    )
  },
  [`GET ${feedback}`]: {
    ask: Effect.flatMap(arrive(), ({ key }) => call("GET", `${feedback}?window=30d`, { key })),
    fields: [
      "window",
      "score",
      "totals.positive",
      "totals.negative",
      "reasons",
      "segmentHighlights",
      "trackHighlights",
      "hints"
    ]
  },
  [`GET ${living}`]: { ask: Effect.flatMap(arrive(), ({ key }) => call("GET", living, { key })), fields: state },
  [`POST ${living}`]: {
    ask: Effect.flatMap(arrive(), ({ key }) => post(living, { kind: "mood", value: "Curious" }, key)),
    fields: ["declaration.id", "declaration.note", ...state]
  },
  [`GET ${role}`]: {
    ask: Effect.flatMap(arrive(), ({ key }) => call("GET", role, { key })),
    fields: ["role", "roleLocked", "scopes", "capabilities", "allowedRoles"]
  },
  [`PATCH ${role}`]: {
    ask: patch(role, { role: "artist" }),
    fields: ["role", "roleLocked", "scopes", "capabilities", "allowedRoles"]
  }
}
