import { useEffect, useState } from "preact/hooks"
import { ask } from "./Ask.ts"

/** The listener of this browser. The token is in a cookie that scripts can't read. */
export interface Listener {
  readonly listenerId: string
  readonly signedIn: boolean
  readonly displayName: string | null
  /** Signed-in account that may claim this listener. */
  readonly claimableBy: string | null
}

interface Session extends Listener {
  readonly listenerToken: string
}

let known: Promise<Session> | null = null
const bell = new EventTarget()

/** Opens the listener session once, with the browser's cookie or as a new listener. */
export const listener = (): Promise<Listener> =>
  (known ??= ask<Session>("/api/listeners/session", { body: {} }).catch((fault: unknown) => {
    known = null
    throw fault
  }))

/** The same as a hook; null until the station has answered. */
export const useListener = (): Listener | null => {
  const [who, setWho] = useState<Listener | null>(null)
  useEffect(() => {
    let here = true
    const look = (): void =>
      void listener().then(
        (found) => here && setWho(found),
        () => undefined
      )
    look()
    bell.addEventListener("claimed", look)
    return () => {
      here = false
      bell.removeEventListener("claimed", look)
    }
  }, [])
  return who
}

/** Claims the listener for the signed-in account and informs all components. */
export const claim = async (): Promise<void> => {
  const { listenerId, listenerToken } = await known!
  const { displayName } = await ask<{ readonly displayName: string }>("/api/listeners/claim", {
    body: { listenerId, listenerToken, consentGiven: true }
  })
  known = Promise.resolve({ listenerId, listenerToken: "", signedIn: true, displayName, claimableBy: null })
  bell.dispatchEvent(new Event("claimed"))
}
