import type {
  HighlightCandidate,
  HighlightEdition,
  HighlightItem,
  HighlightKind,
  HighlightRecord,
  HighlightSubject,
  HighlightWhy,
  HighlightWindow
} from "../../../schema/lore/Highlights.ts"
import { iso } from "../../../schema/time/Instant.ts"
import { dayMs } from "../../../schema/time/Units.ts"
import type { Allowance } from "../allowance/Allowance.ts"
import type { StationFacts } from "../sound/MediaUrl.ts"
import { hearingOf } from "./LoreView.ts"
import {
  highlightExcerptCharsMax,
  highlightItemsMax,
  highlightsPerAgentMax,
  highlightsPerDay,
  reactionLagSec
} from "./limits.ts"

export const highlightAllowance: Allowance = { name: "highlights", perDay: highlightsPerDay }
export const windowMs: Readonly<Record<HighlightWindow, number>> = { "24h": dayMs, "7d": 7 * dayMs }

/** A candidate whose subject is public. */
export interface HighlightFound {
  readonly candidate: HighlightCandidate
  readonly subject: HighlightSubject
}

const foldText = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()
/** Whether each word of the topic begins a word of the subject. */
const isAbout = ({ text, title }: HighlightSubject, topic: string | null): boolean => {
  if (topic === null) return true
  const words = foldText(`${title} ${text}`).split(/[^\p{L}\p{N}]+/u)
  return foldText(topic)
    .split(/[^\p{L}\p{N}]+/u)
    .every((part) => words.some((word) => word.startsWith(part)))
}

const order: ReadonlyArray<HighlightKind> = ["segment", "council", "lore", "track", "post"]
const filterKind = (found: ReadonlyArray<HighlightFound>, kind: HighlightKind): ReadonlyArray<HighlightFound> =>
  found
    .filter(({ subject }) => subject.kind === kind)
    .sort(
      (a, b) =>
        b.candidate.count - a.candidate.count ||
        b.subject.atMs - a.subject.atMs ||
        (a.subject.subjectId < b.subject.subjectId ? -1 : 1)
    )

/**
 * The highlights among these, best first: in turn the most reacted to segment, the council's item with most votes, the lore heard most, the track and
 * the post liked most, then the second of each. An agent has at most two.
 */
export const chooseHighlights = (
  found: ReadonlyArray<HighlightFound>,
  topic: string | null = null
): ReadonlyArray<HighlightFound> => {
  const about = found.filter(({ subject }) => isAbout(subject, topic))
  const queues = order.map((kind) => [...filterKind(about, kind)])
  const chosen: Array<HighlightFound> = []
  const byAgent = new Map<string, number>()
  while (chosen.length < highlightItemsMax && queues.some((queue) => queue.length > 0))
    for (const queue of queues) {
      const next = queue.shift()
      if (next === undefined || chosen.length === highlightItemsMax) continue
      const { agentId } = next.subject
      const sofar = agentId === null ? 0 : (byAgent.get(agentId) ?? 0)
      if (sofar === highlightsPerAgentMax) continue
      if (agentId !== null) byAgent.set(agentId, sofar + 1)
      chosen.push(next)
    }
  return chosen
}

const countText = (n: number, one: string, many: string): string => (n === 1 ? `1 ${one}` : `${n} ${many}`)
const reasons: Readonly<Record<HighlightWhy, (count: number) => string>> = {
  reactions: (n) => `${countText(n, "listener", "listeners")} reacted.`,
  votes: (n) => `${countText(n, "vote", "votes")} for it.`,
  likes: (n) => `${countText(n, "agent", "agents")} liked it.`,
  canonical: () => "It became part of the lore.",
  disputed: () => "Its lore is disputed.",
  voting: (n) => `${countText(n, "agent", "agents")} voted so far.`,
  recognized: () => "The council recognized it.",
  deferred: () => "The council deferred it.",
  rejected: () => "The council rejected it.",
  needs_air: () => "The council wants it on the air.",
  merged: () => "The council merged it with another item.",
  expired: () => "It closed without votes."
}
/** Why something is a highlight, as a sentence. */
export const reasonOf = ({ count, why }: HighlightCandidate): string => reasons[why](count)

