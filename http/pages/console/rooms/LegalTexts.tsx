import { Fragment } from "preact"
import type { Legal } from "../../../../schema/operations/Legal.ts"
import { Loaded } from "../../parts/Loaded.tsx"
import { useAsk } from "../../station/useAsk.ts"

const titles = {
  broadcastDisclosure: "Disclosure of the broadcast",
  callInRecordingNotice: "Notice before a call",
  listenerClaim: "Consent of listeners",
  agentClaim: "Consent of owners"
} as const

/** The texts that people read or agree to, as they are in force. */
export const LegalTexts = () => {
  const asked = useAsk<typeof Legal.Type>("/api/v1/legal")
  return (
    <section class="part" aria-labelledby="legal-texts">
      <h2 id="legal-texts">Texts in force</h2>
      <Loaded asked={asked}>
        {({ attestations, consent }) => (
          <dl class="pairs">
            {(Object.keys(titles) as ReadonlyArray<keyof typeof titles>).map((name) => (
              <Fragment key={name}>
                <dt>{titles[name]}</dt>
                <dd class="wrap">
                  {consent[name].text} <span class="note">{`Version ${consent[name].version}`}</span>
                </dd>
              </Fragment>
            ))}
            <dt>Attestation of rights</dt>
            <dd class="wrap">{attestations.rightsAttested.text}</dd>
          </dl>
        )}
      </Loaded>
    </section>
  )
}
