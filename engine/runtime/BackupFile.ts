import { Schema } from "effect"
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  type Hash,
  randomBytes,
  scrypt,
  timingSafeEqual
} from "node:crypto"
import { existsSync } from "node:fs"
import { type FileHandle, open, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"

/** A backup that can't be made or read. The detail is for the operator. */
export class BackupRefused extends Schema.TaggedError<BackupRefused>()("BackupRefused", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

/** One file inside a backup. Its bytes are read once, in order. */
export interface BackupEntry {
  readonly name: string
  readonly bytes: AsyncIterable<Uint8Array>
}

const magic = Buffer.from("LONGWAVE BACKUP 1\n")
const saltBytes = 16
const checkBytes = 32
const headerBytes = magic.length + saltBytes + checkBytes
const headBytes = 5
const tagBytes = 16
const recordBytesMax = 1_048_576
/** Kinds of records, as the first byte of each. */
const kinds = { entry: 1, data: 2, entryEnd: 3, end: 4 } as const

const Opening = Schema.fromJsonString(Schema.Struct({ name: Schema.String }))
const openingOf = Schema.decodeUnknownSync(Opening)

/** 100 MB of memory and a third of a second, OWASP's figures: a guess at the key costs as much. */
const derive = (key: string, salt: Uint8Array): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(key, salt, 32 + checkBytes, { N: 32_768, r: 8, p: 3, maxmem: 134_217_728 }, (error, derived) =>
      error === null ? resolve(derived) : reject(error)
    )
  )

/** The record's place in the file: a record that is missing, repeated or moved doesn't decrypt. */
const nonceOf = (record: number): Buffer => {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(record), 4)
  return nonce
}
const headOf = (kind: number, length: number): Buffer => {
  const head = Buffer.alloc(headBytes)
  head.writeUInt8(kind)
  head.writeUInt32BE(length, 1)
  return head
}

const reasonOf = (cause: unknown): string =>
  (cause as NodeJS.ErrnoException).code === "ENOSPC"
    ? "the disk is full (ENOSPC)"
    : cause instanceof Error
      ? cause.message
      : String(cause)

class Sink {
  readonly #file: FileHandle
  readonly #key: Buffer
  readonly #hash: Hash = createHash("sha256")
  #record = 0
  bytes = 0

  constructor(file: FileHandle, key: Buffer) {
    this.#file = file
    this.#key = key
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#file.writeFile(bytes)
    this.#hash.update(bytes)
    this.bytes += bytes.length
  }

  async record(kind: number, plain: Uint8Array): Promise<void> {
    const head = headOf(kind, plain.length)
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonceOf(this.#record++)).setAAD(head)
    const body = cipher.update(plain)
    cipher.final()
    await this.write(Buffer.concat([head, body, cipher.getAuthTag()]))
  }

  get sha256(): string {
    return this.#hash.copy().digest("hex")
  }
}

/** The same bytes in blocks of the largest record: the parts may be small, such as rows. */
const blocksOf = async function* (parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Array<Uint8Array> = []
  let waitingBytes = 0
  for await (const part of parts) {
    for (let from = 0; from < part.length;) {
      const piece = part.subarray(from, from + recordBytesMax - waitingBytes)
      // Copied: a reader may use its buffer again for the next part.
      waiting.push(Buffer.from(piece))
      waitingBytes += piece.length
      from += piece.length
      if (waitingBytes < recordBytesMax) continue
      yield Buffer.concat(waiting)
      waiting = []
      waitingBytes = 0
    }
  }
  if (waitingBytes > 0) yield Buffer.concat(waiting)
}

/** The name of a backup that isn't complete. */
export const partOf = (path: string): string => `${path}.part`

/**
 * Writes a backup: a header with the key's salt, then records, each encrypted with AES-256-GCM under its number, and one that ends the file.
 * It is written beside its place and moved there once it is complete, so an interrupted backup leaves no file of that name. `told` hears of
 * the bytes that have been stored.
 */
export const writeBackup = async (
  path: string,
  key: string,
  entries: AsyncIterable<BackupEntry>,
  told: (name: string, bytes: number) => void,
  signal: AbortSignal
): Promise<{ readonly bytes: number; readonly sha256: string }> => {
  if (existsSync(path)) throw new BackupRefused({ detail: `${path} exists. Name a file that doesn't.` })
  const part = partOf(path)
  const refusalOf = (cause: unknown) =>
    cause instanceof BackupRefused || signal.aborted
      ? cause
      : new BackupRefused({ detail: `No backup was made: ${reasonOf(cause)}.` })
  const salt = randomBytes(saltBytes)
  const derived = await derive(key, salt)
  const file = await open(part, "w", 0o600).catch((cause: unknown) => Promise.reject(refusalOf(cause) as Error))
  try {
    const sink = new Sink(file, derived.subarray(0, 32))
    await sink.write(Buffer.concat([magic, salt, derived.subarray(32)]))
    for await (const { bytes, name } of entries) {
      await sink.record(kinds.entry, Buffer.from(JSON.stringify({ name })))
      for await (const block of blocksOf(bytes)) {
        signal.throwIfAborted()
        await sink.record(kinds.data, block)
        told(name, block.length)
      }
      await sink.record(kinds.entryEnd, new Uint8Array())
    }
    await sink.record(kinds.end, new Uint8Array())
    await file.sync()
    await file.close()
    signal.throwIfAborted()
    await rename(part, path)
    const folder = await open(dirname(path), "r")
    // A folder can't be synced everywhere; the file itself is.
    await folder.sync().catch(() => undefined)
    await folder.close()
    return { bytes: sink.bytes, sha256: sink.sha256 }
  } catch (cause) {
    await file.close().catch(() => undefined)
    await rm(part, { force: true })
    throw refusalOf(cause)
  }
}

class Source {
  readonly #path: string
  readonly #file: FileHandle
  #key: Buffer = Buffer.alloc(0)
  #record = 0
  #at = 0

