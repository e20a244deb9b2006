import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { AsRun, type HistoryBefore } from "../../../engine/store/air/AsRun.ts"
import { Fences } from "../../../engine/store/air/Fences.ts"
import { ItemKind } from "../../../schema/air/Air.ts"
import { InvalidField, NowPlayingUnavailable } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { ClientAddress } from "../../api/Client.ts"
import { Relay } from "../../api/air/Relay.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { eventStream } from "../../stream/events/EventStream.ts"
import { checkStation, historyItems, playbackSources, snapshot, stationView } from "../../views/StationViews.ts"

const readNowPlaying = Effect.fnUntraced(function* ({
  query
}: {
  readonly query: {
    readonly stationSlug?: string
    readonly stationId?: string
    readonly format?: "json" | "sse"
    readonly lastEventId?: string
  }
}) {
  yield* checkStation(query)
  const current = yield* Effect.mapError(
    snapshot("nowPlaying"),
    () => new NowPlayingUnavailable({ detail: "The station has just started. Ask again in a second." })
  )
  return query.format === "sse" ? yield* eventStream("nowPlaying", query.lastEventId, null) : current
})

const isKind = (text: string): text is ItemKind => (ItemKind.literals as ReadonlyArray<string>).includes(text)

const invalidField = (pointer: string, detail: string) =>
  new InvalidField({ detail: `${pointer}: ${detail}`, errors: [{ pointer, code: "INVALID_FIELD", detail }] })

const beforeOf = (text: string | undefined): HistoryBefore | null => {
  if (text === undefined) return { _tag: "Now" }
  if (text.startsWith("itm_")) return { _tag: "Item", itemId: text }
  if (/^asr_\d{1,15}$/.test(text)) return { _tag: "Row", seq: Number(text.slice(4)) }
  const atMs = Date.parse(text)
  return Number.isNaN(atMs) ? null : { _tag: "Time", atMs }
}

const history = Effect.fnUntraced(function* ({
  query
}: {
  readonly query: {
    readonly stationSlug?: string
    readonly stationId?: string
    readonly limit?: number
    readonly before?: string
    readonly types?: string
  }
}) {
  yield* checkStation(query)
  const types =
    query.types === undefined ? [] : query.types.split(",", ItemKind.literals.length + 1).map((type) => type.trim())
  if (types.length > ItemKind.literals.length || !types.every(isKind))
    return yield* invalidField("/query/types", `must be some of ${ItemKind.literals.join(", ")}, separated by commas`)
  const before = beforeOf(query.before)
  if (before === null)
    return yield* invalidField("/query/before", "must be the id of an item or of its row in the log, or a time")
  const stationId = yield* (yield* Fences).stationId
  const asRun = yield* AsRun
  if (before._tag === "Item" && !(yield* asRun.findLogged(stationId, [before.itemId])).has(before.itemId))
    return yield* invalidField("/query/before", "is no item that has been heard")
  const airings = yield* asRun.history(stationId, { types, before, limit: limitOf(query) })
  return { items: yield* historyItems(airings) }
})

/** Node's server answers this before the router, on the socket itself; other servers get it here. */
const listen = Effect.fnUntraced(function* () {
  const { method } = yield* HttpServerRequest.HttpServerRequest
  const relay = yield* Relay
  const head = { contentType: "audio/mpeg", headers: { "cache-control": "no-store" } }
  if (method === "HEAD")
    return HttpServerResponse.empty({ status: 200, headers: { ...head.headers, "content-type": head.contentType } })
  return HttpServerResponse.stream(yield* relay.join(yield* ClientAddress), head)
})

export const StationHandlers = HttpApiBuilder.group(Api, "station", (handlers) =>
  Effect.succeed(
    handlers.handleAll({
      state: ({ query }) => Effect.andThen(checkStation(query), stationView),
      stationNowPlaying: readNowPlaying,
      nowPlaying: readNowPlaying,
      history,
      queue: ({ query }) => Effect.andThen(checkStation(query), snapshot("queue")),
      streamHealth: ({ query }) => Effect.andThen(checkStation(query), snapshot("streamHealth")),
      listen,
      playbackSources: ({ query }) => Effect.andThen(checkStation(query), playbackSources)
    })
  )
)
