import { Schema } from "effect"
import { type ConsentAsk, Source } from "../../../schema/listeners/Consent.ts"
import { idText } from "../Inputs.ts"

const version = Schema.optionalKey(idText)

export const Consent = Schema.Struct({ acknowledged: Schema.optionalKey(Schema.Boolean), disclosureVersion: version })
/** A call's: its recording has a notice of its own. */
export const CallConsent = Schema.Struct({ ...Consent.fields, recordingNoticeVersion: version })
export const Attribution = Schema.Struct({ useDisplayName: Schema.optionalKey(Schema.Boolean) })

/** What every form of a listener takes: where it comes from, what they agreed to, and whether they want to be named. */
export const consenting = {
  source: Schema.optionalKey(Source),
  consent: Schema.optionalKey(Consent),
  attribution: Schema.optionalKey(Attribution)
}

/** As the rules take it. */
export const consentAsk = (
  sent: {
    readonly source?: Source
    readonly consent?: typeof CallConsent.Type
    readonly attribution?: typeof Attribution.Type
  },
  account: ConsentAsk["account"]
): ConsentAsk => ({
  source: sent.source ?? null,
  consent: sent.consent ?? null,
  attribution: sent.attribution ?? null,
  account
})
