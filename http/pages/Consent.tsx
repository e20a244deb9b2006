import { useState } from "preact/hooks"
import type { Legal } from "../../schema/operations/Legal.ts"
import { Choice } from "./parts/Field.tsx"
import { ClaimListener } from "./ClaimListener.tsx"
import { useListener } from "./station/Listener.ts"
import { useStation } from "./station/useStation.ts"
import { useAsk } from "./station/useAsk.ts"
import type { Agreed } from "./station/Agreed.ts"

export interface Consenting {
  readonly agreed: Agreed | null
  readonly fields: preact.JSX.Element
}
/** The disclosure, its checkbox and, for signed-in listeners, the choice of a name. `agreed` is null until it is ticked. */
export const useConsent = ({ recorded = false }: { readonly recorded?: boolean } = {}): Consenting => {
  const { value: legal } = useAsk<Legal>("/api/v1/legal")
  const who = useListener()
  const canSignIn = (useStation()?.signIn.length ?? 0) > 0
  const [yes, setYes] = useState(false)
  const [named, setNamed] = useState(false)
  const texts =
    legal === null
      ? []
      : [legal.consent.broadcastDisclosure, ...(recorded ? [legal.consent.callInRecordingNotice] : [])]
  return {
    agreed:
      legal === null || !yes
        ? null
        : {
            source: "web",
            consent: {
              acknowledged: true,
              disclosureVersion: legal.consent.broadcastDisclosure.version,
              ...(recorded ? { recordingNoticeVersion: legal.consent.callInRecordingNotice.version } : {})
            },
            attribution: { useDisplayName: named && who?.signedIn === true }
          },
    fields: (
      <fieldset class="consent" disabled={legal === null}>
        <legend class="unseen">What you agree to</legend>
        {texts.map(({ text, version }) => (
          <p class="note wrap" key={version + text}>
            {text}
          </p>
        ))}
        <Choice checked={yes} change={setYes} required>
          I agree to that.
        </Choice>
        {who?.signedIn === true ? (
          <Choice
            checked={named}
            change={setNamed}
          >{`Say my name: ${who.displayName ?? ""}. Without it I am 'a listener'.`}</Choice>
        ) : who !== null && who.claimableBy !== null ? (
          <ClaimListener who={who} />
        ) : (
          <p class="note">
            You are 'a listener' on the air.
            {canSignIn ? (
              <>
                {" "}
                <a href="/login">Sign in</a> to be named.
              </>
            ) : null}
          </p>
        )}
      </fieldset>
    )
  }
}
