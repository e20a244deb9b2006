import { useState } from "preact/hooks"
import type { SetupLine } from "../../../../schema/operations/Settings.ts"
import { Button } from "../../parts/Button.tsx"
import { Field } from "../../parts/Field.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { useAsk } from "../../station/useAsk.ts"
import { propose } from "../desk/Act.tsx"

interface Answer {
  readonly setup: ReadonlyArray<typeof SetupLine.Type>
  readonly needsRestart: boolean
}

const labels: Readonly<Record<string, string>> = {
  stationName: "Name of the station",
  stationTagline: "Line under the name",
  timeZone: "Time zone",
  publicUrl: "Public address",
  smtpUrl: "Mail server",
  mailFrom: "Sender of its mail"
}

const charsMax: Readonly<Record<string, number>> = { stationName: 60, stationTagline: 140, timeZone: 60 }

/** The text that the field shows: what is written, or what is in force. Secrets are shown by nobody. */
const shownOf = ({ isFixed, value, written }: typeof SetupLine.Type): string =>
  (isFixed ? value : (written ?? value)) ?? ""

/** Name, time zone, address and mail, written for the next start of the station. */
export const SetupForm = () => {
  const asked = useAsk<Answer>("/api/ops/setup")
  const [draft, setDraft] = useState<Readonly<Record<string, string>>>({})
  const save = (lines: Answer["setup"]) => (event: Event) => {
    event.preventDefault()
    const changed = lines.filter((line) => (draft[line.key] ?? shownOf(line)) !== shownOf(line))
    const body = Object.fromEntries(changed.map(({ key }) => [key, draft[key]!.trim() || null]))
    propose({
      role: "admin",
      command: { path: "/api/ops/setup", method: "PUT", body },
      reason: `Set ${changed.map(({ key }) => labels[key]).join(", ")}.`,
      said: "Written. It is in force from the next start of the station on.",
      done: () => {
        setDraft({})
        asked.askAgain()
      },
      ask: {
        title: "Write the setup?",
        button: "Write it",
        about: "It is in force from the next start of the station on."
      }
    })
  }
  return (
    <Loaded asked={asked}>
      {({ needsRestart, setup }) => (
        <section class="part fields" aria-labelledby="setup-form">
          <h2 id="setup-form">Name, time and mail</h2>
          {needsRestart ? (
            <p class="failed" role="status">
              Something written here isn’t in force yet. Start the station again: Ctrl-C, then npm start.
            </p>
          ) : null}
          <form onSubmit={save(setup)}>
            {setup.map((line) =>
              line.isFixed ? (
                <p key={line.key} class="note wrap">
                  {`${labels[line.key]}: ${line.value ?? "set"}. The environment sets ${line.name}, so it can’t be changed here.`}
                </p>
              ) : (
                <Field
                  key={line.key}
                  label={labels[line.key] ?? line.name}
                  hint={`It must be ${line.right}.${line.key === "smtpUrl" && (line.isSet || line.isWritten) ? " One is set; it isn’t shown." : ""}`}
                  value={draft[line.key] ?? shownOf(line)}
                  change={(value) => setDraft((was) => ({ ...was, [line.key]: value }))}
                  max={charsMax[line.key] ?? 300}
                />
              )
            )}
            <Button
              type="submit"
              kind="quiet"
              disabled={setup.every((line) => (draft[line.key] ?? shownOf(line)) === shownOf(line))}
            >
              Write it
            </Button>
          </form>
        </section>
      )}
    </Loaded>
  )
}
