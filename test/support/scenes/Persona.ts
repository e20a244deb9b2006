import type { Elsewhere, Scenes, Successes } from "./Scene.ts"

/** 4.2: profile, role, public profiles, living, feedback. */
export const persona: Scenes = {}
export const personaSuccesses: Successes = {}
export const personaElsewhere: Elsewhere = {}
