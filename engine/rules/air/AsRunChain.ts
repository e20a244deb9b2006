import { Schema } from "effect"
import { AsRunBody, type AsRunHead, AsRunRow } from "../../../schema/air/AsRun.ts"

/** Hashing and signatures as arguments, so that these rules only decide the hashed text and the checks of a row. */
export interface ChainCrypto {
  readonly sha256: (text: string) => string
  readonly verify: (text: string, signature: string) => boolean
}

export interface ChainFault {
  readonly seq: number
  readonly reason: string
}

/** Hash before the first row. */
export const genesis = "0".repeat(64)

/** Canonical JSON: keys sorted, no spaces. Equal values give equal text in every implementation. */
export const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (value !== null && typeof value === "object") {
    return `{${Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`)
      .join(",")}}`
  }
  return JSON.stringify(value)
}

export const hashOf = (crypto: Pick<ChainCrypto, "sha256">, prevHash: string, text: string): string =>
  crypto.sha256(`${prevHash}\n${text}`)

export const emptyHead: AsRunHead = { seq: 0, hash: genesis, lastSample: null }

/**
 * The gap before a row; null if there is none. A row may begin while the previous sound goes on, and its first samples may belong to that sound. The
 * owed rest of the sound has to follow before the station goes off the air.
 */
const findGap = (
  { firstSample, lastSample, outcome, stillSoundingFromSample }: AsRunBody,
  head: AsRunHead
): string | null => {
  if (head.lastSample === null) return null
  const from = head.lastSample + 1
  const to = Math.min(firstSample, stillSoundingFromSample ?? firstSample) - 1
  return to >= from
    ? `samples ${from} to ${to} are unaccounted for`
    : lastSample < head.lastSample
      ? "it ended before the row before it"
      : outcome === "off_air" && head.owedFromSample !== undefined
        ? `what sounded from sample ${head.owedFromSample} on has no row`
        : null
}

/** First sample of the owed row: the rest of a sound that an earlier row declared as continuing. */
const findOwedSample = (body: AsRunBody, { owedFromSample }: AsRunHead): number | undefined => {
  const owed = owedFromSample === undefined || body.firstSample <= owedFromSample ? undefined : owedFromSample
  return body.stillSoundingFromSample === undefined
    ? owed
    : Math.min(owed ?? body.stillSoundingFromSample, body.stillSoundingFromSample)
}

/**
 * The first invalid row, or null. A valid row continues its predecessor's number and hash, leaves out no sample, carries the hash of its text, and
 * the station's signature of that hash.
 */
export const verifyChain = (
  crypto: ChainCrypto,
  rows: ReadonlyArray<{ readonly row: AsRunRow; readonly body: AsRunBody | null }>,
  head: AsRunHead
): { readonly fault: ChainFault | null; readonly head: AsRunHead } => {
  let at = head
  for (const { body, row } of rows) {
    const reason =
      row.seq !== at.seq + 1
        ? `row ${at.seq + 1} is missing`
        : body === null
          ? "its text is not a row of the log"
          : body.seq !== row.seq
            ? "its number is not the one that was hashed"
            : row.prevHash !== at.hash
              ? "it does not follow the row before"
              : hashOf(crypto, row.prevHash, row.text) !== row.hash
                ? "its text is not what was hashed"
                : !crypto.verify(row.hash, row.signature)
                  ? "its hash was not signed by this station"
                  : body.lastSample < body.firstSample
                    ? "it ends before it begins"
                    : findGap(body, at)
    if (reason !== null) return { fault: { seq: row.seq, reason }, head: at }
    const owedFromSample = findOwedSample(body!, at)
    at = {
      seq: row.seq,
      hash: row.hash,
      lastSample: body!.lastSample,
      ...(owedFromSample === undefined ? {} : { owedFromSample })
    }
  }
  return { fault: null, head: at }
}

/** Root of a binary Merkle tree over row hashes. Leaves and nodes use different prefixes, so that one can't pass for the other. */
export const merkleRoot = (crypto: Pick<ChainCrypto, "sha256">, hashes: ReadonlyArray<string>): string => {
  if (hashes.length === 0) return crypto.sha256("")
  let level = hashes.map((hash) => crypto.sha256(`leaf:${hash}`))
  while (level.length > 1) {
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, i) =>
      level[2 * i + 1] === undefined ? level[2 * i]! : crypto.sha256(`node:${level[2 * i]}:${level[2 * i + 1]}`)
    )
  }
  return level[0]!
}

const encodeBody = Schema.encodeSync(AsRunBody)

/** The next row: its text, its hash chained to the previous row, and the station's signature of the hash. */
export const linkRow = (
  crypto: { readonly sha256: (text: string) => string; readonly sign: (text: string) => string },
  prevHash: string,
  body: AsRunBody
): AsRunRow => {
  const text = canonical(encodeBody(body))
  const hash = hashOf(crypto, prevHash, text)
  return new AsRunRow({ seq: body.seq, text, prevHash, hash, signature: crypto.sign(hash) })
}
