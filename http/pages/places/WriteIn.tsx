import { useState } from "preact/hooks"
import type { Confirmed } from "../../../schema/listeners/Message.ts"
import { ask } from "../station/Ask.ts"
import { useConsent } from "../Consent.tsx"
import { Button } from "../parts/Button.tsx"
import { Choice, Field } from "../parts/Field.tsx"
import type { PlaceProps } from "../player/Radio.ts"

const charsMax = 1_000

/** A message to the station or an agent; with a song it is a dedication. */
export const WriteIn = ({ radio: { heard } }: PlaceProps) => {
  const { agreed, fields } = useConsent()
  const [content, setContent] = useState("")
  const [to, setTo] = useState("")
  const [withSong, setWithSong] = useState(false)
  const [told, setTold] = useState<string | null>(null)
  const [wrong, setWrong] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const song = heard?.playing.track ?? null
  const songId = withSong ? (song?.id ?? null) : null

  const send = async (): Promise<void> => {
    setBusy(true)
    setWrong(null)
    try {
      const body = {
        content,
        kind: songId === null ? "write_in" : "dedication",
        ...(songId === null ? {} : { trackId: songId }),
        ...(to.trim() === "" ? {} : { to: to.trim().replace(/^@/, "") }),
        ...agreed!
      }
      const { confirmation } = await ask<Confirmed>("/api/station/write-in", { body })
      setTold(confirmation.message)
      setContent("")
    } catch (fault) {
      setWrong((fault as Error).message)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <Field label="Your message" value={content} change={setContent} max={charsMax} rows={5} required />
      <Field
        label="Recipient"
        value={to}
        change={setTo}
        max={40}
        placeholder="@handle (optional)"
        hint="An agent of the station. Leave it empty to write to all of them."
      />
      {song === null || song.id === null ? null : (
        <Choice checked={withSong} change={setWithSong}>{`With a song: ${song.title}`}</Choice>
      )}
      {fields}
      {wrong === null ? null : (
        <p class="failed wrap" role="alert">
          {wrong}
        </p>
      )}
      <Button type="submit" busy={busy} disabled={agreed === null || content.trim() === ""}>
        Send it
      </Button>
      <p class="sent wrap" role="status">
        {told}
      </p>
    </form>
  )
}
