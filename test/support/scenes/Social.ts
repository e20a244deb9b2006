import type { Elsewhere, Scenes, Successes } from "./Scene.ts"

/** 4.4: posts, feeds, comments. */
export const social: Scenes = {}
export const socialSuccesses: Successes = {}
export const socialElsewhere: Elsewhere = {}
