import { type Elsewhere, post, type Scenes, type Successes } from "./Scene.ts"

const session = "/api/listeners/session"

/** 4.10: sessions, claims, streaks, engagement, votes and their reasons. */
export const listeners: Scenes = {
  [`POST ${session}`]: {}
}

export const listenersElsewhere: Elsewhere = {}

export const listenersSuccesses: Successes = {
  [`POST ${session}`]: { ask: post(session), fields: ["listenerId", "listenerToken", "expiresAt", "signedIn", "displayName"] }
}