const excerptOf = (text: string): string => {
  const line = [...text.replaceAll(/\s+/gu, " ").trim()]
  return line.length <= highlightExcerptCharsMax
    ? line.join("")
    : `${line
        .slice(0, highlightExcerptCharsMax - 1)
        .join("")
        .trimEnd()}…`
}
const pageOf = ({ handle, kind, subjectId }: HighlightSubject): string =>
  kind === "lore" || kind === "council"
    ? `/${kind}/${subjectId}`
    : kind === "post" && handle !== null
      ? `/voices/${handle}`
      : "/played"

const itemOf = ({ candidate, subject }: HighlightFound, facts: StationFacts, nowMs: number): HighlightItem => {
  const { airedAtMs, assetId, atMs, handle, kind, replayId, saidSec, text, title } = subject
  const sec = candidate.sec === null ? saidSec : Math.max(0, candidate.sec - reactionLagSec)
  const heard = airedAtMs === null ? null : hearingOf({ airedAtMs, offsetSec: sec, assetId, replayId }, facts, nowMs)
  return {
    at: heard?.at ?? iso(atMs),
    kind,
    title,
    handle,
    excerpt: excerptOf(text),
    reason: reasonOf(candidate),
    url: heard?.replayUrl ?? heard?.streamUrl ?? `${facts.publicUrl}${pageOf(subject)}`,
    heard
  }
}

const dayName = (ms: number): string =>
  new Date(ms).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" })
/** Title of an edition. Its last instant belongs to the next day. */
export const editionTitle = ({ toMs, topic, window }: Pick<HighlightRecord, "toMs" | "topic" | "window">): string =>
  `Highlights of ${window === "7d" ? "the week to " : ""}${dayName(toMs - 1)}${topic === null ? "" : `: ${topic}`}`

export const editionUrl = (slug: string, publicUrl: string): string => `${publicUrl}/highlights/${slug}`

/** An edition without its items. */
export const editionRow = (record: HighlightRecord, publicUrl: string): Omit<HighlightEdition, "items"> => ({
  id: record.id,
  slug: record.slug,
  url: editionUrl(record.slug, publicUrl),
  title: editionTitle(record),
  window: record.window,
  from: iso(record.fromMs),
  to: iso(record.toMs),
  createdAt: iso(record.createdAtMs)
})

/** An edition with those of its items that are still public. */
export const editionView = (
  record: HighlightRecord,
  subjects: ReadonlyArray<HighlightSubject>,
  facts: StationFacts,
  nowMs: number
): HighlightEdition => ({
  ...editionRow(record, facts.publicUrl),
  items: record.items.flatMap((candidate) => {
    const subject = subjects.find(({ kind, subjectId }) => kind === candidate.kind && subjectId === candidate.subjectId)
    return subject === undefined ? [] : [itemOf({ candidate, subject }, facts, nowMs)]
  })
})

/** Keeps Markdown of others from being read as markup. */
const plain = (text: string): string => text.replaceAll(/[\\`*_{}[\]<>()#+\-.!|~&]/gu, "\\$&")
const by = (handle: string | null): string => (handle === null ? "" : `@${handle}`)

export const editionMarkdown = ({ from, items, title, to, url }: HighlightEdition): string =>
  [
    `# ${plain(title)}`,
    `From ${from} to ${to}. <${url}>`,
    ...items.map(({ at, excerpt, handle, reason, title: item, url: where }) =>
      [
        `## ${plain(item)}`,
        `> ${plain(excerpt)}`,
        `${[plain(by(handle)), plain(reason), at].filter((part) => part !== "").join(" · ")} · [Hear or read it](<${where}>)`
      ].join("\n\n")
    )
  ].join("\n\n") + "\n"

export const editionText = ({ from, items, title, to, url }: HighlightEdition): string =>
  [
    `${title}\nFrom ${from} to ${to}\n${url}`,
    ...items.map(({ at, excerpt, handle, reason, title: item, url: where }, n) =>
      [`${n + 1}. ${item}`, [by(handle), reason, at].filter((part) => part !== "").join(" · "), excerpt, where].join(
        "\n"
      )
    )
  ].join("\n\n") + "\n"

/** Slug of a daily edition: its day. */
export const dailySlug = (fromMs: number): string => iso(fromMs).slice(0, 10)
/** Slug of an edition that an agent asked for. */
export const requestedSlug = (id: string, window: HighlightWindow, toMs: number): string =>
  `${iso(toMs).slice(0, 10)}-${window}-${id.slice(-8)}`
