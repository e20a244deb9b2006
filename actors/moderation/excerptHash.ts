import { createHash } from "node:crypto"

export const hash = (text: string): string => createHash("sha256").update(text).digest("hex")

/** Hash of an excerpt: comparable, not readable. */
export const excerptHash = (text: string) => hash(`excerpt:${text}`).slice(0, 16)
