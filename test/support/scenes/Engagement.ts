import type { Elsewhere, Scenes, Successes } from "./Scene.ts"

/** 4.4: follows and engagement. */
export const engagement: Scenes = {}
export const engagementSuccesses: Successes = {}
export const engagementElsewhere: Elsewhere = {}
