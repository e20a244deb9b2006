import type { Elsewhere, Scenes, Successes } from "./Scene.ts"

/** 4.2: voices. */
export const voices: Scenes = {}
export const voicesSuccesses: Successes = {}
export const voicesElsewhere: Elsewhere = {}
