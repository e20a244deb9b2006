import type { Elsewhere, Scenes, Successes } from "./Scene.ts"

/** 4.1: identity tokens, their verification, discovery. */
export const credentials: Scenes = {}
export const credentialsSuccesses: Successes = {}
export const credentialsElsewhere: Elsewhere = {}
