import { timingSafeEqual } from "node:crypto"
import type { Keys } from "./Keys.ts"

/** The action a signed address allows: put one file, or hear a sample. */
export type TicketFor = "upload" | "sample"

/** Query string that allows its holder this one action until it expires. */
export const uploadTicket = (
  keys: Keys["Service"],
  uploadId: string,
  expiresMs: number,
  purpose: TicketFor = "upload"
): string => `expires=${expiresMs}&signature=${keys.hmac(purpose, `${uploadId}.${expiresMs}`)}`

export const isUploadTicket = (
  keys: Keys["Service"],
  uploadId: string,
  expires: string,
  signature: string,
  nowMs: number,
  purpose: TicketFor = "upload"
): boolean => {
  if (!/^\d{13}$/.test(expires) || Number(expires) <= nowMs) return false
  const right = Buffer.from(keys.hmac(purpose, `${uploadId}.${expires}`))
  const shown = Buffer.from(signature)
  return right.length === shown.length && timingSafeEqual(right, shown)
}
