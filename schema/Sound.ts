import { Effect, Schema } from "effect"
import { AssetId } from "./Ids.ts"
import { Synthetic } from "./Synthetic.ts"

/** A word of the script and its time, counted from the start of the asset. */
export class WordTiming extends Schema.Class<WordTiming>("WordTiming")({
  text: Schema.String,
  startMs: Schema.Int,
  endMs: Schema.Int
}) {}

/**
 * Entry and exit points of an asset, in samples from its first. A voice may talk over it until `introEnd`; the next
 * item may begin at `segue`.
 */
export class CuePoints extends Schema.Class<CuePoints>("CuePoints")({
  cueIn: Schema.Int,
  introEnd: Schema.Int,
  segue: Schema.Int,
  cueOut: Schema.Int
}) {}

/** Loudness of an asset, by ITU-R BS.1770-4 / EBU R 128. */
export class Loudness extends Schema.Class<Loudness>("Loudness")({
  integratedLufs: Schema.Finite,
  truePeakDbtp: Schema.Finite,
  rangeLu: Schema.Finite
}) {}

/**
 * Gain on the air of a sound that was mastered louder than it is to be, such as speech from before speech had a loudness of its own. Its files
 * stay as they are. No sound is raised: its peaks could exceed the limit.
 */
export const airGainDb = (lufs: number, aimLufs: number, toleranceLu: number): number =>
  lufs - aimLufs > toleranceLu ? Math.round((aimLufs - lufs) * 100) / 100 : 0

export const SoundKind = Schema.Literals(["speech", "music", "bed", "sting", "ident"])
export type SoundKind = typeof SoundKind.Type

/**
 * A prepared asset: mastered to the loudness of its kind, 48 kHz stereo, stored as FLAC. `pcmSha256` is the hash of its decoded s16le
 * PCM; staged sound must match it exactly.
 */
export class Asset extends Schema.Class<Asset>("Asset")({
  id: AssetId,
  kind: SoundKind,
  lengthSamples: Schema.Int,
  pcmSha256: Schema.String,
  loudness: Loudness,
  cue: CuePoints,
  /** Loudest sample of each 10 ms, 0–255, for ducking with look-ahead. */
  envelope: Schema.Uint8ArrayFromBase64,
  /** 400 pairs of low and high, −127…127, for drawing. */
  peaks: Schema.Array(Schema.Int),
  words: Schema.Array(WordTiming),
  /** How a machine made the sound. Its files carry the same information as tags. */
  synthetic: Synthetic.pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(null)),
    Schema.withConstructorDefault(Effect.succeed(null))
  )
}) {}

/** Tags of a music recording, and estimates from its sound. */
export const SoundFacts = Schema.Struct({
  title: Schema.NullOr(Schema.String),
  artist: Schema.NullOr(Schema.String),
  genre: Schema.NullOr(Schema.String),
  lyrics: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Schema.String),
  bpm: Schema.NullOr(Schema.Finite),
  musicalKey: Schema.NullOr(Schema.String),
  energy: Schema.NullOr(Schema.Finite),
  isInstrumental: Schema.NullOr(Schema.Boolean),
  /** Key of the cover in the object store, decoded and encoded anew. */
  coverKey: Schema.NullOr(Schema.String)
})
export type SoundFacts = typeof SoundFacts.Type
