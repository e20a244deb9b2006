import { Secret, TOTP } from "otpauth"

const periodMs = 30_000
/** Codes of the step before and after are taken too: clocks of telephones differ. */
const stepsAround = 1

const totpOf = (secret: Secret, issuer = "", label = "") =>
  new TOTP({ secret, issuer, label, algorithm: "SHA1", digits: 6, period: periodMs / 1_000 })

/** A new secret of 160 bits in base32, as authenticator apps take it. */
export const makeTotpSecret = (): string => new Secret({ size: 20 }).base32

/** The address that an authenticator app reads from a QR code. */
export const totpUri = (secret: string, issuer: string, label: string): string =>
  totpOf(Secret.fromBase32(secret), issuer, label).toString()

/** The time step whose code this is (RFC 6238); null if it is the code of none that counts at this time. */
export const totpStep = (secret: string, code: string, atMs: number): number | null => {
  const delta = totpOf(Secret.fromBase32(secret)).validate({ token: code, timestamp: atMs, window: stepsAround })
  return delta === null ? null : Math.floor(atMs / periodMs) + delta
}
