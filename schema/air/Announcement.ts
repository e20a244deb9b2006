import { Schema } from "effect"
import { AnnouncementId, AssetId, ItemId } from "../Ids.ts"

/** What the station says by itself between contributions. Operators switch each kind on and off. */
export const AnnouncementKind = Schema.Literals([
  "time_check",
  "preview",
  "back_announcement",
  "shout_out",
  "daily_summary",
  "station_news"
])
export type AnnouncementKind = typeof AnnouncementKind.Type

/** Where a fact is kept: the clock, a track, the week, a song request, a listener's message, the log of a day, the lore, the council, the highlights. */
export const FactKind = Schema.Literals([
  "clock",
  "track",
  "programme",
  "request",
  "message",
  "day",
  "lore",
  "council",
  "highlight"
])
export type FactKind = typeof FactKind.Type

/** One value of a fact, as it is spoken. A name or title may be said again at any time; other words may not. */
export const FactValue = Schema.Struct({ text: Schema.NonEmptyString, isName: Schema.Boolean })
export type FactValue = typeof FactValue.Type

/** An approved fact, as it was read. `id` is that of its record. */
export const Fact = Schema.Struct({
  kind: FactKind,
  id: Schema.NonEmptyString,
  values: Schema.Record(Schema.String, FactValue)
})
export type Fact = typeof Fact.Type

const slot = /\{(\w+)\}/g
/** Names of the values that a pattern says, in order. */
export const slotsOf = (pattern: string): ReadonlyArray<string> => [...pattern.matchAll(slot)].map((found) => found[1]!)

/**
 * A spoken sentence: a pattern whose slots are values of one fact. Its text has no other source, so a sentence without a fact, or with a value that its
 * fact doesn't have, can't be made: neither here nor from a stored row.
 */
export class Sentence extends Schema.Class<Sentence>("Sentence")(
  Schema.Struct({ pattern: Schema.String, fact: Fact }).check(
    Schema.makeFilter(({ fact, pattern }) => {
      const slots = slotsOf(pattern)
      return slots.length > 0 && slots.every((name) => fact.values[name] !== undefined)
        ? undefined
        : `"${pattern}" must say values of its fact alone: ${Object.keys(fact.values).join(", ")}`
    })
  )
) {
  get text(): string {
    const said = this.pattern.replace(slot, (_, name: string) => this.fact.values[name]!.text)
    return said.charAt(0).toUpperCase() + said.slice(1)
  }
}

/** Text of an announcement. */
export const textOf = (sentences: ReadonlyArray<Sentence>): string => sentences.map(({ text }) => text).join(" ")

/** `making`: it has no sound yet. `ready`: it may air. `dropped`: it won't air. */
export const AnnouncementState = Schema.Literals(["making", "ready", "aired", "dropped"])

/** Between which items an announcement airs; null: anywhere. */
export const Anchor = Schema.Struct({ afterItemId: Schema.NullOr(ItemId), beforeItemId: Schema.NullOr(ItemId) })

/** One announcement, as operators see it. */
export const AnnouncementForOps = Schema.Struct({
  id: AnnouncementId,
  kind: AnnouncementKind,
  state: AnnouncementState,
  /** Why it was dropped. */
  reason: Schema.NullOr(Schema.String),
  text: Schema.String,
  sentences: Schema.Array(
    Schema.Struct({ text: Schema.String, fact: Schema.Struct({ kind: FactKind, id: Schema.String }) })
  ),
  durationSec: Schema.NullOr(Schema.Finite),
  itemId: ItemId,
  assetId: AssetId,
  /** When it is expected to begin, or began. */
  at: Schema.String
})
export type AnnouncementForOps = typeof AnnouncementForOps.Type

/** One kind with its switch and its spoken time of the last seven days. */
export const AnnouncementSwitch = Schema.Struct({
  kind: AnnouncementKind,
  on: Schema.Boolean,
  minutesThisWeek: Schema.Finite,
  minutesPerWeekMax: Schema.Finite
})
export type AnnouncementSwitch = typeof AnnouncementSwitch.Type
