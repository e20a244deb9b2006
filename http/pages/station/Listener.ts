import { useEffect, useState } from "preact/hooks"
import { ask } from "./Ask.ts"

/** Whoever listens here. The token itself lies in a cookie that no script reads; this says whose it is. */
export interface Listener {
  readonly listenerId: string
  readonly signedIn: boolean
  readonly displayName: string | null
  /** Somebody has signed in whose account doesn't know this listener yet. */
  readonly claimableBy: string | null
}

interface Session extends Listener {
  readonly listenerToken: string
}

let known: Promise<Session> | null = null
const bell = new EventTarget()

/** Opens the listener's session, once: with what this browser had before, or as somebody new. */
export const listener = (): Promise<Listener> =>
  (known ??= ask<Session>("/api/listeners/session", { body: {} }).catch((fault: unknown) => {
    known = null
    throw fault
  }))

/** The same for a component; null until the station has said who it is. */
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

/** What was done here becomes part of the account that is signed in; everything on the page knows it then. */
export const claim = async (): Promise<void> => {
  const { listenerId, listenerToken } = await known!
  const { displayName } = await ask<{ readonly displayName: string }>("/api/listeners/claim", {
    body: { listenerId, listenerToken, consentGiven: true }
  })
  known = Promise.resolve({ listenerId, listenerToken: "", signedIn: true, displayName, claimableBy: null })
  bell.dispatchEvent(new Event("claimed"))
}
