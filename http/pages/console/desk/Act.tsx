import { signal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { OperatorRole } from "../../../../schema/operations/Operator.ts"
import { Button } from "../../parts/Button.tsx"
import { Field } from "../../parts/Field.tsx"
import { Sheet } from "../../parts/Sheet.tsx"
import { toast } from "../../parts/Toast.tsx"
import { ask, newKey, Refusal } from "../../station/Ask.ts"
import { type Topic, touch } from "./Live.ts"
import { confirmSession, hasRole } from "./Session.ts"

export const reasonCharsMax = 500

/** One operation of the station. */
export interface Command {
  readonly path: string
  /** POST by default. */
  readonly method?: "POST" | "PUT" | "PATCH" | "DELETE"
  readonly body?: object
  /** The whole body, for operations that take the reason elsewhere than at the top. */
  readonly bodyOf?: (reason: string) => object
  /** The version that the operator saw: the station refuses the command if there is a newer one. */
  readonly seen?: string | null
}

/** What an operator is about to do. */
export interface Act<A = unknown> {
  readonly role: OperatorRole
  readonly command: Command
  /** For the audit log, unless the operator writes another. */
  readonly reason: string
  readonly done?: (answer: A) => void
  /** Shown when it is done. */
  readonly said?: string
  readonly undo?: () => Act
  readonly changes?: ReadonlyArray<Topic>
  /** Asks for the reason before it is sent. Without, it is sent at once. */
  readonly ask?: {
    readonly title: string
    readonly button: string
    /** What it means, in a sentence. */
    readonly about?: ComponentChildren
    readonly needsReason?: boolean
    readonly reasons?: ReadonlyArray<string>
    /** What it would change, from the answer of a dry run. */
    readonly preview?: (wouldBe: A) => ComponentChildren
  }
}

/** Sends a command with its reason. A repeat with the same key does nothing twice. */
export const send = <A,>(
  { body = {}, bodyOf, method = "POST", path, seen = null }: Command,
  reason: string,
  { dryRun = false, key = newKey() }: { readonly key?: string; readonly dryRun?: boolean } = {}
): Promise<A> => {
  const query = new URLSearchParams({
    ...(method === "DELETE" && reason !== "" ? { reason } : {}),
    ...(dryRun ? { dryRun: "true" } : {})
  }).toString()
  return ask<A>(query === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`, {
    method,
    key,
    ...(method === "DELETE" ? {} : { body: bodyOf?.(reason) ?? { ...body, ...(reason === "" ? {} : { reason }) } }),
    ...(seen === null ? {} : { headers: { "if-match": seen } })
  })
}

/** The act whose reason is asked for. */
const proposed = signal<Act | null>(null)
/** What somebody else changed, to show after a refusal. */
const overtaken = signal<ReadonlyArray<Difference> | null>(null)

export const propose = <A,>(act: Act<A>): void => {
  proposed.value = act as Act
}

const finish = (act: Act, answer: unknown): void => {
  touch(...(act.changes ?? []))
  const undo = act.undo?.()
  if (act.said !== undefined) toast(act.said, undo === undefined ? null : { label: "Undo", run: () => void run(undo) })
  act.done?.(answer)
}

/** One change by somebody else, in words. */
export interface Difference {
  readonly id: string | null
  readonly change: string
  readonly detail: string
}

/** Shows what has changed, if that is why the station refused. */
const explain = (act: Act, fault: unknown): boolean => {
  if (!(fault instanceof Refusal)) return false
  if (fault.status === 401) void confirmSession()
  // Somebody else was faster: shows how it is now.
  if (fault.status === 409) touch(...(act.changes ?? []))
  if (fault.status !== 412) return false
  touch(...(act.changes ?? []))
  overtaken.value = (fault.problem as { readonly differences?: ReadonlyArray<Difference> }).differences ?? []
  return true
}

/** Changes that the air makes by itself, while nobody commands anything. */
const passing: ReadonlySet<string> = new Set(["on_air", "retimed"])

/** Sends a command. If only the air has gone on since the operator looked, it is sent once more for the version of now. */
const attempt = async <A,>(
  command: Command,
  reason: string,
  options: { readonly key?: string; readonly dryRun?: boolean } = { key: newKey() }
): Promise<A> => {
  try {
    return await send<A>(command, reason, options)
  } catch (fault) {
    if (!(fault instanceof Refusal) || fault.status !== 412) throw fault
    const { differences = [], version } = fault.problem as {
      readonly differences?: ReadonlyArray<Difference>
      readonly version?: string
    }
    if (version === undefined || differences.length === 0 || !differences.every(({ change }) => passing.has(change)))
      throw fault
    return send<A>({ ...command, seen: `"${version}"` }, reason, options)
  }
}

/** Sends an act at once, with its own reason. */
export const run = async <A,>(act: Act<A>): Promise<void> => {
  try {
    finish(act as Act, await attempt<A>(act.command, act.reason))
  } catch (fault) {
    if (!explain(act as Act, fault)) toast((fault as Error).message)
  }
}

/** A button for an act; nothing if the operator may not do it. */
export const Do = <A,>({
  act,
  children,
  disabled = false,
  kind = "quiet",
  label
}: {
  readonly act: Act<A>
  readonly children: ComponentChildren
  readonly kind?: "main" | "quiet" | "plain"
  readonly disabled?: boolean
  readonly label?: string
}) => {
  const [busy, setBusy] = useState(false)
  if (!hasRole(act.role)) return null
  const press = (): void => {
    if (act.ask !== undefined) return propose(act)
    setBusy(true)
    void run(act).finally(() => setBusy(false))
  }
  return (
    <Button
      kind={kind}
      busy={busy}
      disabled={disabled}
      onClick={press}
      {...(label === undefined ? {} : { "aria-label": label })}
    >
      {children}
    </Button>
  )
}

const Asking = ({ act }: { readonly act: Act }) => {
  const { about, button, needsReason = false, preview, reasons = [], title } = act.ask!
  const [reason, setReason] = useState(act.reason)
  const [busy, setBusy] = useState(false)
  const [wrong, setWrong] = useState<string | null>(null)
  const [effect, setEffect] = useState<ComponentChildren>(null)
  const key = useRef(newKey())
  const close = (): void => {
    proposed.value = null
  }
  useEffect(() => {
    if (preview === undefined) return
    attempt<{ readonly wouldBe: unknown }>(act.command, act.reason, { dryRun: true }).then(
      ({ wouldBe }) => setEffect(preview(wouldBe)),
      (fault: unknown) => {
        if (explain(act, fault)) close()
        else setWrong((fault as Error).message)
      }
    )
  }, [])
  const submit = (event: Event): void => {
    event.preventDefault()
    setBusy(true)
    setWrong(null)
    attempt(act.command, reason.trim(), { key: key.current }).then(
      (answer) => {
        close()
        finish(act, answer)
      },
      (fault: unknown) => {
        if (explain(act, fault)) return close()
        setBusy(false)
        setWrong((fault as Error).message)
      }
    )
  }
  return (
    <Sheet title={title} close={close}>
      <form onSubmit={submit}>
        {about === undefined ? null : <p class="ask-about">{about}</p>}
        {preview === undefined ? null : (
          <div class="ask-effect" role="status">
            {effect ?? (wrong === null ? <p class="note">Asking the station what this would change…</p> : null)}
          </div>
        )}
        {reasons.length === 0 ? null : (
          <p class="chips">
            {reasons.map((one) => (
              <button type="button" class="chip" key={one} onClick={() => setReason(one)}>
                {one}
              </button>
            ))}
          </p>
        )}
        <Field
          label="Reason"
          hint={needsReason ? "Those it concerns read this. It is kept in the audit log." : "Kept in the audit log."}
          value={reason}
          change={setReason}
          required={needsReason}
          max={reasonCharsMax}
          rows={2}
          wrong={wrong}
        />
        <p class="buttons">
          <Button type="submit" busy={busy} disabled={needsReason && reason.trim() === ""}>
            {button}
          </Button>
          <Button kind="plain" onClick={close}>
            Cancel
          </Button>
        </p>
      </form>
    </Sheet>
  )
}

/** The sheets of acts: what is asked for, and what was overtaken. */
export const Acts = () => {
  const act = proposed.value
  const difference = overtaken.value
  if (difference !== null) {
    const close = (): void => {
      overtaken.value = null
    }
    const retimed = difference.filter(({ change }) => change === "retimed").length
    return (
      <Sheet title="Somebody changed this meanwhile" close={close}>
        <p class="ask-about">
          {difference.length === 0
            ? "Nothing was done, because what you saw has changed."
            : "Nothing was done. This has changed since you looked:"}
        </p>
        <ul class="differences">
          {difference
            .filter(({ change }) => change !== "retimed")
            .map(({ change, detail, id }) => (
              <li key={`${id} ${change}`}>{detail}</li>
            ))}
          {retimed === 0 ? null : (
            <li>{retimed === 1 ? "One item begins" : `${retimed} items begin`} at another time.</li>
          )}
        </ul>
        <p class="buttons">
          <Button onClick={close}>Look again</Button>
        </p>
      </Sheet>
    )
  }
  return act === null ? null : <Asking key={act.command.path} act={act} />
}
