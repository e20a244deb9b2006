import { Effect, Schema } from "effect"
import type { ProviderFailed } from "../../../engine/ports/MusicProviders.ts"
import { providerPollFaultsMax, providerPollMs } from "../../../engine/rules/music/limits.ts"
import type { MusicOrder } from "../../../schema/music/MusicRequest.ts"
import { promptFor, seed31 } from "./OrderText.ts"
import { type MusicAdapter, type MusicPlace, type ProviderClient, WorkLost } from "./ProviderClient.ts"

const wrapped = <S extends Schema.ConstraintCodec<unknown, unknown>>(data: S) => Schema.Struct({ data })
const Released = wrapped(Schema.Struct({ task_id: Schema.NonEmptyString }))
const Looked = wrapped(
  Schema.Array(Schema.Struct({ task_id: Schema.String, status: Schema.Literals([0, 1, 2]), result: Schema.String }))
)
/** The results of a task, which stand as a text in it. */
const Results = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ file: Schema.String, lyrics: Schema.optionalKey(Schema.NullOr(Schema.String)) }))
)

/** The server takes these, and no lyrics at all, for the wish to have no singing. */
const instrumental = "[Instrumental]"
const isInstrumental = (lyrics: string) => /^\s*\[inst(rumental)?\]\s*$/i.test(lyrics)

const requestOf = ({ model }: MusicPlace, order: MusicOrder, seed: number) => ({
  prompt: promptFor(order, { tempoAndKey: true, duration: true }),
  lyrics: order.lyrics ?? instrumental,
  audio_duration: order.durationSec,
  ...(order.bpm === null ? {} : { bpm: Math.round(order.bpm) }),
  ...(order.musicalKey === null ? {} : { key_scale: order.musicalKey }),
  use_random_seed: false,
  seed: seed31(seed),
  batch_size: 1,
  audio_format: "mp3",
  ...(model === null ? {} : { model })
})

/** The HTTP API of an ACE-Step 1.5 server: an order, looks at it, and the file. */
export const aceStep = (
  place: MusicPlace,
  { providerFailure, fetchSound, garbage, json, post, resumable }: ProviderClient
): MusicAdapter => {
  const { url } = place
  const look = (task: string) => Effect.flatMap(post(`${url}/query_result`, { task_id_list: [task] }), json(Looked))

  /** Looks until the task is over. */
  const file = Effect.fnUntraced(function* (
    task: string,
    order: MusicOrder
  ): Effect.fn.Return<string, ProviderFailed | WorkLost> {
    let pauseMs: number = providerPollMs[0]
    let faults = 0
    for (;;) {
      yield* Effect.sleep(pauseMs)
      pauseMs = Math.min(pauseMs * 2, providerPollMs[1])
      const seen = yield* Effect.result(look(task))
      if (seen._tag === "Failure") {
        if (++faults >= providerPollFaultsMax) return yield* seen.failure
        continue
      }
      faults = 0
      const found = seen.success.data.find(({ task_id }) => task_id === task)
      // An unknown task waits for ever without a result: the server has been started anew.
      if (found === undefined || (found.status === 0 && found.result.trim() === "[]"))
        return yield* new WorkLost({ detail: "ACE-Step no longer knows the task" })
      if (found.status === 0) continue
      if (found.status === 2) return yield* new WorkLost({ detail: "ACE-Step could not make the piece" })
      const [result] = yield* Effect.mapError(Schema.decodeEffect(Results)(found.result), () => garbage)
      if (result === undefined || result.file === "") return yield* garbage
      if (order.lyrics !== null && isInstrumental(result.lyrics ?? ""))
        return yield* providerFailure("failed", "made an instrumental piece although lyrics were sent")
      return result.file
    }
  })

  return {
    make: (piece) =>
      resumable(
        piece,
        Effect.map(
          Effect.flatMap(post(`${url}/release_task`, requestOf(place, piece.order, piece.seed)), json(Released)),
          ({ data }) => data.task_id
        ),
        (task) => Effect.flatMap(file(task, piece.order), fetchSound)
      )
  }
}
