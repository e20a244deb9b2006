import { AppKeyView } from "../../schema/AppKey.ts"
import type { AppId } from "../../schema/Ids.ts"

export interface AppKeyRecord {
  readonly id: AppId
  readonly name: string
  readonly audiences: ReadonlyArray<string>
  readonly publicId: string
  readonly createdAtMs: number
  readonly rotatedAtMs: number | null
  readonly lastUsedAtMs: number | null
  readonly revokedAtMs: number | null
}

const instant = (ms: number | null): string | null => ms === null ? null : new Date(ms).toISOString()

/** What operators see of it: everything but the secret. */
export const appKeyView = ({ audiences, createdAtMs, id, lastUsedAtMs, name, publicId, revokedAtMs, rotatedAtMs }: AppKeyRecord): AppKeyView => AppKeyView.make({
  id, name, audiences, prefix: `svc_app_${publicId}`, createdAt: instant(createdAtMs)!, rotatedAt: instant(rotatedAtMs), lastUsedAt: instant(lastUsedAtMs), revokedAt: instant(revokedAtMs)
})