  constructor(path: string, file: FileHandle) {
    this.#path = path
    this.#file = file
  }

  refuseDamaged(how: string): BackupRefused {
    return new BackupRefused({ detail: `${this.#path} ${how}. Nothing was restored. Use another copy of the backup.` })
  }

  /** The next bytes, exactly so many. */
  async #exactly(length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length)
    for (let filled = 0; filled < length;) {
      const { bytesRead } = await this.#file.read(buffer, filled, length - filled, this.#at)
      if (bytesRead === 0) throw this.refuseDamaged("ends too early: it was cut off")
      filled += bytesRead
      this.#at += bytesRead
    }
    return buffer
  }

  async unlock(key: string): Promise<void> {
    const header = await this.#exactly(magic.length)
    if (!header.equals(magic)) throw new BackupRefused({ detail: `${this.#path} is no backup of this station's kind.` })
    const rest = await this.#exactly(headerBytes - magic.length)
    const derived = await derive(key, rest.subarray(0, saltBytes))
    if (!timingSafeEqual(derived.subarray(32), rest.subarray(saltBytes)))
      throw new BackupRefused({
        detail: `BACKUP_KEY is not the key that ${this.#path} was made with. Nothing was restored.`
      })
    this.#key = derived.subarray(0, 32)
  }

  async record(): Promise<{ readonly kind: number; readonly plain: Buffer }> {
    const head = await this.#exactly(headBytes)
    const [kind, length] = [head.readUInt8(), head.readUInt32BE(1)]
    if (length > recordBytesMax) throw this.refuseDamaged("was changed or is damaged")
    const body = await this.#exactly(length + tagBytes)
    const decipher = createDecipheriv("aes-256-gcm", this.#key, nonceOf(this.#record++))
      .setAAD(head)
      .setAuthTag(body.subarray(length))
    const plain = decipher.update(body.subarray(0, length))
    try {
      decipher.final()
    } catch {
      throw this.refuseDamaged("was changed or is damaged")
    }
    return { kind, plain }
  }

  async expectEnd(): Promise<void> {
    if ((await this.#file.read(Buffer.alloc(1), 0, 1, this.#at)).bytesRead > 0)
      throw this.refuseDamaged("holds more than the backup")
  }
}

/**
 * Reads a backup entry by entry. Every byte that is handed out is authentic and at its place; that the file is complete is known only after
 * the last entry. Bytes of an entry that nobody takes are skipped.
 */
export const readBackup = async function* (path: string, key: string): AsyncGenerator<BackupEntry> {
  const file = await open(path, "r").catch((cause: unknown) =>
    Promise.reject(new BackupRefused({ detail: `${path} can't be read: ${reasonOf(cause)}.` }))
  )
  try {
    const source = new Source(path, file)
    await source.unlock(key)
    for (;;) {
      const { kind, plain } = await source.record()
      if (kind === kinds.end) return await source.expectEnd()
      if (kind !== kinds.entry) throw source.refuseDamaged("has a part that doesn't belong there")
      let isOpen = true
      const bytes = (async function* () {
        while (isOpen) {
          const next = await source.record()
          if (next.kind === kinds.entryEnd) isOpen = false
          else if (next.kind === kinds.data) yield next.plain
          else throw source.refuseDamaged("has a part that doesn't belong there")
        }
      })()
      yield { name: openingOf(plain.toString("utf8")).name, bytes }
      // The generator ends early when its reader leaves it: the rest is read past it.
      while (isOpen) if ((await source.record()).kind === kinds.entryEnd) isOpen = false
    }
  } finally {
    await file.close()
  }
}
