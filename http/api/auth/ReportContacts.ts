import { Context } from "effect"
import type { Claimant } from "../../../schema/moderation/Report.ts"

/** Reads who complained. Null for reporters without a name, and once the contact is erased. */
export class ReportContacts extends Context.Service<
  ReportContacts,
  { readonly claimantOf: (report: { readonly id: string; readonly contactSealed: string | null }) => Claimant | null }
>()("longwave/http/api/ReportContacts") {}
