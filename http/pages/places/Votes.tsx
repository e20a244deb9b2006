import { useState } from "preact/hooks"
import type { TrackEngagement } from "../../../schema/listeners/Listener.ts"
import { ask } from "../station/Ask.ts"
import { listener } from "../station/Listener.ts"
import { Button } from "../parts/Button.tsx"
import { toast } from "../parts/Toast.tsx"
import type { PlaceProps } from "../player/Radio.ts"
import { useAsk } from "../station/useAsk.ts"

interface Reasons {
  readonly positive: ReadonlyArray<{ readonly code: string; readonly label: string }>
  readonly negative: ReadonlyArray<{ readonly code: string; readonly label: string }>
}

const influence: Readonly<Record<TrackEngagement["rotationInfluence"], string>> = {
  none: "Votes of the last 30 days decide how soon it repeats.",
  boosted: "Well liked: it repeats sooner than other songs.",
  scheduled: "A listener requested it."
}

type Action = "like" | "dislike" | "clear"

/** Like or dislike the current song, with an optional reason, and the totals. */
const Votes = ({ id }: { readonly id: string }) => {
  const path = `/api/v1/tracks/${id}/engagement`
  const { value: before } = useAsk<TrackEngagement>(path)
  const reasons = useAsk<Reasons>("/api/v1/feedback/reasons?domain=track_music")
  const [after, setAfter] = useState<TrackEngagement | null>(null)
  const [busy, setBusy] = useState(false)
  const now = after ?? before
  const mine = now?.mine?.like === true ? "like" : now?.mine?.dislike === true ? "dislike" : null
  const vote = async (action: Action, reasonCode?: string): Promise<void> => {
    setBusy(true)
    try {
      await listener()
      setAfter(
        await ask<TrackEngagement>(path, { body: { action, ...(reasonCode === undefined ? {} : { reasonCode }) } })
      )
    } catch (fault) {
      toast((fault as Error).message)
    } finally {
      setBusy(false)
    }
  }
  const press = (action: "like" | "dislike") => void vote(mine === action ? "clear" : action)
  const offered =
    mine === null ? [] : mine === "like" ? (reasons.value?.positive ?? []) : (reasons.value?.negative ?? [])
  return (
    <section class="part votes">
      <h3>Your vote</h3>
      <div class="buttons">
        <Button kind="quiet" busy={busy} aria-pressed={mine === "like"} onClick={() => press("like")}>
          Like <span class="votes-count figures">{now?.totals.likes ?? ""}</span>
        </Button>
        <Button kind="quiet" busy={busy} aria-pressed={mine === "dislike"} onClick={() => press("dislike")}>
          Not for me <span class="votes-count figures">{now?.totals.dislikes ?? ""}</span>
        </Button>
      </div>
      <p class="note votes-note">{now === null ? "" : influence[now.rotationInfluence]}</p>
      {mine === null || offered.length === 0 ? null : (
        <label class="votes-why field">
          <span class="field-label">Reason (optional)</span>
          <select
            value={now?.mine?.reasonCode ?? ""}
            disabled={busy}
            onChange={(event) =>
              event.currentTarget.value === "" ? undefined : void vote(mine, event.currentTarget.value)
            }
          >
            <option value="">No reason given</option>
            {offered.map(({ code, label }) => (
              <option key={code} value={code}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
    </section>
  )
}

/** Only tracks of the library can be voted on. */
export const VotesNow = ({ radio: { heard } }: PlaceProps) => {
  const id = heard?.playing.track?.id ?? null
  return id === null ? null : <Votes key={id} id={id} />
}
