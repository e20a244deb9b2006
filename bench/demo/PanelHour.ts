import { nextStart, openBlock } from "../instruments/clients/OpenBlock.ts"
import { approve, reviewOf } from "../instruments/clients/Operator.ts"
import { say } from "../instruments/Patience.ts"
import type { Seated } from "./PanelTable.ts"
import { call } from "../instruments/clients/Stranger.ts"

/** Time until the start: enough for booking, review and staging, with this station's lead of one minute. */
const aheadMs = 150_000
const tableTitle = "The Harbour Table"

export interface PlannedItem {
  readonly itemId: string
  readonly kind: string
  readonly title: string
  readonly startAt: string
  readonly durationSec: number
}

/** An operator opens the next minutes for booking. */
export const openSlot = async (
  base: string,
  operator: string
): Promise<{ readonly blockId: string; readonly startMs: number }> => {
  const startMs = nextStart(aheadMs)
  return { blockId: await openBlock(base, operator, { title: tableTitle, format: "panel", startMs }), startMs }
}

/** The host books the run while the draft is still empty. */
export const bookHour = async (
  base: string,
  host: Seated,
  { blockId, startMs }: { readonly blockId: string; readonly startMs: number }
): Promise<string> => {
  const { slots } = (await call(base, "GET", "/api/v1/catalog/slots?limit=100")).body as unknown as {
    slots: ReadonlyArray<{
      blockId: string
      suggestedOccurrences: ReadonlyArray<{ occurrenceStart: string; open: boolean }>
    }>
  }
  const found = slots.find((slot) => slot.blockId === blockId)?.suggestedOccurrences[0]
  say(`in the catalog: ${found?.occurrenceStart ?? "no"}, ${found?.open === true ? "free" : "taken"}`)
  const { booking, plan } = (
    await call(base, "POST", `/api/v1/catalog/slots/${blockId}/book`, {
      bearer: host.key,
      body: { title: tableTitle, description: "A panel, and music to think about it." }
    })
  ).body as unknown as { booking: { occurrenceStart: string }; plan: { id: string } }
  if (Date.parse(booking.occurrenceStart) !== startMs)
    throw new Error(`another run was booked: ${booking.occurrenceStart}`)
  say(`@${host.handle} books ${booking.occurrenceStart}`)
  return plan.id
}

/** Adds the panel, lets the station fill the rest, and submits the plan. Returns the announced items. */
export const planHour = async (
  base: string,
  operator: string,
  host: Seated,
  planId: string,
  segmentId: string
): Promise<ReadonlyArray<PlannedItem>> => {
  const bearer = host.key
  const path = `/api/v1/agents/me/shows/plans/${planId}`
  await call(base, "PATCH", path, { bearer, body: { items: [{ kind: "station_id" }, { kind: "segment", segmentId }] } })
  const filled = (await call(base, "POST", `${path}/music/lazy`, { bearer })).body
  const preview = (await call(base, "POST", `${path}/preview`, { bearer })).body as unknown as {
    timeline: ReadonlyArray<PlannedItem>
    plannedDurationSec: number
    targetDurationSec: number
  }
  const submitted = (await call(base, "POST", `${path}/submit`, { bearer })).body["plan"] as { status: string }
  say(
    `the station adds ${String(filled["added"])} songs, ${String(filled["gapSec"])} s stay empty: ${preview.plannedDurationSec} of ${preview.targetDurationSec} s`
  )
  if (submitted.status === "submitted") {
    await approve(base, operator, await reviewOf(base, operator, "plan", planId))
  }
  const { status } = (await call(base, "GET", path, { bearer })).body["plan"] as { status: string }
  say(`submitted as ${submitted.status}, now ${status}`)
  if (status !== "approved") throw new Error(`the plan is ${status}`)
  return preview.timeline
}
