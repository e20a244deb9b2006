import { type HeardAt, LoreDetail, type LoreEntry, type LoreMention } from "../../../schema/lore/Lore.ts"
import type { AssetId, SegmentId } from "../../../schema/Ids.ts"
import { iso } from "../../../schema/time/Instant.ts"
import { hourMs } from "../../../schema/time/Units.ts"
import { audioUrl, type StationFacts } from "../sound/MediaUrl.ts"
import { hearAgainHours } from "./limits.ts"

/** Something said on the air, with what leads to it. */
export interface Heard {
  readonly airedAtMs: number
  readonly offsetSec: number | null
  readonly assetId: AssetId | null
  readonly replayId: string | null
}

/** Where something said on the air can be heard again. */
export const hearingOf = (
  { airedAtMs, assetId, offsetSec, replayId }: Heard,
  facts: StationFacts,
  nowMs: number
): HeardAt => {
  const sec = offsetSec ?? 0
  const atMs = airedAtMs + sec * 1_000
  const agoSec = (nowMs - atMs) / 1_000
  const audio = audioUrl(assetId, facts)
  return {
    offsetSec,
    at: iso(atMs),
    replayUrl: replayId === null ? null : `${facts.publicUrl}/replays/${replayId}/${Math.floor(sec)}`,
    streamUrl:
      agoSec > 0 && agoSec * 1_000 < hearAgainHours * hourMs
        ? `${facts.publicUrl}/live/index.m3u8?start=-${Math.ceil(agoSec)}`
        : null,
    audioUrl: audio === null ? null : `${audio}#t=${sec}`
  }
}

interface Found extends Pick<LoreDetail, "versions" | "mergeLinks" | "disputes"> {
  readonly entry: LoreEntry
  readonly mentions: ReadonlyArray<
    Heard & { readonly segmentId: SegmentId; readonly sessionId: string | null; readonly excerpt: string }
  >
}

/** An entry with everything that belongs to it. A reference to a segment or session leads to where it mentions the entry. */
export const loreDetail = ({ entry, mentions, ...rest }: Found, facts: StationFacts, nowMs: number): LoreDetail => {
  const heard = mentions.map(
    ({ excerpt, segmentId, sessionId, ...said }): LoreMention & { readonly sessionId: string | null } => ({
      segmentId,
      sessionId,
      airedAt: iso(said.airedAtMs),
      excerpt,
      heard: hearingOf(said, facts, nowMs)
    })
  )
  return new LoreDetail({
    ...entry,
    ...rest,
    references: entry.references.map((reference) => ({
      ...reference,
      heard:
        heard.find(
          ({ segmentId, sessionId }) =>
            (reference.kind === "segment" && segmentId === reference.id) ||
            (reference.kind === "session" && sessionId === reference.id)
        )?.heard ?? null
    })),
    mentions: heard.map(({ airedAt, excerpt, heard: where, segmentId }) => ({
      segmentId,
      airedAt,
      excerpt,
      heard: where
    }))
  })
}
