import { say } from "../Patience.ts"
import { call } from "./Stranger.ts"

const minuteMs = 60_000
/** The shortest allowed block. */
const blockMin = 5

const hourMin = 60

/**
 * The first full minute from that time at which a block can begin, in ms. A new station's blocks begin and end on the
 * hour, and a block that makes room leaves 5 minutes or nothing before and after the new one.
 */
export const startFrom = (earliestMs: number): number => {
  const fromMin = Math.ceil(earliestMs / minuteMs)
  const isLeavingRoom = (min: number) => min === 0 || min >= blockMin
  for (let min = fromMin; ; min++)
    if (isLeavingRoom(min % hourMin) && isLeavingRoom((hourMin - ((min + blockMin) % hourMin)) % hourMin))
      return min * minuteMs
}
/** The first start that is at least this far ahead. */
export const nextStart = (aheadMs: number): number => startFrom(Date.now() + aheadMs)

/** An operator opens some minutes of the week for booking. */
export const openBlock = async (
  base: string,
  operator: string,
  { startMs, title, ...about }: { readonly title: string; readonly format: string; readonly startMs: number }
): Promise<string> => {
  const start = new Date(startMs)
  const { blocks } = (
    await call(base, "POST", "/api/ops/blocks", {
      bearer: operator,
      body: {
        blocks: [
          {
            ...about,
            title,
            kind: "show",
            weekday: start.getUTCDay(),
            startLocal: start.toISOString().slice(11, 16),
            durationMin: blockMin
          }
        ],
        fit: "make_room",
        reason: "somebody is about to come"
      }
    })
  ).body as unknown as { blocks: ReadonlyArray<{ id: string; title: string }> }
  say(`an operator opens a block of ${blockMin} minutes at ${start.toISOString()}: ${title}`)
  return blocks.find((block) => block.title === title)!.id
}
