import type { ComponentChildren } from "preact"
import type { Asked } from "../station/useAsk.ts"
import { Button } from "./Button.tsx"

/** Shows the state of a request: loading, error with retry, empty, or the content. */
export const Loaded = <A,>({
  asked,
  children,
  empty,
  isEmpty
}: {
  readonly asked: Asked<A>
  readonly children: (value: A) => ComponentChildren
  readonly isEmpty?: (value: A) => boolean
  readonly empty?: ComponentChildren
}) => {
  if (asked.value !== null)
    return <>{isEmpty?.(asked.value) === true ? <div class="empty">{empty}</div> : children(asked.value)}</>
  if (asked.wrong === null)
    return (
      <div class="waiting" role="status">
        <span class="unseen">Loading</span>
      </div>
    )
  return (
    <div role="alert">
      <p class="failed wrap">{asked.wrong}</p>
      <Button kind="quiet" onClick={asked.askAgain}>
        Try again
      </Button>
    </div>
  )
}
