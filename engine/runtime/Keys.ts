import { Context, Effect, Layer } from "effect"
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
  sign,
  verify
} from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { StationConfig } from "./Config.ts"

/** Losses by missing key file. */
const protectedBy = {
  master:
    "the sealed secrets (owners' addresses, agents' provider keys, webhook secrets, waiting mail, stored answers), the match of an address with its owner, account or operator, and open claims, upload links and appeal links",
  "signing.pem": "the proof of all entries of the as-run log so far, and open claim links"
} as const
type KeyFile = keyof typeof protectedBy

/**
 * The station's keys: a master key that encrypts stored secrets, a pepper for addresses, and an Ed25519 key that signs tokens and the as-run log.
 * They are in `DATA_DIR/keys`, readable by the station only. Without them the encrypted data is lost.
 */
export class Keys extends Context.Service<
  Keys,
  {
    /** AES-256-GCM: nonce, tag and cipher text in one base64url string. Opening requires the same `context`. */
    readonly seal: (secret: string, context: string) => string
    readonly open: (sealed: string, context: string) => string
    /** Hex HMAC-SHA256 under a key derived for `purpose`. */
    readonly hmac: (purpose: string, text: string) => string
    readonly signing: KeyObject
    readonly verifying: KeyObject
    /** Base64url Ed25519 signature. */
    readonly sign: (bytes: Uint8Array) => string
    readonly verify: (bytes: Uint8Array, signature: string) => boolean
    /** Losses by key file that was missing and has been made again, on a station that isn't new. */
    readonly lost: ReadonlyArray<string>
  }
>()("longwave/engine/Keys") {
  static readonly layer = Layer.effect(
    Keys,
    Effect.gen(function* () {
      const { dataDir, masterKey } = yield* StationConfig
      const folder = join(dataDir, "keys")
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const lost: Array<string> = []
      const secretFile = (name: KeyFile, make: () => string): string => {
        const path = join(folder, name)
        if (!existsSync(path)) {
          writeFileSync(path, make(), { mode: 0o600, flag: "wx" })
          lost.push(`${path} was missing and has been made anew. Lost: ${protectedBy[name]}.`)
        }
        return readFileSync(path, "utf8")
      }
      const master = Buffer.from(masterKey ?? secretFile("master", () => randomBytes(32).toString("base64")), "base64")
      const deriveKey = (purpose: string) => Buffer.from(hkdfSync("sha256", master, "longwave", purpose, 32))
      const signing = createPrivateKey(
        secretFile("signing.pem", () =>
          generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }).toString()
        )
      )
      const verifying = createPublicKey(signing)
      const sealing = deriveKey("seal")
      return Keys.of({
        lost,
        seal: (secret, context) => {
          const nonce = randomBytes(12)
          const cipher = createCipheriv("aes-256-gcm", sealing, nonce).setAAD(Buffer.from(context))
          const body = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()])
          return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url")
        },
        open: (sealed, context) => {
          const bytes = Buffer.from(sealed, "base64url")
          const decipher = createDecipheriv("aes-256-gcm", sealing, bytes.subarray(0, 12))
            .setAAD(Buffer.from(context))
            .setAuthTag(bytes.subarray(12, 28))
          return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8")
        },
        hmac: (purpose, text) => createHmac("sha256", deriveKey(purpose)).update(text).digest("hex"),
        signing,
        verifying,
        sign: (bytes) => sign(null, bytes, signing).toString("base64url"),
        verify: (bytes, signature) => verify(null, bytes, verifying, Buffer.from(signature, "base64url"))
      })
    })
  )
}
