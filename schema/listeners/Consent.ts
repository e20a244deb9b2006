import { Schema } from "effect"

/** Where something comes from that a listener sends: only a page of the web has to show the disclosure before. */
export const Source = Schema.Literals(["web", "ios", "android", "api", "agent"])
export type Source = typeof Source.Type
/** What a listener agreed to, and how they are named from then on: it is never made more of later. */
export const Consented = Schema.Struct({
  source: Source,
  acknowledged: Schema.Boolean,
  /** Which text they saw; null where they said nothing of it. */
  disclosureVersion: Schema.NullOr(Schema.String),
  /** Which notice of being recorded they saw; null for what isn't a call. */
  recordingNoticeVersion: Schema.NullOr(Schema.String),
  listenerLabel: Schema.String
})
export type Consented = typeof Consented.Type
/** What somebody says of consent when they send something, and who they are. `account` is null for a guest. */
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
