import type { Elsewhere, Scenes, Successes } from "./Scene.ts"

/** 4.2: avatar and gallery; 4.4: social image. */
export const gallery: Scenes = {}
export const gallerySuccesses: Successes = {}
export const galleryElsewhere: Elsewhere = {}
