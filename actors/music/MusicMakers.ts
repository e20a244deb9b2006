import { Data, Effect } from "effect"
import { Arranger } from "../../engine/ports/Arranger.ts"
import { type Composition, Music } from "../../engine/ports/Music.ts"
import { MusicProviders } from "../../engine/ports/MusicProviders.ts"
import { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import { Prepare } from "../../engine/ports/Prepare.ts"
import { incomingKeyOf, UploadSound } from "../../engine/ports/UploadSound.ts"
import { seedOf } from "../../engine/rules/music/MusicPrompt.ts"
import { variantAssetId, variantId } from "../../engine/rules/music/MusicRequest.ts"
import { markOf } from "../../engine/rules/sound/Synthetic.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { Tracks } from "../../engine/store/music/Tracks.ts"
import { SoundPrints } from "../../engine/store/sound/SoundPrints.ts"
import { Uploads } from "../../engine/store/segments/Uploads.ts"
import type { AssetId, VariantId } from "../../schema/Ids.ts"
import type { Synthetic } from "../../schema/Synthetic.ts"
import type { MusicRequest, MusicRequestKind } from "../../schema/music/MusicRequest.ts"
import { MusicDesk, type Piece } from "./protocol/MusicDesk.ts"
import { consentFault, sampleFault } from "../../engine/rules/music/Remix.ts"

/** The order can't be made, now or later. Ends the request without another try. */
export class MusicRefused extends Data.TaggedError("MusicRefused")<{
  readonly code: string
  readonly detail: string
}> {}

/** The station or a provider failed. Another try may help. */
export class MusicNotMade extends Data.TaggedError("MusicNotMade")<{ readonly detail: string }> {
  override get message() {
    return this.detail
  }
}

const handleOf = (request: MusicRequest) =>
  Effect.map(
    Effect.flatMap(Agents, (agents) => agents.find(request.agentId)),
    (agent) => agent?.persona.handle ?? "unknown"
  )
const assetIdOf = ({ id }: MusicRequest, index: number) => variantAssetId(id, index) as AssetId

/** A piece by the house composer. */
const compose = Effect.fnUntraced(function* (request: MusicRequest, index: number) {
  const music = yield* Music
  const { bpm, durationSec, genre, mood, musicalKey } = request.order
  const seed = seedOf(request.order, index)
  const composition = yield* music.composeWhole({ genre, mood, form: "song", durationSec, seed, bpm, musicalKey })
  return yield* master(request, index, composition, markOf({ _tag: "Composed", handle: yield* handleOf(request) }))
})

/** A remix of a track whose owner still consents. */
const remix = Effect.fnUntraced(function* (request: MusicRequest, index: number) {
  const { order } = request
  const source = order.sourceTrackId === null ? null : yield* (yield* Tracks).find(order.sourceTrackId)
  const fault = consentFault(source)
  if (source === null || fault !== null)
    return yield* new MusicRefused({ code: "SOURCE_WITHDRAWN", detail: fault ?? "The source is gone." })
  const composition = yield* (yield* Arranger).remix({
    source: source.assetId,
    bpm: source.bpm,
    genre: order.genre,
    mood: order.mood,
    seed: seedOf(order, index)
  })
  const { artist, synthetic, title } = source
  const mark = markOf({ _tag: "Remixed", handle: yield* handleOf(request), of: synthetic, title, artist })
  return yield* master(request, index, composition, mark)
})

/** A song on the agent's sample, which isn't in it. */
const composeOnSample = Effect.fnUntraced(function* (request: MusicRequest, index: number) {
  const { durationSec, genre, mood, uploadId } = request.order
  const sample = uploadId === null ? null : yield* (yield* Uploads).find(uploadId)
  if (uploadId === null || sample === null || sampleFault(sample) !== null)
    return yield* new MusicRefused({ code: "SAMPLE_GONE", detail: "The sample is gone. Upload it again." })
  const seed = seedOf(request.order, index)
  const composition = yield* (yield* Arranger).songOnSample({ uploadId, durationSec, genre, mood, seed })
  return yield* master(request, index, composition, markOf({ _tag: "OnSample", handle: yield* handleOf(request) }))
})

/** Masters a piece of the house. */
const master = Effect.fnUntraced(function* (
  request: MusicRequest,
  index: number,
  composition: Composition,
  synthetic: Synthetic
) {
  const asset = yield* (yield* Prepare).prepare({
    id: assetIdOf(request, index),
    kind: "music",
    raw: composition,
    role: "HOUSE",
    introEndMs: composition.introEndMs,
    segueMs: composition.segueMs,
    synthetic
  })
  const piece: Piece = {
    asset,
    fingerprint: null,
    title: composition.title,
    bpm: composition.bpm,
    musicalKey: composition.musicalKey,
    isInstrumental: true,
    lyrics: null
  }
  return piece
})

/** A piece by a provider, examined like a recording from outside: decoded in a sandbox, measured, compared, mastered. */
const orderFromProvider = Effect.fnUntraced(function* (request: MusicRequest, index: number) {
  const providers = yield* MusicProviders
  const sound = yield* UploadSound
  const prints = yield* SoundPrints
  const desk = (yield* MusicDesk.client)(request.agentId)
  const { order } = request
  const provider = providers.all.find(({ id }) => id === order.provider)
  if (provider === undefined)
    return yield* new MusicRefused({
      code: "PROVIDER_GONE",
      detail: `The station no longer has the provider ${order.provider}.`
    })
  const id = variantId(request.id, index) as VariantId
  const task = request.providerTask?.startsWith(`${index}:`) === true ? request.providerTask.slice(2) : null
  const key = incomingKeyOf(id)
  const fetched = yield* providers.make({
    order,
    seed: seedOf(order, index),
    key,
    task,
    onBegun: (name) => desk.NoteProviderTask({ requestId: request.id, task: `${index}:${name}` })
  })
  const examined = yield* sound.examine({
    id,
    purpose: "music",
    ...fetched,
    assetId: assetIdOf(request, index),
    synthetic: markOf({ _tag: "Generated", by: provider.name, handle: yield* handleOf(request) }),
    findAlike: (durationSec) => prints.findAlike({ purpose: "music", except: request.id }, durationSec)
  })
  yield* Effect.ignore((yield* ObjectStore).remove([key]))
  if (examined.asset === null) {
    // Work that gave a bad sound isn't asked for again.
    yield* desk.NoteProviderTask({ requestId: request.id, task: null })
    const failed = examined.qc.checks.filter(({ passed }) => !passed)
    return yield* new MusicNotMade({
      detail: `${provider.name} gave a sound that can't air: ${failed.map(({ detail }) => detail).join(" ")}`
    })
  }
  const piece: Piece = {
    asset: examined.asset,
    fingerprint: examined.fingerprint === null ? null : new Uint8Array(examined.fingerprint),
    title: null,
    bpm: order.bpm ?? examined.facts?.bpm ?? null,
    musicalKey: order.musicalKey ?? examined.facts?.musicalKey ?? null,
    isInstrumental: order.instrumental,
    lyrics: order.lyrics
  }
  return piece
})

/** A piece from a prompt. */
const generate = (request: MusicRequest, index: number) =>
  request.order.provider === "house" ? compose(request, index) : orderFromProvider(request, index)

/** How each kind of request makes one of its pieces. The same place of the same request always has the same asset id. */
export const makers = {
  generate: generate,
  creation: generate,
  remix: remix,
  sample_to_song: composeOnSample
} as const satisfies { readonly [Kind in MusicRequestKind]: unknown }
