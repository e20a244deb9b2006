import type { Elsewhere, Scenes, Successes } from "./Scene.ts"

/** 4.3: webhooks. */
export const webhooks: Scenes = {}
export const webhooksSuccesses: Successes = {}
export const webhooksElsewhere: Elsewhere = {}
