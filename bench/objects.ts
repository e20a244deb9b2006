import { createHash } from "node:crypto"
import { request } from "node:http"
import { join } from "node:path"
import sharp from "sharp"
import { approve, reviewOf } from "./instruments/clients/Operator.ts"
import { becomeAgent, call } from "./instruments/clients/Stranger.ts"
import { pause } from "./instruments/Children.ts"
import { hash, type Report } from "./instruments/Report.ts"
import { runInFolder, type RunningStation, startStation } from "./instruments/servers/Station.ts"
import { tuneOf, until } from "./instruments/servers/StationPair.ts"
import { isSwiftHere, startSwift, type Swift, swiftPackages } from "./instruments/servers/Swift.ts"

const songSec = 31
const rateHz = 48_000
const uploads = "/api/v1/media/uploads"
const gallery = "/api/v1/agents/me/gallery"
const handle = "dunlin"

/** A stereo wave file, different for each number. */
const makeSong = (n: number): Buffer => {
  const head = Buffer.alloc(44)
  const tune = tuneOf(n, songSec)
  const pcm = Buffer.alloc(tune.length * 4)
  for (const [at, value] of tune.entries())
    for (const channel of [0, 1]) pcm.writeInt16LE(Math.round(value * 32_767), at * 4 + channel * 2)
  head.write("RIFF", 0)
  head.writeUInt32LE(36 + pcm.length, 4)
  head.write("WAVEfmt ", 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(2, 22)
  head.writeUInt32LE(rateHz, 24)
  head.writeUInt32LE(rateHz * 4, 28)
  head.writeUInt16LE(4, 32)
  head.writeUInt16LE(16, 34)
  head.write("data", 36)
  head.writeUInt32LE(pcm.length, 40)
  return Buffer.concat([head, pcm])
}

/** Sends a file to a signed address, and does something when half of it is sent. Answers the status; null if the connection broke. */
const put = (
  url: string,
  headers: Record<string, string>,
  bytes: Buffer,
  atHalf: (breakOff: () => void) => Promise<unknown> = () => Promise.resolve()
): Promise<number | null> =>
  new Promise((resolve) => {
    const sent = request(url, { method: "PUT", headers, agent: false }, (answer) => {
      answer.resume()
      answer.on("end", () => resolve(answer.statusCode ?? null))
      answer.on("error", () => resolve(null))
    })
    sent.on("error", () => resolve(null))
    sent.write(bytes.subarray(0, bytes.length >> 1), () => {
      void atHalf(() => void sent.destroy(new Error("broken off"))).then(() => {
        if (!sent.destroyed) sent.end(bytes.subarray(bytes.length >> 1))
      })
    })
  })

/** What a store or a station that is killed does to uploads, their examination and pictures. */
export const run = (size: "whole" | "small"): Promise<Report> => {
  if (!isSwiftHere())
    throw new Error(`This bench needs Swift: apt-get install --no-install-recommends ${swiftPackages}`)
  return runInFolder(async (folder) => {
    const swift = await startSwift(join(folder, "swift"))
    let station: RunningStation | undefined
    try {
      return await killAgainAndAgain(folder, swift, size === "whole" ? 4 : 1, (started) => (station = started))
    } catch (error) {
      console.error(station?.output().slice(-4_000))
      throw error
    } finally {
      await station?.stop("SIGKILL")
      await swift.kill()
    }
  })
}

const killAgainAndAgain = async (
  folder: string,
  swift: Swift,
  rounds: number,
  noteStation: (station: RunningStation) => void
): Promise<Report> => {
  const dataDir = join(folder, "var")
  let station: RunningStation
  const start = async (former?: RunningStation) => {
    station = await startStation({
      dataDir,
      ...(former === undefined ? {} : { port: former.port, operator: former.operator }),
      env: { HOUSE_PROGRAMME: "off", HOUSE_READS: "off", RATE_LIMIT_SCALE: "1000", ...swift.env }
    })
    noteStation(station)
    await until("the station is ready", async () => ((await fetch(`${station.base}/readyz`)).ok ? true : undefined))
  }
  await start()
  const { base, operator } = station!
  const { apiKey: bearer } = await becomeAgent(base, handle, "dunlin@example.org")
  const ask = async (method: string, path: string, body?: object) =>
    (await call(base, method, path, { bearer, ...(body === undefined ? {} : { body }) })).body
  const restartStation = async () => {
    await station.stop("SIGKILL")
    await start(station)
  }
  const restartStore = async () => {
    await swift.kill()
    // Long enough for the station to ask it in vain.
    await pause(1_500)
    await swift.start()
  }

  /** The stream goes on while the store is dead. */
  let silentLooks = 0
  let isStationKilled = false
  const end = new AbortController()
  const listening = (async () => {
    for (; !end.signal.aborted; await pause(500)) {
      const answer = await fetch(`${base}/live/aac128/index.m3u8`).catch(() => null)
      await answer?.body?.cancel()
      if (answer?.ok !== true && !isStationKilled) silentLooks += 1
    }
  })()

  const found = { halfTaken: 0, lost: 0, halfServed: 0, whole: 0 }
  let made = 0
  const uploaded: Array<string> = []
  const announce = async () => {
    const bytes = makeSong(++made)
    const upload = (
      await ask("POST", `${uploads}/initiate`, {
        fileName: `song-${made}.wav`,
        contentType: "audio/wav",
        byteSize: bytes.length,
        purpose: "music",
        keyPrefix: `music/rotation/${handle}`,
        sha256: createHash("sha256").update(bytes).digest("hex")
      })
    )["upload"] as { readonly id: string; readonly uploadUrl: string; readonly uploadHeaders: Record<string, string> }
    return { ...upload, bytes }
  }
  type Announced = Awaited<ReturnType<typeof announce>>
  const putWhole = ({ bytes, id, uploadHeaders, uploadUrl }: Announced) =>
    until(
      `the file of ${id} is sent`,
      async () => {
        const status = await put(uploadUrl, uploadHeaders, bytes)
        if (status !== 200) throw new Error(`the store answered ${String(status)}`)
        return true
      },
      500
    )
  const complete = ({ id }: Announced) => ask("POST", `${uploads}/${id}/complete`)
  /** The examination ends, and the sound is that of the file. */
  const awaitExamined = async (one: Announced) => {
    const upload = await until(`the examination of ${one.id}`, async () => {
      const now = (await ask("GET", `${uploads}/${one.id}`))["upload"] as {
        readonly status: string
        readonly durationSec: number | null
      }
      return now.status === "uploaded" || now.status === "processing" ? undefined : now
    })
    const isWhole = upload.status === "qc_passed" && Math.abs((upload.durationSec ?? 0) - songSec) < 0.05
    if (isWhole) {
      found.whole += 1
      uploaded.push(one.id)
    } else found.lost += 1
    console.log(`  ${one.id}: ${upload.status}, ${upload.durationSec ?? "?"} s`)
  }
  /** Reports a broken-off upload as complete, which the station must refuse. Then sends the whole file. */
  const sendAgain = async (one: Announced) => {
    const taken = await complete(one).then(
      () => true,
      (error: unknown) => !/409/.test(String(error)) && Promise.reject(error as Error)
    )
    if (taken) found.halfTaken += 1
    else {
      await putWhole(one)
      await complete(one)
    }
    await awaitExamined(one)
  }

  const kinds: Record<string, (round: number) => Promise<void>> = {
    "the store is killed in the middle of an upload": async () => {
      const one = await announce()
      const status = await put(one.uploadUrl, one.uploadHeaders, one.bytes, () => swift.kill())
      if (status === 200) found.halfTaken += 1
      await swift.start()
      await sendAgain(one)
    },
    "the caller goes away in the middle of an upload": async () => {
      const one = await announce()
      await put(one.uploadUrl, one.uploadHeaders, one.bytes, async (breakOff) => {
        await pause(300)
        breakOff()
      })
      await sendAgain(one)
    },
    "the store is killed while a file is taken over": async (round) => {
      const one = await announce()
      await putWhole(one)
      const completing = complete(one).catch(() => null)
      await pause(40 * round)
      await restartStore()
      if ((await completing) === null)
        await until("the upload is completed", () => complete(one).then(() => true as const))
      await awaitExamined(one)
    },
    "the station is killed while a file is taken over": async (round) => {
      const one = await announce()
      await putWhole(one)
      const completing = complete(one).catch(() => null)
      await pause(150 * round)
      isStationKilled = true
      await restartStation()
      isStationKilled = false
      if ((await completing) === null)
        await until("the upload is completed", () => complete(one).then(() => true as const))
      await awaitExamined(one)
    }
  }
  for (const [what, kill] of Object.entries(kinds)) {
    console.log(what)
    for (let round = 1; round <= rounds; round++) await kill(round)
  }

  for (const killed of ["store", "station"] as const) {
    console.log(`the ${killed} is killed while a picture is stored`)
    for (let round = 1; round <= rounds; round++) {
      const noise = Buffer.from(Array.from({ length: 600 * 400 * 3 }, (_, n) => ((n + round) * 2_654_435_761) >>> 24))
      const bytes = await sharp(noise, { raw: { width: 600, height: 400, channels: 3 } })
        .jpeg()
        .toBuffer()
      const { upload } = (await ask("POST", `${gallery}/uploads/initiate`, {
        fileName: "harbour.jpg",
        contentType: "image/jpeg",
        byteSize: bytes.length
      })) as unknown as { readonly upload: Pick<Announced, "id" | "uploadUrl" | "uploadHeaders"> }
      const status = await put(upload.uploadUrl, upload.uploadHeaders, bytes)
      if (status !== 200) throw new Error(`a picture was not taken: ${String(status)}`)
      const completing = ask("POST", `${gallery}/uploads/${upload.id}/complete`, {
        rightsAttested: true,
        caption: "The harbour",
        altText: "Boats",
        source: { kind: "own" }
      }).catch(() => null)
      await pause(60 * round)
      if (killed === "store") await restartStore()
      else {
        isStationKilled = true
        await restartStation()
        isStationKilled = false
      }
      await completing
      await until("the picture is stored", async () => {
        const { assets } = (await ask("GET", gallery)) as unknown as {
          readonly assets: ReadonlyArray<{ readonly status: string; readonly url: string }>
        }
        for (const { url } of assets) {
          const answer = await fetch(new URL(new URL(url).pathname, base), {
            headers: { authorization: `Bearer ${bearer}` }
          })
          const body = Buffer.from(await answer.arrayBuffer())
          if (!answer.ok) continue
          // A WebP file says how long it is.
          if (body.subarray(0, 4).toString() !== "RIFF" || body.readUInt32LE(4) + 8 !== body.length)
            found.halfServed += 1
        }
        return true
      })
    }
  }

  console.log("a song of the store airs")
  const { track } = (await ask("POST", "/api/v1/tracks", {
    title: "Low water",
    genre: "jazz",
    uploadId: uploaded[0],
    rightsDeclaration: "own_work",
    rightsAttested: true,
    syntheticDisclosure: "Made with a program."
  })) as { readonly track: { readonly id: string } }
  await approve(base, operator, await reviewOf(base, operator, "track", track.id))
  await until("the song can air", () =>
    call(base, "POST", "/api/ops/playout/insert-now", { bearer: operator, body: { trackId: track.id } }).then(
      () => true as const
    )
  )
  const aired = await until("the song has aired", async () => {
    const { items } = (await call(base, "GET", "/api/station/history?limit=20")).body as {
      readonly items: ReadonlyArray<{ readonly title: string; readonly airedCompletely: boolean }>
    }
    return items.find(({ title }) => title === "Low water")
  })
  end.abort()
  await listening
  return reportOf(rounds * (Object.keys(kinds).length + 2), {
    ...found,
    silentLooks,
    airedWhole: aired.airedCompletely ? 1 : 0
  })
}

interface Found {
  readonly halfTaken: number
  readonly lost: number
  readonly halfServed: number
  readonly whole: number
  readonly silentLooks: number
  readonly airedWhole: number
}

/** Null: not measured. */
const reportOf = (kills: number, found: Found | null): Report => {
  const none = (name: string, value: number | undefined): Report["goals"][number] => ({
    name,
    direction: "at most",
    limit: 0,
    value: value ?? null
  })
  return {
    bench: "objects",
    rows: [
      { what: "kills", unit: "", values: found === null ? [] : [kills] },
      { what: "uploads that were whole after the next try", unit: "", values: found === null ? [] : [found.whole] }
    ],
    goals: [
      none("files that were taken although half of them was sent", found?.halfTaken),
      none("uploads that were lost", found?.lost),
      none("pictures that were served half", found?.halfServed),
      none("looks at the stream without an answer while the store was dead", found?.silentLooks),
      { name: "songs of the store that aired whole", direction: "at least", limit: 1, value: found?.airedWhole ?? null }
    ],
    computed: hash(String(kills))
  }
}
