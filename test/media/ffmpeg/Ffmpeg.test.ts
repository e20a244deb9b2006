import { it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { getPriority } from "node:os"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { mediaJobNiceness } from "../../../engine/rules/music/limits.ts"
import { Ffmpeg, ffmpegLayer, resolveFfmpeg } from "../../../media/ffmpeg/Ffmpeg.ts"
import { runMediaJob } from "../../../media/ffmpeg/MediaJob.ts"
import { temporaryFolder } from "../../support/media/Media.ts"

const later = <A>(work: () => Promise<A>) => Effect.promise(work)

describe("the chosen ffmpeg", () => {
  it.live("is found without any configuration", () =>
    Effect.gen(function* () {
      const tools = yield* resolveFfmpeg(null)
      expect(tools.libavutilMajor).toBeGreaterThanOrEqual(56)
      expect(tools.source).not.toBe("configured")
      // Null if another user installed the bundled one without access for others.
      expect(tools.ffprobe ?? "ffprobe").toContain("ffprobe")
    })
  )

  it.live("is the configured one, with the ffprobe beside it", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const found = yield* resolveFfmpeg(null)
      for (const name of ["ffmpeg", "ffprobe"]) {
        yield* later(() =>
          writeFile(join(folder, name), `#!/bin/sh\nexec ${found.ffmpeg} "$@"\n`).then(() =>
            chmod(join(folder, name), 0o755)
          )
        )
      }
      expect(yield* resolveFfmpeg(join(folder, "ffmpeg"))).toMatchObject({
        source: "configured",
        ffmpeg: join(folder, "ffmpeg"),
        ffprobe: join(folder, "ffprobe")
      })
    }).pipe(Effect.scoped)
  )

  it.live("is never another than the configured one", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* later(() => mkdir(join(folder, "bin")))
      yield* later(() =>
        writeFile(join(folder, "bin", "ffmpeg"), "#!/bin/sh\necho hello\n").then(() =>
          chmod(join(folder, "bin", "ffmpeg"), 0o755)
        )
      )
      for (const wrong of [join(folder, "nothing"), join(folder, "bin", "ffmpeg")]) {
        const exit = yield* Effect.exit(resolveFfmpeg(wrong))
        expect(Exit.isFailure(exit) && String(exit.cause)).toContain(`FFMPEG_PATH is ${wrong}`)
      }
    }).pipe(Effect.scoped)
  )

  it.live("is made executable if install scripts were off", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const path = join(folder, "ffmpeg")
      const { ffmpeg } = yield* resolveFfmpeg(null)
      yield* later(() => writeFile(path, `#!/bin/sh\nexec ${ffmpeg} "$@"\n`))
      yield* later(() => chmod(path, 0o644))
      expect((yield* resolveFfmpeg(path)).source).toBe("configured")
    }).pipe(Effect.scoped)
  )
})

/** Processes of this machine whose command line contains the word, with their niceness. */
const processes = async (word: string): Promise<ReadonlyArray<number>> => {
  const found: Array<number> = []
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    try {
      if (!(await readFile(`/proc/${pid}/cmdline`, "utf8")).includes(word)) continue
      const stat = await readFile(`/proc/${pid}/stat`, "utf8")
      // After the name in brackets: state is the first field, niceness the seventeenth.
      if (stat.slice(stat.lastIndexOf(")") + 2)[0] !== "Z")
        found.push(Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]))
    } catch {
      // Ended meanwhile.
    }
  }
  return found
}

const until = <A>(look: () => Promise<A>, good: (found: A) => boolean) =>
  later(look).pipe(
    Effect.tap(() => Effect.sleep(20)),
    Effect.repeat({ until: good })
  )
/** A word that no job of another run on this machine has in its command line. */
const ownWord = (what: string) => `longwave-test-${what}-${randomUUID()}`
/** Niceness of a job relative to this process, which may itself be nice. */
const jobNiceness = Math.min(getPriority() + mediaJobNiceness, 19)

describe.skipIf(!existsSync("/proc/self/stat"))("offline jobs", () => {
  const endless = (word: string) =>
    runMediaJob(
      (command) =>
        command
          .input("anullsrc")
          .inputOptions(["-re", "-f", "lavfi"])
          .output("-")
          .outputOptions(["-f", "null", "-metadata", `title=${word}`]),
      60
    )

  it.live("run at low priority and end with their caller", () =>
    Effect.gen(function* () {
      const word = ownWord("interrupted")
      const job = yield* Effect.forkChild(endless(word))
      expect(
        yield* until(
          () => processes(word),
          (found) => found.includes(jobNiceness)
        )
      ).toEqual([jobNiceness])
      yield* Fiber.interrupt(job)
      expect(
        yield* until(
          () => processes(word),
          (found) => found.length === 0
        )
      ).toEqual([])
    }).pipe(Effect.provide(ffmpegLayer(null)))
  )

  it.live("are killed after their time limit", () =>
    Effect.gen(function* () {
      const word = ownWord("overdue")
      const failure = yield* Effect.flip(
        runMediaJob(
          (command) =>
            command
              .input("anullsrc")
              .inputOptions(["-re", "-f", "lavfi"])
              .output("-")
              .outputOptions(["-f", "null", "-metadata", `title=${word}`]),
          0.4
        )
      )
      expect(failure.reason).toBe("timeout")
      expect(
        yield* until(
          () => processes(word),
          (found) => found.length === 0
        )
      ).toEqual([])
    }).pipe(Effect.provide(ffmpegLayer(null)))
  )

  it.live("report their error", () =>
    Effect.gen(function* () {
      expect((yield* Ffmpeg).ffmpeg).not.toBe("")
      const failure = yield* Effect.flip(
        runMediaJob((command) => command.input("/nowhere/at-all.flac").output("-").outputOptions(["-f", "null"]))
      )
      expect(failure).toMatchObject({ reason: "failed" })
      expect(failure.detail).toContain("No such file")
    }).pipe(Effect.provide(ffmpegLayer(null)))
  )
})
