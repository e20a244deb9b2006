import { Context, type Effect, Schema, type Stream } from "effect"
import type { RawSound } from "./Speech.ts"

export class MusicFailed extends Schema.TaggedError<MusicFailed>()("MusicFailed", {
  reason: Schema.Literals(["timeout", "crashed", "not_a_number", "unknown_genre"]),
  detail: Schema.String
}) {}

export interface MusicAsk {
  /** A genre of the catalog; one without a style of its own uses the nearest. */
  readonly genre: string
  readonly mood: string | null
  readonly form: "song" | "bed" | "sting"
  readonly durationSec: number
  readonly seed: number
  readonly bpm: number | null
  /** Such as `D minor`; null leaves it to the seed and the mood. */
  readonly musicalKey?: string | null
}

/** A piece before it is rendered. */
export interface Outline {
  readonly title: string
  readonly bpm: number
  readonly musicalKey: string
  readonly sections: ReadonlyArray<{ readonly section: string; readonly bars: number }>
  readonly durationSec: number
}

/** Metadata known from the composition, so that nothing is estimated from the audio. */
export interface Composition extends RawSound {
  readonly title: string
  readonly bpm: number
  readonly musicalKey: string
  readonly sections: ReadonlyArray<{ readonly name: string; readonly startMs: number; readonly endMs: number }>
  readonly introEndMs: number
  readonly segueMs: number
}

export type MusicProgress =
  | { readonly _tag: "Rendering"; readonly progress: number }
  | { readonly _tag: "Done"; readonly composition: Composition }

/** Deterministic: equal input gives identical samples. */
export class Music extends Context.Service<
  Music,
  {
    readonly genres: ReadonlyArray<string>
    readonly compose: (ask: MusicAsk) => Stream.Stream<MusicProgress, MusicFailed>
    /** Decides on a piece without rendering it; null for an unknown genre. */
    readonly outline: (ask: MusicAsk) => Outline | null
    readonly composeWhole: (ask: MusicAsk) => Effect.Effect<Composition, MusicFailed>
  }
>()("longwave/engine/ports/Music") {}
