import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { create, Header } from "tar"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { unpack } from "../../../media/models/ModelArchive.ts"
import { type CatalogModel, modelCatalog } from "../../../media/models/ModelCatalog.ts"
import { download } from "../../../media/models/ModelDownload.ts"
import { list, modelsOf, pull, type PullAsk, remove } from "../../../media/models/ModelStore.ts"
import { writeTinyLetterVoice, writeTinySenseVoice } from "../../support/media/TinyModels.ts"

const bzip2 = (bytes: Buffer): Buffer => spawnSync("bzip2", ["-c"], { input: bytes, maxBuffer: 1e9 }).stdout
const hasBzip2 = spawnSync("bzip2", ["--version"]).error === undefined
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex")

type Entry = { readonly path: string; readonly type?: "File" | "SymbolicLink" | "Link"; readonly linkpath?: string }
/** An archive with entries that no honest program writes. */
const evil = (...entries: ReadonlyArray<Entry>): Buffer =>
  bzip2(
    Buffer.concat([
      ...entries.map(({ linkpath, path, type = "File" }) => {
        const content = type === "File" ? Buffer.from("evil") : Buffer.alloc(0)
        const block = Buffer.alloc(512 + (content.length > 0 ? 512 : 0))
        new Header({
          path,
          type,
          ...(linkpath === undefined ? {} : { linkpath }),
          mode: 0o644,
          size: content.length,
          mtime: new Date(0)
        }).encode(block, 0)
        content.copy(block, 512)
        return block
      }),
      Buffer.alloc(1_024)
    ])
  )

let folder = ""
let voice: Buffer = Buffer.alloc(0)
let recogniser: Buffer = Buffer.alloc(0)

/** The server's behaviour for the next requests, in order; the last one stays in force. */
let manners: Array<(request: IncomingMessage, response: ServerResponse) => void> = []
const asked: Array<string | undefined> = []
const server = createServer((request, response) => {
  asked.push(request.headers.range)
  const manner = manners.length > 1 ? manners.shift()! : manners[0]!
  manner(request, response)
})
const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const fromOf = ({ headers }: IncomingMessage) => Number(/bytes=(\d+)-/.exec(headers.range ?? "")?.[1] ?? 0)
/** A connection to be cut: when the client has received this much. */
let held: ServerResponse | null = null
const cutAfter = (each: number) => (_: string, bytes: number) => {
  if (bytes % each === 0) held?.socket?.destroy()
}
/** Serves ranges; stops after `cutAt` bytes of the answer. */
const serves =
  (bytes: Buffer, { cutAt = Infinity, etag = '"one"' } = {}) =>
  (request: IncomingMessage, response: ServerResponse) => {
    const isSame = (request.headers["if-range"] ?? etag) === etag
    const from = isSame ? fromOf(request) : 0
    if (from > 0 && from >= bytes.length) {
      response.writeHead(416, { "content-range": `bytes */${bytes.length}` }).end()
      return
    }
    const rest = bytes.subarray(from)
    response.writeHead(from > 0 ? 206 : 200, {
      "content-length": rest.length,
      etag,
      ...(from > 0 ? { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {})
    })
    if (rest.length <= cutAt) response.end(rest)
    else {
      held = response
      response.write(rest.subarray(0, cutAt))
    }
  }

const model = (over: Partial<CatalogModel> & { readonly sha256?: string | null } = {}): CatalogModel => ({
  name: "tiny",
  kind: "voice",
  what: "for tests",
  languages: "English",
  licence: "none",
  page: "https://example.org",
  statedSize: null,
  files: [{ url: `${address()}/tiny.tar.bz2`, sha256: over.sha256 ?? null }],
  ...over
})

let dataDir = ""
const said: Array<string> = []
const fast: Pick<PullAsk, "pauseMs" | "triesMax" | "stallMs"> = { pauseMs: 1, triesMax: 3, stallMs: 5_000 }
const pulling = (catalog: ReadonlyArray<CatalogModel>, over: Partial<PullAsk> = {}) =>
  pull({ ...fast, dataDir, name: "tiny", catalog, say: (line) => said.push(line), ...over })
const models = (...path: ReadonlyArray<string>) => join(dataDir, "models", ...path)
const leftovers = () => ["tiny", ".unpacking", "checksums.json"].filter((name) => existsSync(models(name)))

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "models-"))
  writeTinyLetterVoice(join(folder, "voice", "tiny-voice"))
  writeTinySenseVoice(join(folder, "recogniser", "tiny-recogniser"))
  // Large enough to be cut in the middle: the models alone compress to a few kilobytes.
  const noise = createHash("sha512")
  const filler = Buffer.concat(Array.from({ length: 4_000 }, (_, index) => noise.copy().update(String(index)).digest()))
  writeFileSync(join(folder, "voice", "tiny-voice", "README"), filler)
  const packed = async (kind: string, name: string) => {
    const file = join(folder, `${kind}.tar`)
    await create({ cwd: join(folder, kind), file }, [name])
    return bzip2(readFileSync(file))
  }
  if (hasBzip2) {
    voice = await packed("voice", "tiny-voice")
    recogniser = await packed("recogniser", "tiny-recogniser")
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "models-data-"))
  said.length = 0
  asked.length = 0
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

