import { useEffect, useState } from "preact/hooks"
import { ask } from "./Ask.ts"

/** Whoever listens here. The token itself lies in a cookie that no script reads; this says whose it is. */
export interface Listener {
  readonly listenerId: string
  readonly signedIn: boolean
  readonly displayName: string | null
}

let known: Promise<Listener> | null = null

/** Opens the listener's session, once: with what this browser had before, or as somebody new. */
export const listener = (): Promise<Listener> => known ??= ask<Listener>("/api/listeners/session", { body: {} }).catch((fault: unknown) => {
  known = null
  throw fault
})

/** The same for a component; null until the station has said who it is. */
export const useListener = (): Listener | null => {
  const [who, setWho] = useState<Listener | null>(null)
  useEffect(() => {
    let here = true
    listener().then((found) => here && setWho(found), () => undefined)
    return () => {
      here = false
    }
  }, [])
  return who
}
