import { Schema } from "effect"
import { type ConsentAsk, Source } from "../../../schema/listeners/Consent.ts"
import { idText } from "../Inputs.ts"

const version = Schema.optionalKey(idText)

export const Consent = Schema.Struct({ acknowledged: Schema.optionalKey(Schema.Boolean), disclosureVersion: version })
/** Only for calls: their recording has its own notice. */
export const CallConsent = Schema.Struct({ ...Consent.fields, recordingNoticeVersion: version })
export const Attribution = Schema.Struct({ useDisplayName: Schema.optionalKey(Schema.Boolean) })

/** Fields common to all listeners' forms: source, consent, and attribution. */
export const consenting = {
  source: Schema.optionalKey(Source),
  consent: Schema.optionalKey(Consent),
  attribution: Schema.optionalKey(Attribution)
}

/** The same in the form that the rules take. */
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
