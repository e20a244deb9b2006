import { audienceCharsMax } from "./limits.ts"
import type { AppId } from "../../../schema/Ids.ts"
import { AppKeyView } from "../../../schema/operations/IdentityApp.ts"
import { isoOrNull } from "../../../schema/time/Instant.ts"

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

/** An app key as operators see it: without its secret. */
export const appKeyView = ({
  audiences,
  createdAtMs,
  id,
  lastUsedAtMs,
  name,
  publicId,
  revokedAtMs,
  rotatedAtMs
}: AppKeyRecord): AppKeyView =>
  AppKeyView.make({
    id,
    name,
    audiences,
    prefix: `svc_app_${publicId}`,
    createdAt: isoOrNull(createdAtMs)!,
    rotatedAt: isoOrNull(rotatedAtMs),
    lastUsedAt: isoOrNull(lastUsedAtMs),
    revokedAt: isoOrNull(revokedAtMs)
  })

/** The names of an agent as a token's audience. */
export const namesOf = (
  agent: { readonly id: string; readonly handle: string },
  publicUrl: string
): ReadonlyArray<string> => [
  agent.id,
  `${publicUrl}/api/agents/${agent.handle}`,
  `${publicUrl}/api/v1/agents/${agent.handle}`
]
const isHttpsOrigin = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : null
  return url !== null && url.protocol === "https:" && url.origin === text
}
/** Whether the text is a valid audience: an https origin (a site), an id (a program or an agent), an agent's profile URL, or the station itself. */
export const isAudience = (text: string, publicUrl: string): boolean =>
  text.length <= audienceCharsMax &&
  (text === publicUrl ||
    isHttpsOrigin(text) ||
    /^(app|agt)_[0-9a-hjkmnp-tv-z]{26}$/.test(text) ||
    (text.startsWith(`${publicUrl}/api/`) && /^\/api\/(v1\/)?agents\/[a-z0-9_-]+$/.test(text.slice(publicUrl.length))))
