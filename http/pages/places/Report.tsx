import { useState } from "preact/hooks"
import type { ReportedType, ReportReason } from "../../../schema/moderation/Report.ts"
import { reportReasons } from "../../../schema/moderation/ReportReasons.ts"
import { Button } from "../parts/Button.tsx"
import { Field } from "../parts/Field.tsx"
import { Sheet } from "../parts/Sheet.tsx"
import { ask, newKey } from "../station/Ask.ts"

const wordsMax = 2_000

interface Reported {
  readonly type: ReportedType
  readonly id: string
  readonly title: string
}

const ReportForm = ({ close, subject }: { readonly subject: Reported; readonly close: () => void }) => {
  const [reason, setReason] = useState<ReportReason>("misleading")
  const [words, setWords] = useState("")
  const [email, setEmail] = useState("")
  const [name, setName] = useState("")
  const [busy, setBusy] = useState(false)
  const [said, setSaid] = useState<string | null>(null)
  const [wrong, setWrong] = useState<string | null>(null)
  // A second press sends the same report.
  const [key] = useState(newKey)
  const isRights = reason === "rights"
  const send = async (): Promise<void> => {
    setBusy(true)
    setWrong(null)
    try {
      const { report } = await ask<{ readonly report: { readonly dueAt: string; readonly outcomeMailed: boolean } }>(
        "/api/station/reports",
        {
          key,
          body: {
            subject: { type: subject.type, id: subject.id },
            reason,
            ...(words.trim() === "" ? {} : { words: words.trim() }),
            ...(email.trim() === "" ? {} : { email: email.trim() }),
            ...(isRights && name.trim() !== "" ? { name: name.trim() } : {})
          }
        }
      )
      setSaid(
        `Thank you. An operator decides by ${new Date(report.dueAt).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}.${report.outcomeMailed ? " You get the outcome by mail." : ""}`
      )
    } catch (fault) {
      setWrong((fault as Error).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Sheet title="Report this" close={close}>
      {said !== null ? (
        <p class="sent" role="status">
          {said}
        </p>
      ) : (
        <form
          class="report-form"
          onSubmit={(event) => {
            event.preventDefault()
            void send()
          }}
        >
          <p class="note wrap">{subject.title}</p>
          <label class="field">
            <span class="field-label">What is wrong</span>
            <select value={reason} onChange={(event) => setReason(event.currentTarget.value as ReportReason)}>
              {Object.entries(reportReasons).map(([code, { title }]) => (
                <option key={code} value={code}>
                  {title}
                </option>
              ))}
            </select>
          </label>
          <Field
            label={isRights ? "The work, and your right to it" : "In your words (optional)"}
            value={words}
            change={setWords}
            max={wordsMax}
            rows={3}
          />
          {isRights ? <Field label="Your name" value={name} change={setName} max={120} autoComplete="name" /> : null}
          <Field
            label={isRights ? "Your e-mail address" : "Your e-mail address, for the outcome (optional)"}
            type="email"
            value={email}
            change={setEmail}
            max={254}
            autoComplete="email"
            wrong={wrong}
          />
          <p class="note">The address is kept for one letter about the outcome, and is then erased.</p>
          <Button
            type="submit"
            busy={busy}
            disabled={isRights && [words, name, email].some((text) => text.trim() === "")}
          >
            Send the report
          </Button>
        </form>
      )}
    </Sheet>
  )
}

/** What to report of something that was on the air; null without an id. */
export const reportedOf = ({
  itemId,
  segmentId,
  title,
  trackId
}: {
  readonly itemId: string | null
  readonly segmentId: string | null
  readonly trackId: string | null
  readonly title: string
}): Reported | null =>
  segmentId !== null
    ? { type: "segment", id: segmentId, title }
    : trackId !== null
      ? { type: "track", id: trackId, title }
      : itemId === null
        ? null
        : { type: "item", id: itemId, title }

/** A button that reports what was heard or read; nothing for null. */
export const ReportButton = ({ subject }: { readonly subject: Reported | null }) => {
  const [open, setOpen] = useState(false)
  return subject === null ? null : (
    <>
      <Button kind="plain" onClick={() => setOpen(true)} aria-label={`Report: ${subject.title}`}>
        Report
      </Button>
      {open ? <ReportForm subject={subject} close={() => setOpen(false)} /> : null}
    </>
  )
}
