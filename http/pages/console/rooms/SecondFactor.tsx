import { renderSVG } from "uqr"
import { useEffect, useRef, useState } from "preact/hooks"
import { Button } from "../../parts/Button.tsx"
import { Field } from "../../parts/Field.tsx"
import { toast } from "../../parts/Toast.tsx"
import { ask } from "../../station/Ask.ts"
import { confirmSession, operator } from "../desk/Session.ts"

/** The address of an authenticator as a QR code. A picture of its own, so that nothing is inline. */
const QrCode = ({ text }: { readonly text: string }) => {
  const image = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const svg = new DOMParser().parseFromString(renderSVG(text, { border: 2, ecc: "M" }), "image/svg+xml")
    image.current?.replaceChildren(document.importNode(svg.documentElement, true))
  }, [text])
  return <div class="qr" role="img" aria-label="QR code for the authenticator app" ref={image} />
}

/** Sets up or removes the operator's own second factor. */
export const SecondFactor = () => {
  const [begun, setBegun] = useState<{ readonly secret: string; readonly uri: string } | null>(null)
  const [code, setCode] = useState("")
  const [wrong, setWrong] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const has = operator.value?.secondFactor ?? null
  if (has === null) return <p>A token has no second factor. Sign in by a link to set one up.</p>
  const press = async (path: string, said: string): Promise<void> => {
    setBusy(true)
    setWrong(null)
    try {
      await ask(path, { body: { code: code.replaceAll(/\s/g, "") } })
      setBegun(null)
      setCode("")
      await confirmSession()
      toast(said)
    } catch (fault) {
      setWrong((fault as Error).message)
    } finally {
      setBusy(false)
    }
  }
  const begin = async (): Promise<void> => {
    setBusy(true)
    setWrong(null)
    try {
      setBegun(await ask("/api/ops/me/totp", { method: "POST" }))
    } catch (fault) {
      setWrong((fault as Error).message)
    } finally {
      setBusy(false)
    }
  }
  const field = (
    <Field
      label="Code"
      hint="Six digits of the authenticator app."
      value={code}
      change={setCode}
      wrong={wrong}
      autoComplete="one-time-code"
      required
    />
  )
  if (has)
    return (
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void press("/api/ops/me/totp/remove", "The second factor is removed.")
        }}
      >
        <p>Signing in asks for a code of your authenticator app. To remove that, enter a current code.</p>
        {field}
        <Button type="submit" kind="quiet" busy={busy}>
          Remove the second factor
        </Button>
      </form>
    )
  if (begun === null)
    return (
      <>
        <p>With an authenticator app, a stolen link alone opens nothing.</p>
        {wrong === null ? null : (
          <p class="failed" role="alert">
            {wrong}
          </p>
        )}
        <Button kind="quiet" busy={busy} onClick={() => void begin()}>
          Set up an authenticator app
        </Button>
      </>
    )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void press("/api/ops/me/totp/confirm", "The second factor is set up. Your other sessions have ended.")
      }}
    >
      <p>Scan this with the app, or enter the key by hand. Then enter the first code that it shows.</p>
      <QrCode text={begun.uri} />
      <p class="secret">
        <span class="note">Key</span> <code class="wrap">{begun.secret}</code>
      </p>
      {field}
      <Button type="submit" busy={busy}>
        Confirm
      </Button>
    </form>
  )
}
