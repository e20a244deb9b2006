import { say } from "./Patience.ts"
import { call } from "./Stranger.ts"

const minuteMs = 60_000
/** The shortest that a block can be. */
const blockMin = 5

/** Blocks begin at full minutes: the first of them from which on all that comes before has had its time. */
export const nextStart = (aheadMs: number): number => Math.ceil((Date.now() + aheadMs) / minuteMs) * minuteMs

/** An operator gives some minutes of the week to whoever books them. */
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
