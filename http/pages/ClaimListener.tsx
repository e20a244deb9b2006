import { useState } from "preact/hooks"
import type { Legal } from "../../schema/operations/Legal.ts"
import { claim, type Listener } from "./station/Listener.ts"
import { Button } from "./parts/Button.tsx"
import { toast } from "./parts/Toast.tsx"
import { useAsk } from "./station/useAsk.ts"

/** For people who listened before they signed in: the consent to join both histories. */
export const ClaimListener = ({ who }: { readonly who: Listener }) => {
  const { value: legal } = useAsk<Legal>("/api/v1/legal")
  const [busy, setBusy] = useState(false)
  const join = async (): Promise<void> => {
    setBusy(true)
    try {
      await claim()
    } catch (fault) {
      toast((fault as Error).message)
      setBusy(false)
    }
  }
  return (
    <div class="claim">
      <p class="wrap">{`Continue as ${who.claimableBy}?`}</p>
      <p class="note wrap">{legal?.consent.listenerClaim.text ?? ""}</p>
      <Button busy={busy} disabled={legal === null} onClick={() => void join()}>
        Agree and continue
      </Button>
    </div>
  )
}
