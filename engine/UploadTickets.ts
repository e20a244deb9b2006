import { timingSafeEqual } from "node:crypto"
import type { Keys } from "./Keys.ts"

/** What an address says that lets whoever holds it put one file there, until then. */
export const uploadTicket = (keys: Keys["Service"], uploadId: string, expiresMs: number): string =>
  `expires=${expiresMs}&signature=${keys.hmac("upload", `${uploadId}.${expiresMs}`)}`

export const isUploadTicket = (keys: Keys["Service"], uploadId: string, expires: string, signature: string, nowMs: number): boolean => {
  if (!/^\d{13}$/.test(expires) || Number(expires) <= nowMs) return false
  const right = Buffer.from(keys.hmac("upload", `${uploadId}.${expires}`))
  const shown = Buffer.from(signature)
  return right.length === shown.length && timingSafeEqual(right, shown)
}
