import { Context, Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import { accessSync, chmodSync, constants, existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { StationConfig } from "../../engine/runtime/Config.ts"

const require = createRequire(import.meta.url)

/** Paths and capabilities of the tools. `libavutilMajor` orders builds, also those without a version number. */
export interface FfmpegTools {
  readonly ffmpeg: string
  readonly ffprobe: string | null
  readonly version: string
  readonly libavutilMajor: number
  readonly source: "configured" | "ffmpeg-static" | "PATH" | "bundled"
}

export class Ffmpeg extends Context.Service<Ffmpeg, FfmpegTools>()("longwave/media/Ffmpeg") {}

/** libavutil 57 came with ffmpeg 5.0. */
const libavutilOfFfmpeg5 = 57

/** A package that isn't installed, or has no build for this platform, is skipped. */
const findPackaged = (name: string): string | null => {
  try {
    const found: unknown = require(name)
    if (typeof found === "string") return found
    if (typeof found === "object" && found !== null && "path" in found && typeof found.path === "string")
      return found.path
    return null
  } catch {
    return null
  }
}

/** Install scripts may be off, and npm does not keep the executable bit of every archive. */
const makeExecutable = (path: string): string | null => {
  if (!existsSync(path)) return null
  try {
    accessSync(path, constants.X_OK)
    return path
  } catch {
    try {
      chmodSync(path, 0o755)
      return path
    } catch {
      return null
    }
  }
}

const describe = (path: string): Effect.Effect<{ readonly version: string; readonly libavutilMajor: number } | null> =>
  Effect.callback((resume) => {
    const child = execFile(path, ["-hide_banner", "-version"], { timeout: 10_000 }, (error, stdout) => {
      const version = /^\w+ version (\S+)/.exec(stdout)?.[1]
      const libavutil = /libavutil\s+(\d+)\./.exec(stdout)?.[1]
      resume(
        Effect.succeed(
          error !== null || version === undefined || libavutil === undefined
            ? null
            : { version, libavutilMajor: Number(libavutil) }
        )
      )
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })

export class FfmpegNotFound extends Error {
  override readonly name = "FfmpegNotFound"
}

/**
 * FFMPEG_PATH, then `ffmpeg-static`, then an ffmpeg ≥ 5 on the PATH, then the bundled build of 2018. A configured path that doesn't work
 * is an error and is never replaced silently.
 */
export const resolveFfmpeg = Effect.fnUntraced(function* (configured: string | null) {
  const candidates: ReadonlyArray<{
    readonly source: FfmpegTools["source"]
    readonly path: string | null
    readonly libavutilMin: number
  }> =
    configured !== null
      ? [{ source: "configured", path: configured, libavutilMin: 0 }]
      : [
          { source: "ffmpeg-static", path: findPackaged("ffmpeg-static"), libavutilMin: 0 },
          { source: "PATH", path: "ffmpeg", libavutilMin: libavutilOfFfmpeg5 },
          { source: "bundled", path: findPackaged("@ffmpeg-installer/ffmpeg"), libavutilMin: 0 }
        ]
  for (const { source, path, libavutilMin } of candidates) {
    const ffmpeg = path === null || path === "ffmpeg" ? path : makeExecutable(path)
    if (ffmpeg === null) continue
    const about = yield* describe(ffmpeg)
    if (about === null || about.libavutilMajor < libavutilMin) continue
    if (source === "bundled") {
      yield* Effect.logWarning(
        "Using the bundled ffmpeg build of 2018. For uploads in production install ffmpeg 5 or newer, or set FFMPEG_PATH."
      )
    }
    return { ffmpeg, ffprobe: yield* resolveFfprobe(source, ffmpeg), source, ...about } satisfies FfmpegTools
  }
  return yield* Effect.die(
    new FfmpegNotFound(
      configured === null
        ? "No ffmpeg found. Install ffmpeg 5 or newer, or set FFMPEG_PATH to one."
        : `FFMPEG_PATH is ${configured}, which does not run as ffmpeg. Set it to the path of an ffmpeg binary.`
    )
  )
})

/** The one beside the chosen ffmpeg; else any on the PATH, else the bundled one. */
const resolveFfprobe = Effect.fnUntraced(function* (source: FfmpegTools["source"], ffmpeg: string) {
  const beside = makeExecutable(join(dirname(ffmpeg), "ffprobe"))
  const bundled = findPackaged("@ffprobe-installer/ffprobe")
  const candidates = [
    source === "configured" ? beside : null,
    source === "bundled" ? null : "ffprobe",
    bundled === null ? null : makeExecutable(bundled)
  ].filter((path) => path !== null)
  for (const path of candidates) {
    if ((yield* describe(path)) !== null) return path
  }
  // Only uploads are probed; the air starts without it.
  yield* Effect.logWarning("No ffprobe found: uploads can't be checked. Install ffmpeg 5 or newer, which brings it.")
  return null
})

/** Found once, when the layer is built. */
export const ffmpegLayer = (configured: string | null): Layer.Layer<Ffmpeg> =>
  Layer.effect(Ffmpeg, resolveFfmpeg(configured))

export const FfmpegLive: Layer.Layer<Ffmpeg, never, StationConfig> = Layer.unwrap(
  StationConfig.pipe(Effect.map(({ ffmpegPath }) => ffmpegLayer(ffmpegPath)))
)
