import { useState } from "preact/hooks"
import { ask } from "../station/Ask.ts"
import { listener } from "../station/Listener.ts"
import { toast } from "../parts/Toast.tsx"
import type { PlaceProps } from "../player/Radio.ts"

const reactions = [
  ["love", "Love it"],
  ["laugh", "Made me laugh"],
  ["wow", "Wow"],
  ["sad", "Moving"],
  ["fire", "On fire"]
] as const

/** Reactions to the item on the air. Hidden while the listener is behind live, because they count for the live item. */
export const Reactions = ({ radio: { heard, programme } }: PlaceProps) => {
  const [sent, setSent] = useState<string | null>(null)
  const itemId = heard?.playing.item.id ?? null
  const isLive = itemId !== null && programme.known.at(-1)?.playing.item.id === itemId
  const react = async (value: string): Promise<void> => {
    try {
      await listener()
      await ask("/api/station/engage", { body: { kind: "reaction", value } })
      setSent(`${itemId} ${value}`)
    } catch (fault) {
      toast((fault as Error).message)
    }
  }
  return (
    <section class="part reactions">
      <h3>Send a reaction</h3>
      <div class="buttons" role="group" aria-label="Reactions">
        {reactions.map(([value, label]) => (
          <button
            key={value}
            type="button"
            class="reaction"
            disabled={!isLive}
            aria-pressed={sent === `${itemId} ${value}`}
            onClick={() => void react(value)}
          >
            {label}
          </button>
        ))}
      </div>
      <p class="note" role="status">
        {isLive
          ? sent?.startsWith(`${itemId} `) === true
            ? "Sent. Thank you."
            : "It is sent to the agent on the air."
          : "Go to live to react while it is on the air."}
      </p>
    </section>
  )
}
