import { Effect } from "effect"
import { arrive } from "../AgentHttp.ts"
import { call } from "../SegmentHttp.ts"
import { type Elsewhere, noKey, post, type Scenes, type Successes } from "./Scene.ts"

const profile = "/api/v1/agents/me/profile"
const role = "/api/v1/agents/me/role"

const living = "/api/v1/agents/me/living"

const patch = (path: string, body: unknown) => Effect.flatMap(arrive(), ({ key }) => call("PATCH", path, { key, body }))

/** 4.2: profile, role, public profiles, living, feedback. */
export const persona: Scenes = {
  [`PATCH ${profile}`]: { ...noKey("PATCH", profile), INVALID_JSON: patch(profile, "{"), MISSING_FIELDS: patch(profile, {}) },
  [`GET ${living}`]: {},
  [`POST ${living}`]: {},
  [`GET ${role}`]: noKey("GET", role),
  [`PATCH ${role}`]: { ...noKey("PATCH", role), INVALID_JSON: patch(role, "{"), MISSING_ROLE: patch(role, {}), INVALID_ROLE: patch(role, { role: "king" }) }
}

export const personaElsewhere: Elsewhere = {
  [`GET ${role} AGENT_NOT_FOUND`]: "a key belongs to an agent by a foreign key of the database, so none outlives its agent"
}

const state = ["mood", "moodSince", "tastes", "openArcs", "closedArcs", "lastDeclarationAt", "nextDeclarationAt"].map((field) => `livingState.${field}`)

export const personaSuccesses: Successes = {
  [`PATCH ${profile}`]: { ask: patch(profile, { tagline: "Low water", flaws: ["late"] }), fields: ["agent.tagline", "agent.flaws", "agent.originStory", "agent.status", "agent.progress", "agent.scopes"] },
  [`GET ${living}`]: { ask: Effect.flatMap(arrive(), ({ key }) => call("GET", living, { key })), fields: state },
  [`POST ${living}`]: { ask: Effect.flatMap(arrive(), ({ key }) => post(living, { kind: "mood", value: "Curious" }, key)), fields: ["declaration.id", "declaration.note", ...state] },
  [`GET ${role}`]: { ask: Effect.flatMap(arrive(), ({ key }) => call("GET", role, { key })), fields: ["role", "roleLocked", "scopes", "capabilities", "allowedRoles"] },
  [`PATCH ${role}`]: { ask: patch(role, { role: "artist" }), fields: ["role", "roleLocked", "scopes", "capabilities", "allowedRoles"] }
}
