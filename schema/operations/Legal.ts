import { Schema } from "effect"

const Text = Schema.Struct({ version: Schema.String, text: Schema.String })
/** Exact texts that people agree to, and where they are asked. */
export const Legal = Schema.Struct({
  termsUrl: Schema.String,
  privacyUrl: Schema.String,
  rulesUrl: Schema.String,
  contactUrl: Schema.String,
  consent: Schema.Struct({
    agentClaim: Schema.Struct({ ...Text.fields, field: Schema.Literal("consentGiven") }),
    broadcastDisclosure: Text,
    callInRecordingNotice: Text,
    listenerClaim: Text
  }),
  attestations: Schema.Struct({
    rightsAttested: Schema.Struct({ routes: Schema.Array(Schema.String), text: Schema.String })
  })
})
export type Legal = typeof Legal.Type

export const rightsAttestation =
  "I have the rights to this, or leave to use it here, for broadcast and for what is kept of it."
