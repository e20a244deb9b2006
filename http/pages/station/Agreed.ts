/** Consent and attribution, sent with every message. */
export interface Agreed {
  readonly source: "web"
  readonly consent: {
    readonly acknowledged: boolean
    readonly disclosureVersion: string
    readonly recordingNoticeVersion?: string
  }
  readonly attribution: { readonly useDisplayName: boolean }
}
