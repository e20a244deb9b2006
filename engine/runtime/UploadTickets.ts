import { timingSafeEqual } from "node:crypto"
import type { Keys } from "./Keys.ts"

/** What may be done with an address: put one file there, or hear a sample. */
export type TicketFor = "upload" | "sample"

/** What an address says that lets whoever holds it do that one thing there, until then. */
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
