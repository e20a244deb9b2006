import { useEffect } from "preact/hooks"
import { ask } from "../station/Ask.ts"
import { listener } from "../station/Listener.ts"

const everyMs = 60_000

const say = (kind: "tune_in" | "listening"): void =>
  void listener()
    .then(() => ask("/api/station/engage", { body: { kind } }))
    .catch(() => undefined)

/** Reports presence once a minute, for the listener's streak. Failures are ignored. */
export const usePresence = (listens: boolean): void => {
  useEffect(() => {
    if (!listens) return
    say("tune_in")
    say("listening")
    const timer = setInterval(() => say("listening"), everyMs)
    return () => clearInterval(timer)
  }, [listens])
}
