import { Schema } from "effect"

/** Source of a listener's message. Only web pages must show the disclosure first. */
export const Source = Schema.Literals(["web", "ios", "android", "api", "agent"])
export type Source = typeof Source.Type
/** The consent of a listener and the resulting name. It is never widened later. */
export const Consented = Schema.Struct({
  source: Source,
  acknowledged: Schema.Boolean,
  /** Version of the disclosure they saw; null if they sent none. */
  disclosureVersion: Schema.NullOr(Schema.String),
  /** Version of the recording notice they saw; null unless it is a call. */
  recordingNoticeVersion: Schema.NullOr(Schema.String),
  listenerLabel: Schema.String
})
export type Consented = typeof Consented.Type
/** Consent sent with a message, and its sender. `account` is null for a guest. */
export interface ConsentAsk {
  readonly source: Source | null
  readonly consent: {
    readonly acknowledged?: boolean | undefined
    readonly disclosureVersion?: string | undefined
    readonly recordingNoticeVersion?: string | undefined
  } | null
  readonly attribution: { readonly useDisplayName?: boolean | undefined } | null
  readonly account: { readonly displayName: string } | null
}
export const broadcastDisclosure = {
  version: "2026-09-25.v1",
  text: "What you send may be read, heard or quoted on the air, and kept. Your name is said only if you have an account and ask for it; else you are 'a listener'."
} as const
export const listenerClaimConsent = {
  version: "2026-09-25.v1",
  text: "What I did here as a listener, my votes, requests and messages, becomes part of my account."
} as const

export const callInRecordingNotice = {
  version: "2026-09-25.v1",
  text: "Your voice is recorded. A person hears it before it airs; what doesn't air is deleted after 30 days."
} as const
