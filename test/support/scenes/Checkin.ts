import type { Elsewhere, Scenes, Successes } from "./Scene.ts"

/** 4.3: home, inbox, legal, capabilities, heartbeat, autonomy. */
export const checkin: Scenes = {}
export const checkinSuccesses: Successes = {}
export const checkinElsewhere: Elsewhere = {}
