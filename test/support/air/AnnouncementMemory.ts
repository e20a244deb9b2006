import type { Effect } from "effect"
import { factKey, requestFact, trackFact } from "../../../engine/rules/air/Facts.ts"
import type { Announced } from "../../../engine/rules/air/Planner.ts"
import type { Said } from "../../../engine/rules/air/Announcer.ts"
import type { AnnouncementFacts } from "../../../engine/store/air/AnnouncementFacts.ts"
import type { AnnouncementsWriter } from "../../../engine/store/air/Announcements.ts"
import type { AnnouncementKind, Fact } from "../../../schema/air/Announcement.ts"
import type { Track } from "../../../schema/music/Track.ts"
import type { makeRequestMemory } from "./RequestMemory.ts"

interface Row extends Said {
  readonly id: string
  readonly afterItemId: string | null
  readonly beforeItemId: string | null
  readonly validFromMs: number
  atMs: number
  validUntilMs: number
  state: "making" | "ready" | "aired" | "dropped"
  reason: string | null
  airable: Announced | null
  lengthMs: number
  fence: number
}

/** Announcements as a plain map, with facts of the memory's tracks and requests; news are what a test puts there. */
export const makeAnnouncementMemory = (
  query: <A>(run: () => A) => Effect.Effect<A>,
  {
    fenceOf,
    isLogged,
    playedLast,
    requests,
    tracks
  }: {
    readonly fenceOf: () => number
    readonly isLogged: (itemId: string) => boolean
    readonly playedLast: () => string | null
    readonly requests: ReturnType<typeof makeRequestMemory>["rows"]
    readonly tracks: ReadonlyMap<string, Track>
  }
) => {
  const rows = new Map<string, Row>()
  const off = new Set<AnnouncementKind>()
  const news: Array<Fact> = []
  const isOpen = ({ state }: Row) => state === "making" || state === "ready"
  const owned = (fence: number, run: () => void) => query(() => (fence < fenceOf() ? undefined : run()))
  const trackFacts = (ids: ReadonlyArray<string>) =>
    ids.flatMap((id) => {
      const track = tracks.get(id)
      if (track === undefined || track.approvalStatus !== "approved") return []
      return trackFact({ ...track, isHouse: track.source === "house" }) ?? []
    })
  const named = (ids: ReadonlyArray<string>) =>
    [...requests.values()].flatMap(({ id, label }) =>
      ids.includes(id) && label !== "a listener" ? [{ id, label, humanId: null }] : []
    )
  const writer = {
    claim: ({ id, ...draft }: Parameters<AnnouncementsWriter["Service"]["claim"]>[0], fence: number) =>
      query(() => {
        if (rows.has(id) || fence < fenceOf()) return false
        rows.set(id, { ...draft, id, state: "making", reason: null, airable: null, lengthMs: 0, fence })
        return true
      }),
    ready: (id: string, airable: Announced, lengthMs: number, fence: number) =>
      query(() => {
        const row = rows.get(id)
        if (row?.state !== "making" || fence < fenceOf()) return false
        Object.assign(row, { state: "ready", airable, lengthMs, validUntilMs: airable.validUntilMs! })
        return true
      }),
    drop: (ids: ReadonlyArray<string>, reason: string, fence: number) =>
      owned(fence, () => {
        for (const id of ids) if (isOpen(rows.get(id)!)) Object.assign(rows.get(id)!, { state: "dropped", reason })
      }),
    dropOld: (nowMs: number, fence: number) =>
      owned(fence, () => {
        for (const row of rows.values())
          if ((row.state === "making" && row.fence < fence) || (isOpen(row) && row.validUntilMs <= nowMs))
            row.state = "dropped"
      }),
    begun: (id: string, atMs: number, fence: number) =>
      owned(fence, () => {
        const row = rows.get(id)
        if (row !== undefined && isOpen(row)) Object.assign(row, { state: "aired", atMs })
      }),
    open: (nowMs: number) =>
      query(() =>
        [...rows.values()].flatMap(({ airable, id, kind, sentences, state, validUntilMs }) =>
          state === "ready" && airable !== null && validUntilMs > nowMs && !isLogged(`itm_${id.slice(4)}`)
            ? [{ kind, airable, facts: sentences.map(({ fact }) => fact) }]
            : []
        )
      ),
    said: (): Effect.Effect<ReadonlyArray<Said>> =>
      query(() => [...rows.values()].filter(({ state }) => state !== "dropped")),
    spokenMs: () => query(() => ({})),
    off: query(() => new Set(off))
  } satisfies Partial<AnnouncementsWriter["Service"]>
  const facts = {
    tracks: (ids: ReadonlyArray<string>) => query(() => trackFacts(ids)),
    named: (ids: ReadonlyArray<string>) => query(() => named(ids)),
    messages: () => query(() => []),
    programmes: () => query(() => []),
    playedLast: query(() => playedLast() as never),
    day: () => query(() => null),
    news: () => query(() => [...news]),
    current: (given: ReadonlyArray<Fact>) =>
      query(() => {
        const ids = given.map(({ id }) => id)
        const known = [...trackFacts(ids), ...named(ids).flatMap((one) => requestFact(one) ?? []), ...news]
        return new Map(known.map((fact) => [factKey(fact), fact]))
      })
  } satisfies AnnouncementFacts["Service"]
  return {
    rows,
    off,
    news,
    writer,
    facts
  }
}
