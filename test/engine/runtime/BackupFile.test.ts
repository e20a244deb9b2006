import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createHash, randomBytes } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type BackupEntry, readBackup, writeBackup } from "../../../engine/runtime/BackupFile.ts"

const folder = mkdtempSync(join(tmpdir(), "longwave-backup-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const key = "sixteen characters or more"
const calm = new AbortController().signal
const quiet = () => undefined
/** Empty, small, larger than one record, and exactly one record. */
const contents: ReadonlyArray<readonly [name: string, parts: ReadonlyArray<Buffer>]> = [
  ["manifest.json", [Buffer.from("{}")]],
  ["database/empty", []],
  ["database/rows", Array.from({ length: 3 }, (_, at) => Buffer.from(`row ${at}\n`))],
  ["media/long.flac", [randomBytes(1_500_000), randomBytes(700_000)]],
  ["media/even.flac", [randomBytes(1_048_576)]]
]
const entriesOf = async function* (of = contents): AsyncGenerator<BackupEntry> {
  for (const [name, parts] of of)
    yield {
      name,
      bytes: (async function* () {
        yield* parts
      })()
    }
}
const read = async (path: string, withKey = key) => {
  const found: Array<readonly [string, string]> = []
  for await (const { bytes, name } of readBackup(path, withKey)) {
    const hash = createHash("sha256")
    for await (const block of bytes) hash.update(block)
    found.push([name, hash.digest("hex")])
  }
  return found
}
const expected = contents.map(([name, parts]) => [
  name,
  createHash("sha256").update(Buffer.concat(parts)).digest("hex")
])

describe("a backup file", () => {
  const path = join(folder, "whole")
  let whole: Buffer
  beforeAll(async () => {
    const told: Array<number> = []
    const made = await writeBackup(path, key, entriesOf(), (_, bytes) => told.push(bytes), calm)
    whole = readFileSync(path)
    expect(made).toEqual({ bytes: whole.length, sha256: createHash("sha256").update(whole).digest("hex") })
    expect(told.reduce((sum, bytes) => sum + bytes, 0)).toBe(
      Buffer.concat(contents.flatMap(([, parts]) => parts)).length
    )
  })
  const refusal = async (bytes: Buffer) => {
    const changed = join(folder, "changed")
    writeFileSync(changed, bytes)
    return read(changed).then(
      () => "taken",
      (cause: unknown) => (cause as Error).message
    )
  }
  /** Start of each record. */
  const records = (): ReadonlyArray<number> => {
    const starts: Array<number> = []
    for (let at = 66; at < whole.length; at += 5 + whole.readUInt32BE(at + 1) + 16) starts.push(at)
    return starts
  }

  it("holds its entries in order, unreadable without the key", async () => {
    expect(await read(path)).toEqual(expected)
    expect(whole.includes("manifest") || whole.includes("row 1")).toBe(false)
    expect(readdirSync(folder)).not.toContain("whole.part")
  })

  it("lets a reader skip an entry or leave one unfinished", async () => {
    const names: Array<string> = []
    for await (const { bytes, name } of readBackup(path, key)) {
      names.push(name)
      if (name === "media/long.flac")
        for await (const block of bytes) {
          expect(block.length).toBe(1_048_576)
          break
        }
    }
    expect(names).toEqual(expected.map(([name]) => name))
  })

  it("reports a wrong key", async () => {
    await expect(read(path, `${key}.`)).rejects.toThrow(/BACKUP_KEY is not the key/)
  })

  it("reports a missing file and one of another kind", async () => {
    expect(await refusal(Buffer.from("a letter of more than eighteen characters"))).toMatch(/is no backup/)
    await expect(read(join(folder, "nowhere"))).rejects.toThrow(/nowhere can't be read/)
  })

  it("reports a truncated file, at any position", async () => {
    for (const length of [20, 65, 66, 70, ...records().filter((_, index) => index % 5 === 4), whole.length - 1])
      expect([length, await refusal(whole.subarray(0, length))]).toEqual([length, expect.stringMatching(/cut off/)])
  })

  it("reports a changed file: a byte, the order of records, a repeated, missing or additional one", async () => {
    const starts = records()
    const pieces = starts.map((at, index) => whole.subarray(at, starts[index + 1] ?? whole.length))
    const head = whole.subarray(0, 66)
    for (const at of [starts[0]!, starts[0]! + 5, starts[6]! + 900, whole.length - 1]) {
      const changed = Buffer.from(whole)
      changed[at]! ^= 1
      expect([at, await refusal(changed)]).toEqual([at, expect.stringMatching(/was changed or is damaged/)])
    }
    const swapped = pieces.with(3, pieces[4]!).with(4, pieces[3]!)
    for (const other of [swapped, pieces.toSpliced(3, 2), pieces.toSpliced(3, 0, pieces[3]!)])
      expect(await refusal(Buffer.concat([head, ...other]))).toMatch(/was changed or is damaged/)
    expect(await refusal(Buffer.concat([whole, Buffer.from("x")]))).toMatch(/holds more than the backup/)
    const longer = Buffer.from(whole)
    longer.writeUInt32BE(4_000_000_000, starts[0]! + 1)
    expect(await refusal(longer)).toMatch(/was changed or is damaged/)
  })

  it("never replaces another file, and leaves nothing after a failure or interruption", async () => {
    await expect(writeBackup(path, key, entriesOf(), quiet, calm)).rejects.toThrow(/exists/)
    expect(readFileSync(path).equals(whole)).toBe(true)
    const broken = join(folder, "broken")
    const failing = async function* (): AsyncGenerator<BackupEntry> {
      yield* entriesOf()
      throw new Error("the disk is gone")
    }
    await expect(writeBackup(broken, key, failing(), quiet, calm)).rejects.toThrow(
      /No backup was made: the disk is gone/
    )
    const stopped = new AbortController()
    await expect(writeBackup(broken, key, entriesOf(), () => stopped.abort(), stopped.signal)).rejects.toThrow(/abort/)
    await expect(writeBackup(join(folder, "none", "x"), key, entriesOf(), quiet, calm)).rejects.toThrow(/ENOENT/)
    expect(readdirSync(folder).filter((name) => name.startsWith("broken"))).toEqual([])
  })

  it.skipIf(!existsSync("/dev/full"))("reports a full disk", async () => {
    // A name whose unfinished file is a full device.
    const full = join(folder, "full")
    symlinkSync("/dev/full", `${full}.part`)
    await expect(writeBackup(full, key, entriesOf(), quiet, calm)).rejects.toThrow(/the disk is full \(ENOSPC\)/)
    expect(readdirSync(folder).filter((name) => name.startsWith("full"))).toEqual([])
    expect(existsSync("/dev/full")).toBe(true)
  })

  it("replaces the leftovers of a killed backup", async () => {
    const again = join(folder, "again")
    writeFileSync(`${again}.part`, randomBytes(9_000_000))
    await writeBackup(again, key, entriesOf(), quiet, calm)
    expect(await read(again)).toEqual(expected)
  })
})
