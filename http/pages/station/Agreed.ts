/** What goes along with everything that may be heard: what was agreed to, and whether a name is to be said. */
export interface Agreed {
  readonly source: "web"
  readonly consent: {
    readonly acknowledged: boolean
    readonly disclosureVersion: string
    readonly recordingNoticeVersion?: string
  }
  readonly attribution: { readonly useDisplayName: boolean }
}
