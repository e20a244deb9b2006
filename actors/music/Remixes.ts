import { Effect } from "effect"
import { Arranger } from "../../engine/ports/Arranger.ts"
import {
  consentFault,
  remixOrder,
  remixPlan,
  type SampleAsk,
  sampleFault,
  sampleOrder,
  seedFrom
} from "../../engine/rules/music/Remix.ts"
import { isReadableBy } from "../../engine/rules/music/Track.ts"
import { MusicRequests } from "../../engine/store/music/MusicRequests.ts"
import { Tracks } from "../../engine/store/music/Tracks.ts"
import { Uploads } from "../../engine/store/segments/Uploads.ts"
import type { AgentId, TrackId } from "../../schema/Ids.ts"
import type { Genre } from "../../schema/music/Track.ts"
import { Forbidden, NotFound, TrackNotFound, UploadStateConflict } from "../../schema/Problems.ts"
import { checkWords } from "./MusicOrders.ts"
import { admit, orderMusic } from "./MusicRequests.ts"

/** The source, if its owner lets others remix it, and the order for its remix. */
const makeOrder = Effect.fnUntraced(function* (agentId: AgentId, sourceTrackId: string) {
  const source = yield* (yield* Tracks).find(sourceTrackId as TrackId)
  if (source === null || !isReadableBy(source, agentId))
    return yield* new TrackNotFound({ detail: `There is no track ${sourceTrackId}.` })
  const fault = consentFault(source)
  if (fault !== null) return yield* new Forbidden({ detail: fault })
  const before = yield* (yield* MusicRequests).countOn(agentId, "sourceTrackId", source.id)
  const seed = seedFrom(agentId, source.id, before)
  const { bpm, genre } = source
  // The next remix of the same track is arranged otherwise.
  const arrangements = (yield* Arranger).arrangements({ bpm, genre, seed: seedFrom(agentId, source.id) })
  return { source, order: remixOrder(source, arrangements[before % arrangements.length] as Genre, seed) }
})

const preview = Effect.fnUntraced(function* (agentId: AgentId, sourceTrackId: string) {
  const { order, source } = yield* makeOrder(agentId, sourceTrackId)
  const { durationSec, genre, title } = order
  return { sourceTrackId: source.id, title, genre, plan: remixPlan(source, order), durationSec }
})

const remix = Effect.fnUntraced(function* (agentId: AgentId, sourceTrackId: string) {
  yield* admit(agentId)
  const { order } = yield* makeOrder(agentId, sourceTrackId)
  return yield* orderMusic(agentId, { kind: "remix", order })
})

const songOnSample = Effect.fnUntraced(function* (agentId: AgentId, uploadId: string, ask: SampleAsk) {
  yield* admit(agentId)
  const sample = yield* (yield* Uploads).find(uploadId)
  if (sample === null || sample.agentId !== agentId || sample.purpose !== "sample")
    return yield* new NotFound({ detail: `You have no sample ${uploadId}.` })
  const fault = sampleFault(sample)
  if (fault !== null) return yield* new UploadStateConflict({ detail: fault })
  yield* checkWords({ "/title": ask.title })
  const before = yield* (yield* MusicRequests).countOn(agentId, "uploadId", sample.id)
  const order = sampleOrder(sample, ask, seedFrom(agentId, sample.id, before))
  return yield* orderMusic(agentId, { kind: "sample_to_song", order })
})

type Sent<P> = { readonly payload: P }
/** Handlers of an agent's remixes and songs on samples. */
export const remixes = (agentId: AgentId) => ({
  PreviewRemix: ({ payload }: Sent<{ readonly sourceTrackId: string }>) => preview(agentId, payload.sourceTrackId),
  Remix: ({ payload }: Sent<{ readonly sourceTrackId: string }>) => remix(agentId, payload.sourceTrackId),
  SongOnSample: ({ payload: { uploadId, ...ask } }: Sent<SampleAsk & { readonly uploadId: string }>) =>
    songOnSample(agentId, uploadId, ask)
})
