import { Clock, Effect } from "effect"
import { clipForOps, replayForOps } from "../../engine/rules/panels/ReplayView.ts"
import { type ClipRecord, Clips, ClipsWriter } from "../../engine/store/panels/Clips.ts"
import { PublishedReplaysWriter } from "../../engine/store/panels/Replays.ts"
import type { ReplayId } from "../../schema/Ids.ts"
import { NotFound } from "../../schema/Problems.ts"
import { type Act, record } from "../runtime/audit.ts"
import { makeAskedClip, chosenClip } from "./Clips.ts"
import { actorLayer } from "../runtime/actorLayer.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { Archivist } from "./protocol/Replays.ts"
import { behaviours, command } from "../runtime/Command.ts"
import { stationFacts } from "../../engine/runtime/Config.ts"
import { mediaUrl } from "../../engine/rules/sound/MediaUrl.ts"

const actOf = ({ actor, reason }: Act): Act => ({ actor, reason })
const render = Effect.fnUntraced(function* ({ avatarPath, clip, synthetic }: ClipRecord) {
  const { publicUrl } = yield* stationFacts
  return clipForOps(clip, mediaUrl(avatarPath, publicUrl), synthetic, publicUrl)
})
const makeClip = Effect.fnUntraced(function* (asked: Parameters<typeof makeAskedClip>[0] & Act) {
  const clips = yield* Clips
  const { durationSec, id, segmentId, startSec, title } = yield* makeAskedClip(asked)
  yield* record(actOf(asked), "clip.make", { type: "clip", id }, null, { segmentId, startSec, durationSec, title })
  return yield* render((yield* clips.findAny(id))!)
})
const changeClip = Effect.fnUntraced(function* ({
  clipId,
  ...asked
}: { readonly clipId: string; readonly title: string | null; readonly hidden: boolean | null } & Act) {
  const clips = yield* ClipsWriter
  const before = yield* clips.findAny(clipId)
  if (before === null) return yield* new NotFound({ detail: `There is no clip ${clipId}.` })
  const { hidden, id, title } = before.clip
  const to = { title: asked.title ?? title, hidden: asked.hidden ?? hidden }
  if (to.title !== title || to.hidden !== hidden) {
    yield* clips.change(id, to)
    yield* record(actOf(asked), "clip.change", { type: "clip", id }, { title, hidden }, to)
  }
  return yield* render((yield* clips.findAny(id))!)
})
const hideReplay = Effect.fnUntraced(function* ({
  hidden,
  replayId,
  ...act
}: { readonly replayId: string; readonly hidden: boolean } & Act) {
  const replays = yield* PublishedReplaysWriter
  const before = yield* replays.findAny(replayId)
  if (before === null) return yield* new NotFound({ detail: `There is no recording ${replayId}.` })
  const { id } = before.replay
  if (before.replay.hidden !== hidden) {
    yield* replays.hide(id, hidden, yield* Clock.currentTimeMillis)
    yield* record(
      actOf(act),
      hidden ? "replay.hide" : "replay.show",
      { type: "replay", id },
      { hidden: !hidden },
      { hidden }
    )
  }
  return replayForOps((yield* replays.findAny(id))!)
})
const publish = Effect.fnUntraced(function* (replayId: ReplayId, airedAtMs: number) {
  const replays = yield* PublishedReplaysWriter
  const before = yield* replays.findAny(replayId)
  if (before === null || !(yield* replays.publish(before.replay.segmentId, airedAtMs, yield* Clock.currentTimeMillis)))
    return
  yield* chosenClip(before)
})
/** Activated on demand. All its state is in the store. */
export const ArchivistLive = actorLayer(
  Archivist,
  Effect.map(
    behaviours(Archivist, {
      MakeClip: ({ payload }) => command({ run: makeClip(payload) }),
      ChangeClip: ({ payload }) => command({ run: changeClip(payload) }),
      HideReplay: ({ payload }) => command({ run: hideReplay(payload) }),
      Publish: ({ payload }) => command({ run: publish(payload.replayId, payload.airedAtMs) })
    }),
    (all) => Archivist.of(all)
  ),
  transient
)
