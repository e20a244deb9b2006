import { Effect, Schema } from "effect"
import { AssetId } from "./Ids.ts"
import { Synthetic } from "./Synthetic.ts"

/** A word of the script and when it is spoken, counted from the start of the asset. */
export class WordTiming extends Schema.Class<WordTiming>("WordTiming")({
  text: Schema.String,
  startMs: Schema.Int,
  endMs: Schema.Int
}) {}

/**
 * Where an asset may be entered and left, in samples from its first one.
 * `introEnd` is how far a voice may talk over it, `segue` where the next item may begin.
 */
export class CuePoints extends Schema.Class<CuePoints>("CuePoints")({
  cueIn: Schema.Int,
  introEnd: Schema.Int,
  segue: Schema.Int,
  cueOut: Schema.Int
}) {}

/** How loud an asset is, by ITU-R BS.1770-4 / EBU R 128. */
export class Loudness extends Schema.Class<Loudness>("Loudness")({
  integratedLufs: Schema.Finite,
  truePeakDbtp: Schema.Finite,
  rangeLu: Schema.Finite
}) {}

export const SoundKind = Schema.Literals(["speech", "music", "bed", "sting", "ident"])
export type SoundKind = typeof SoundKind.Type

/**
 * A prepared asset: mastered to −16 LUFS, 48 kHz stereo, kept as FLAC. `pcmSha256` is the hash of its
 * decoded s16le PCM: what is staged must have it, bit for bit.
 */
export class Asset extends Schema.Class<Asset>("Asset")({
  id: AssetId,
  kind: SoundKind,
  lengthSamples: Schema.Int,
  pcmSha256: Schema.String,
  loudness: Loudness,
  cue: CuePoints,
  /** Loudest sample of each 10 ms, 0–255, for ducking that knows what comes. */
  envelope: Schema.Uint8ArrayFromBase64,
  /** 400 pairs of low and high, −127…127, for drawing. */
  peaks: Schema.Array(Schema.Int),
  words: Schema.Array(WordTiming),
  /** How a machine made it. Its files carry the same as tags. */
  synthetic: Synthetic.pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(null)),
    Schema.withConstructorDefault(Effect.succeed(null))
  )
}) {}