describe.skipIf(!hasBzip2)("npm run models (needs bzip2, to make the archives)", () => {
  it("downloads, unpacks, records the hash, and the station finds the model", async () => {
    manners = [serves(voice)]
    const progress: Array<number> = []
    await pulling([model()], { onProgress: (_, bytes, total) => progress.push(bytes / total!) })
    expect(progress.at(-1)).toBe(1)
    expect(modelsOf(dataDir)).toEqual({ voice: models("tiny"), recogniser: null })
    expect(said.join("\n")).toContain(`SHA-256 ${sha256(voice)}  tiny.tar.bz2 (recorded`)
    expect(JSON.parse(readFileSync(models("checksums.json"), "utf8"))).toEqual({
      [`${address()}/tiny.tar.bz2`]: sha256(voice)
    })
    // Nothing is kept twice.
    expect(existsSync(models(".downloads", "tiny.tar.bz2"))).toBe(false)
    await pulling([model()])
    expect(asked).toHaveLength(1)
    expect(said.at(-1)).toContain("tiny is there already")

    manners = [serves(recogniser)]
    await pulling(
      [model({ name: "ear", kind: "recogniser", files: [{ url: `${address()}/ear.tar.bz2`, sha256: null }] })],
      {
        name: "ear"
      }
    )
    expect(modelsOf(dataDir)).toEqual({ voice: models("tiny"), recogniser: models("ear") })
    const configured = { voice: null, recogniser: null }
    expect(list(dataDir, configured, [model()]).map(({ kind, name, state }) => [name, kind, state])).toEqual([
      ["tiny", "voice", "in use"],
      ["ear", "recogniser", "in use"]
    ])
    await remove(dataDir, "tiny", [model()])
    expect(modelsOf(dataDir).voice).toBeNull()
    await expect(remove(dataDir, "tiny", [model()])).rejects.toThrow("tiny is not there")
  })

  it("goes on where a connection was cut, over as many connections as it takes", async () => {
    const cutAt = 60_000
    manners = [serves(voice, { cutAt })]
    await pulling([model({ sha256: sha256(voice) })], { onProgress: cutAfter(cutAt) })
    const rounds = Math.ceil(voice.length / cutAt)
    expect(rounds).toBeGreaterThan(3)
    expect(asked).toEqual([undefined, ...Array.from({ length: rounds - 1 }, (_, i) => `bytes=${(i + 1) * cutAt}-`)])
    expect(modelsOf(dataDir).voice).not.toBeNull()
    expect(said.join("\n")).toContain("(as expected)")
  })

  it("goes on after the command was stopped, and begins anew if the file has changed meanwhile", async () => {
    const gone = new AbortController()
    manners = [serves(voice, { cutAt: 50_000 })]
    await expect(
      pulling([model()], { signal: gone.signal, onProgress: () => gone.abort(new Error("stopped")) })
    ).rejects.toThrow("stopped")
    expect(list(dataDir, { voice: null, recogniser: null }, [model()])[0]!.state).toBe("begun")
    const had = readFileSync(models(".downloads", "tiny.tar.bz2.part")).length
    expect(had).toBeGreaterThan(0)
    asked.length = 0
    manners = [serves(voice, { etag: '"two"' })]
    await pulling([model({ sha256: sha256(voice) })])
    expect(asked).toEqual([`bytes=${had}-`])
    expect(modelsOf(dataDir).voice).not.toBeNull()
  })

  it("takes a server that knows no ranges from the beginning, and one that lies about them too", async () => {
    const whole = (_: IncomingMessage, response: ServerResponse) =>
      response.writeHead(200, { "content-length": voice.length }).end(voice)
    const wrongPart = (_: IncomingMessage, response: ServerResponse) =>
      response.writeHead(206, { "content-range": `bytes 7-${voice.length - 1}/${voice.length}` }).end(voice.subarray(7))
    manners = [serves(voice, { cutAt: 50_000 }), wrongPart, whole]
    await pulling([model({ sha256: sha256(voice) })], { onProgress: cutAfter(50_000) })
    expect(asked).toEqual([undefined, "bytes=50000-", undefined])
  })

  it("refuses a file that is shorter than the server said, and keeps what came", async () => {
    const liar = (request: IncomingMessage, response: ServerResponse) => {
      const from = fromOf(request)
      if (from > 0) return response.writeHead(206, { "content-range": `bytes ${from}-${voice.length}/*` }).end()
      response.writeHead(200, { "content-length": voice.length + 5_000, etag: '"one"' })
      held = response
      return response.write(voice)
    }
    manners = [liar, (_, response) => response.socket?.destroy()]
    await expect(pulling([model()], { onProgress: cutAfter(voice.length) })).rejects.toThrow(
      `${voice.length} bytes are kept`
    )
    expect(leftovers()).toEqual([])
  })

  it("refuses a truncated archive that is declared whole, and leaves nothing of it", async () => {
    const half = voice.subarray(0, voice.length - 40_000)
    manners = [serves(half)]
    await expect(pulling([model()])).rejects.toThrow("can't be unpacked")
    expect(leftovers()).toEqual([])
    // The next try starts again.
    manners = [serves(voice)]
    await pulling([model()])
    expect(modelsOf(dataDir).voice).not.toBeNull()
  })

  it("deletes a file with another hash than the publisher's or the recorded one", async () => {
    manners = [serves(voice)]
    await expect(pulling([model({ sha256: "0".repeat(64) })])).rejects.toThrow(
      `its SHA-256 is ${sha256(voice)}, not ${"0".repeat(64)}`
    )
    expect(leftovers()).toEqual([])
    await pulling([model()])
    await remove(dataDir, "tiny", [model()])
    manners = [serves(recogniser)]
    await expect(pulling([model()])).rejects.toThrow("is not the file that it should be")
    expect(leftovers()).toEqual(["checksums.json"])
  })

  it("gives up on a silent server, one that never ends, a missing file and one too large, and says what to put where", async () => {
    manners = [() => {}]
    await expect(pulling([model()], { stallMs: 40, triesMax: 2 })).rejects.toThrow("nothing came for 0.04 s")
    manners = [
      (_, response) => {
        // Until nobody reads it any more: this process has other tests to run.
        const more = () =>
          response.destroyed ? undefined : response.write(Buffer.alloc(65_536), () => setImmediate(more))
        response.writeHead(200)
        more()
      }
    ]
    await expect(pulling([model()], { bytesMax: 300_000 })).rejects.toThrow("has more than 300000 bytes")
    manners = [(_, response) => response.writeHead(200, { "content-length": 1e12 }).write("x")]
    await expect(pulling([model()])).rejects.toThrow("are the most")
    manners = [(_, response) => response.writeHead(404).end()]
    const failure = await pulling([model()]).catch((error: Error) => error.message)
    expect(failure).toContain("answered 404")
    expect(failure).toContain(
      `download ${address()}/tiny.tar.bz2 elsewhere, put the file at\n  ${models(".downloads", "tiny.tar.bz2")}`
    )
    // The advice in the message works.
    mkdirSync(models(".downloads"), { recursive: true })
    writeFileSync(models(".downloads", "tiny.tar.bz2"), voice)
    await pulling([model()])
    expect(modelsOf(dataDir).voice).toBe(models("tiny"))
  })

  it("refuses an archive that isn't the model, and a model that isn't in the catalog", async () => {
    manners = [serves(recogniser)]
    await expect(pulling([model()])).rejects.toThrow("can't be used")
    manners = [serves(Buffer.from("<html>Not found</html>"))]
    await expect(pulling([model()])).rejects.toThrow("can't be unpacked")
    expect(leftovers()).toEqual([])
    await expect(pulling([model()], { name: "../../etc" })).rejects.toThrow(
      "There is no model ../../etc in the catalog"
    )
    await expect(remove(dataDir, "../..", [model()])).rejects.toThrow("There is no model ../..")
  })

  it.each([
    ["a path upwards", [{ path: "tiny/../../outside" }]],
    ["an absolute path", [{ path: "/tmp/outside" }]],
    ["a backslash path", [{ path: "..\\outside" }]],
    [
      "a symbolic link, then a file through it",
      [{ path: "tiny", type: "SymbolicLink", linkpath: ".." }, { path: "tiny/outside" }]
    ],
    ["a hard link", [{ path: "tiny/link", type: "Link", linkpath: "../../outside" }]]
  ] as ReadonlyArray<[string, ReadonlyArray<Entry>]>)("refuses %s in an archive", async (_, entries) => {
    manners = [serves(evil({ path: "tiny/innocent" }, ...entries))]
    await expect(pulling([model()])).rejects.toThrow("can't be unpacked")
    expect(existsSync(join(dataDir, "outside"))).toBe(false)
    expect(existsSync(models("outside"))).toBe(false)
    expect(leftovers()).toEqual([])
  })

  it("refuses a bomb", async () => {
    const file = join(folder, "bomb.tar.bz2")
    const block = Buffer.alloc(512 + 4 * 1_048_576)
    new Header({ path: "zeros", type: "File", mode: 0o644, size: 4 * 1_048_576, mtime: new Date(0) }).encode(block, 0)
    writeFileSync(file, bzip2(Buffer.concat([block, Buffer.alloc(1_024)])))
    await expect(unpack(file, join(folder, "bomb"), { bytesMax: 2 * 1_048_576 })).rejects.toThrow("2 MiB")
    await expect(unpack(file, join(folder, "bomb-2"), { filesMax: 0 })).rejects.toThrow("more than 0 files")
  })
})

