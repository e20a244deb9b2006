import { useEffect, useRef, useState } from "preact/hooks"
import { Button } from "../parts/Button.tsx"
import { Field } from "../parts/Field.tsx"
import { ask, Refusal } from "../station/Ask.ts"
import { keep, readKept } from "../station/Kept.ts"
import { useStation } from "../station/useStation.ts"
import { enter } from "./desk/Place.ts"
import { confirmSession, link, hasRole } from "./desk/Session.ts"

const isAskingFor = (
  problem: { readonly errors?: ReadonlyArray<{ readonly pointer: string }> },
  field: string
): boolean => problem.errors?.some(({ pointer }) => pointer === field) ?? false

const setUpKept = "console.setup"

/** Shows the only operator of a new station what it still needs, once. */
const welcome = async (): Promise<void> => {
  if (readKept(setUpKept) !== null) return
  keep(setUpKept, "shown")
  const { operators } = await ask<{ readonly operators: ReadonlyArray<unknown> }>("/api/ops/operators")
  if (operators.length === 1) enter("settings", "setup")
}

/** Signs an operator in: by a one-time link, with a code of the authenticator app if there is one, or by a provider. */
export const SignIn = () => {
  const station = useStation()
  const [token, setToken] = useState(link.value ?? "")
  const [code, setCode] = useState("")
  const [needsCode, setNeedsCode] = useState(false)
  const [busy, setBusy] = useState(link.value !== null)
  const [wrong, setWrong] = useState<string | null>(null)
  const field = useRef<HTMLDivElement>(null)
  const signIn = async (): Promise<void> => {
    setBusy(true)
    setWrong(null)
    try {
      const given = /#token=([\w-]+)/.exec(token)?.[1] ?? token.trim()
      const digits = code.replaceAll(/\s/g, "")
      await ask("/api/ops/sign-in", { body: { token: given, ...(digits === "" ? {} : { code: digits }) } })
      await confirmSession()
      link.value = null
      if (hasRole("admin")) await welcome().catch(() => undefined)
    } catch (fault) {
      const asksForCode = fault instanceof Refusal && isAskingFor(fault.problem, "/code")
      if (!asksForCode || needsCode) setWrong((fault as Error).message)
      if (asksForCode) setNeedsCode(true)
    } finally {
      setBusy(false)
    }
  }
  useEffect(() => {
    if (link.value !== null) void signIn()
  }, [])
  useEffect(() => {
    if (needsCode) field.current?.querySelector("input")?.focus()
  }, [needsCode])
  return (
    <main class="entrance">
      <h1>Sign in to the console</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void signIn()
        }}
      >
        {needsCode ? (
          <div ref={field}>
            <Field
              label="Code"
              hint="The six digits that your authenticator app shows. If the app is lost, npm start -- operator reset NAME on the station's host removes it."
              value={code}
              change={setCode}
              wrong={wrong}
              autoComplete="one-time-code"
              required
            />
          </div>
        ) : (
          <Field
            label="One-time link"
            hint="The first start prints it. An admin makes one for you under Settings, and npm start -- operator reset NAME on the station's host prints a new one."
            value={token}
            change={setToken}
            wrong={wrong}
            required
          />
        )}
        <p class="buttons">
          <Button type="submit" busy={busy}>
            Sign in
          </Button>
          {station?.signIn.includes("provider") === true ? (
            <a class="button button-quiet" href="/login?as=operator&amp;to=/console">
              With a sign-in provider
            </a>
          ) : null}
        </p>
      </form>
      <p class="note">
        <a href="/">To the station</a>
      </p>
    </main>
  )
}
