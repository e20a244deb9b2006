import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Archivist } from "../../../actors/panels/protocol/Replays.ts"
import {
  clipForOps,
  clipView,
  listedReplayOf,
  replayForOps,
  replayView
} from "../../../engine/rules/panels/ReplayView.ts"
import { chaptersOf, cuesOf, partsOf, podcastChapters, webVtt } from "../../../engine/rules/panels/Transcript.ts"
import { Assets } from "../../../engine/store/sound/Assets.ts"
import { Clips } from "../../../engine/store/panels/Clips.ts"
import { PublishedReplays } from "../../../engine/store/panels/Replays.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { MissingFields, NotFound } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { nextCursorOf, unknownCursor, previewAnswer } from "../Commands.ts"
import { mediaUrl } from "../../../engine/rules/sound/MediaUrl.ts"

interface Listing {
  readonly query: { readonly showSlug?: string; readonly limit?: number; readonly cursor?: string }
}
const filterOf = ({ query }: Listing) => ({
  showSlug: query.showSlug ?? null,
  limit: limitOf(query),
  cursor: query.cursor ?? null
})
const requireReplay = Effect.fnUntraced(function* ({ params: { id } }: { readonly params: { readonly id: string } }) {
  return (
    (yield* (yield* PublishedReplays).find(id)) ?? (yield* new NotFound({ detail: `There is no recording ${id}.` }))
  )
})
export const ReplaysHandlers = HttpApiBuilder.group(
  Api,
  "replays",
  Effect.fnUntraced(function* (handlers) {
    const { name, publicUrl } = yield* StationFacts
    const clips = yield* Clips
    const replays = yield* PublishedReplays
    return handlers.handleAll({
      clips: Effect.fnUntraced(function* (asked) {
        const page = (yield* clips.list(filterOf(asked))) ?? (yield* unknownCursor)
        return {
          clips: page.records.map(({ avatarPath, clip, synthetic }) =>
            clipView(clip, mediaUrl(avatarPath, publicUrl), synthetic, publicUrl)
          ),
          ...nextCursorOf(page.next)
        }
      }),
      replays: Effect.fnUntraced(function* (asked) {
        const page = (yield* replays.list(filterOf(asked))) ?? (yield* unknownCursor)
        return { replays: page.records.map((record) => listedReplayOf(record, publicUrl)), ...nextCursorOf(page.next) }
      }),
      replay: (asked) => Effect.map(requireReplay(asked), (record) => ({ replay: replayView(record, publicUrl) })),
      transcript: Effect.fnUntraced(function* (asked) {
        const { assetId, replay, synthetic } = yield* requireReplay(asked)
        const timings = (yield* (yield* Assets).find(assetId))?.words ?? []
        return HttpServerResponse.text(webVtt(cuesOf(partsOf(replay), timings, name), synthetic?.disclosure), {
          contentType: "text/vtt; charset=utf-8"
        })
      }),
      chapters: (asked) =>
        Effect.map(requireReplay(asked), ({ replay, showTitle }) =>
          podcastChapters(replay, chaptersOf(replay), showTitle)
        )
    })
  })
)
const missingFields = (what: string, detail: string) =>
  new MissingFields({ detail: what, errors: [{ pointer: "", code: "MISSING_FIELDS", detail }] })
export const ReplaysForOpsHandlers = HttpApiBuilder.group(
  OpsApi,
  "replaysForOps",
  Effect.fnUntraced(function* (handlers) {
    const { publicUrl, slug } = yield* StationFacts
    const archivist = (yield* Archivist.client)(slug)
    const clips = yield* Clips
    const replays = yield* PublishedReplays
    const act = Effect.fnUntraced(function* ({ payload }: { readonly payload: { readonly reason?: string | null } }) {
      return { actor: (yield* CurrentOperator).name, reason: payload.reason ?? null }
    })
    return handlers.handleAll({
      opsClips: Effect.fnUntraced(function* (asked) {
        const page = (yield* clips.listAny(filterOf(asked))) ?? (yield* unknownCursor)
        return {
          clips: page.records.map(({ avatarPath, clip, synthetic }) =>
            clipForOps(clip, mediaUrl(avatarPath, publicUrl), synthetic, publicUrl)
          ),
          ...nextCursorOf(page.next)
        }
      }),
      opsReplays: Effect.fnUntraced(function* (asked) {
        const page = (yield* replays.listAny(filterOf(asked))) ?? (yield* unknownCursor)
        return { replays: page.records.map(replayForOps), ...nextCursorOf(page.next) }
      }),
      makeClip: Effect.fnUntraced(function* (asked) {
        const { durationSec, replayId = null, segmentId = null, startSec, title } = asked.payload
        if ((replayId === null) === (segmentId === null))
          return yield* missingFields(
            "Send either replayId or segmentId.",
            "names neither or both of replayId and segmentId"
          )
        const clip = yield* send(
          archivist.MakeClip({
            replayId,
            segmentId,
            startSec,
            durationSec,
            title,
            ...(yield* act(asked))
          })
        )
        return isDry(asked.query) ? previewAnswer({ clip }, 200) : { clip }
      }),
      changeClip: Effect.fnUntraced(function* (asked) {
        const { hidden = null, title = null } = asked.payload
        if (hidden === null && title === null) return yield* missingFields("Send title or hidden.", "has no change")
        const clip = yield* send(
          archivist.ChangeClip({ clipId: asked.params.id, title, hidden, ...(yield* act(asked)) })
        )
        return isDry(asked.query) ? previewAnswer({ clip }, 200) : { clip }
      }),
      changeReplay: Effect.fnUntraced(function* (asked) {
        const replay = yield* send(
          archivist.HideReplay({ replayId: asked.params.id, hidden: asked.payload.hidden, ...(yield* act(asked)) })
        )
        return isDry(asked.query) ? previewAnswer({ replay }, 200) : { replay }
      })
    })
  })
)