describe("models in DATA_DIR/models", () => {
  it("takes the best of the catalog first, then any that fits, also through a link", () => {
    for (const name of ["aaa-own-voice", modelCatalog[1]!.name]) writeTinyLetterVoice(models(name))
    mkdirSync(models("kokoro-multi-lang-v1_0"))
    expect(modelsOf(dataDir).voice).toBe(models(modelCatalog[1]!.name))
    expect(
      list(dataDir, { voice: null, recogniser: null }).flatMap(({ name, state }) =>
        state === "" ? [] : [[name, state]]
      )
    ).toEqual([
      ["kokoro-multi-lang-v1_0", "damaged"],
      [modelCatalog[1]!.name, "in use"],
      ["aaa-own-voice", "there"]
    ])
    rmSync(models(modelCatalog[1]!.name), { recursive: true })
    symlinkSync(models("aaa-own-voice"), models("linked"))
    rmSync(models("kokoro-multi-lang-v1_0"), { recursive: true })
    expect(modelsOf(dataDir).voice).toBe(models("aaa-own-voice"))
    expect(modelsOf(join(dataDir, "nowhere"))).toEqual({ voice: null, recogniser: null })
  })

  it("states a licence, a page and files for each model of the catalog, and no hash that its publisher doesn't", () => {
    for (const { files, languages, licence, name, page } of modelCatalog) {
      expect([name, languages, licence].every((text) => text.length > 2)).toBe(true)
      expect(page).toMatch(/^https:\/\/(k2-fsa\.github\.io|huggingface\.co)\//)
      for (const { sha256, url } of files) {
        expect(url).toMatch(/^https:\/\/github\.com\/k2-fsa\/sherpa-onnx\/releases\/download\//)
        expect(sha256).toBeNull()
      }
    }
    expect(new Set(modelCatalog.map(({ name }) => name)).size).toBe(modelCatalog.length)
  })

  it("refuses a redirect from TLS to none", async () => {
    const real = globalThis.fetch
    // Only the answers of TLS are simulated: the machine has no certificate.
    globalThis.fetch = () =>
      Promise.resolve(Object.defineProperty(new Response("x"), "url", { value: "http://elsewhere.example/x" }))
    try {
      await expect(download({ url: "https://example.org/x", to: join(dataDir, "x"), sha256: null })).rejects.toThrow(
        "an address without TLS"
      )
    } finally {
      globalThis.fetch = real
    }
  })
})
