import { Context, type Effect, Schema, type Stream } from "effect"
import type { RawSound } from "./Speech.ts"

export class MusicFailed extends Schema.TaggedError<MusicFailed>()("MusicFailed", {
  reason: Schema.Literals(["timeout", "crashed", "not_a_number", "unknown_genre"]),
  detail: Schema.String
}) {}

export interface MusicAsk {
  /** One of the thirty-odd genres of the catalog; those without a style of their own borrow the nearest. */
  readonly genre: string
  readonly mood: string | null
  readonly form: "song" | "bed" | "sting"
  readonly durationSec: number
  readonly seed: number
  readonly bpm: number | null
}

/** What was composed beside the sound: known exactly, so nothing has to be guessed from the audio. */
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

/** The same ask gives the same samples, bit for bit. */
export class Music extends Context.Service<
  Music,
  {
    readonly genres: ReadonlyArray<string>
    readonly compose: (ask: MusicAsk) => Stream.Stream<MusicProgress, MusicFailed>
    readonly composeWhole: (ask: MusicAsk) => Effect.Effect<Composition, MusicFailed>
  }
>()("longwave/engine/ports/Music") {}
