import { hash, randomBytes, randomInt, timingSafeEqual } from "node:crypto"

/** A key as shown once, and its stored hash. High entropy, so one round of SHA-256 is enough. */
export interface MadeKey {
  readonly text: string
  readonly publicId: string
  readonly secretSha256: string
}

export const sha256 = (text: string): string => hash("sha256", text)

const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"

/** `{prefix}{12 characters}_{43 base64url characters}`: the first part is looked up, the second verified. */
export const makeKey = (
  prefix: "svc_agent_" | "svc_ops_" | "svc_app_" | "ops_session_" | "human_session_"
): MadeKey => {
  const publicId = Array.from({ length: 12 }, () => alphabet[randomInt(alphabet.length)]!).join("")
  const secret = randomBytes(32).toString("base64url")
  return { text: `${prefix}${publicId}_${secret}`, publicId, secretSha256: sha256(secret) }
}

/** Splits a received key into its two parts; null if its format is wrong. */
export const splitKey = (
  prefix: string,
  text: string
): { readonly publicId: string; readonly secret: string } | null => {
  const parts = text.startsWith(prefix)
    ? /^([A-Za-z0-9]{12})_([A-Za-z0-9_-]{43})$/.exec(text.slice(prefix.length))
    : null
  return parts === null ? null : { publicId: parts[1]!, secret: parts[2]! }
}

/** Compares in constant time. */
export const isSecret = (given: string, keptSha256: string): boolean =>
  timingSafeEqual(Buffer.from(sha256(given), "hex"), Buffer.from(keptSha256, "hex"))

export const isSameHash = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

export const randomCode = (prefix: string, bytes: number): string =>
  `${prefix}${randomBytes(bytes).toString("base64url")}`

export const randomDigits = (count: number): string =>
  randomInt(10 ** count)
    .toString()
    .padStart(count, "0")
