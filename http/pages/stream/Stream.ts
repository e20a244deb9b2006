import { ask } from "../station/Ask.ts"
import type { HlsSource } from "./HlsSource.ts"
import { openHls } from "./HlsSource.ts"
import { Ladder, usualSources } from "./Ladder.ts"
import type { Source, SourceKind } from "./Ladder.ts"

export type StreamState = "idle" | "connecting" | "playing" | "reconnecting"

/** What the MP3 stream sends at once, so that a player starts without waiting: it is that far behind. */
const mp3BehindMs = 3_000
const watchMs = 500
const quietMaxMs = 2_000
/** The station answers and still nothing is heard for so long: that source is nudged, then it has failed. */
const nudgeMs = 4_000,
  failedMs = 8_000
/** Who fell so far behind that hurrying doesn't help goes where live is. */
const lateMaxSec = 12
/** Closer than this to the station's clock is live. */
const liveSec = 10
/** Closer than this the live stream reaches back, and no other can: one that runs behind ends three whole segments before its own live edge. */
const windowSec = 20

type Dated = HTMLAudioElement & { readonly getStartDate?: () => Date }

/** iOS plays HLS by itself, and better: it knows about locked screens and other rooms. */
const nativeFirst = (audio: HTMLAudioElement): boolean =>
  audio.canPlayType("application/vnd.apple.mpegurl") !== "" && !("MediaSource" in globalThis)

const shiftedUrl = (atMs: number): string => `${usualSources[0]!.url}?start=${new Date(atMs).toISOString()}`

const answers = async (url: string): Promise<boolean> => {
  try {
    const { ok } = await fetch(url, { cache: "no-store", signal: AbortSignal.timeout(3_000) })
    return ok
  } catch {
    return false
  }
}

interface Listed {
  readonly sources: ReadonlyArray<Source & { readonly order: number }>
  readonly fallbackAfterFailures: number
}

/** The station's own list, at the host this page came from; null while it has none yet. */
const listed = async (): Promise<Listed | null> => {
  try {
    const response = await fetch("/api/station/playback-sources", { signal: AbortSignal.timeout(2_000) })
    if (!response.ok) return null
    const list = (await response.json()) as Listed
    return {
      ...list,
      sources: list.sources
        .toSorted((one, other) => one.order - other.order)
        .map((source) => ({ ...source, url: new URL(source.url, location.href).pathname }))
    }
  } catch {
    return null
  }
}

/**
 * The station's sound in one audio element: picks the source, watches that it really advances, and brings it back by itself
 * for as long as the listener wants it.
 */
export class Stream {
  readonly audio = new Audio()
  private readonly changed = new EventTarget()
  private ladder = new Ladder(nativeFirst(this.audio) ? "native" : "hls")
  private state: StreamState = "idle"
  private kind: SourceKind = "hls"
  private hls: HlsSource | null = null
  private opened = 0
  private connectedMs = 0
  private movedMs = 0
  private lastTime = -1
  private away = false
  private broken = false
  private probing = false
  private nudgedMs = 0
  private list: Listed | null = null
  /** The instant at which a listener who is behind began, or went on after an interruption; null is live. */
  private fromMs: number | null = null
  /** The instant that the latest jump leads to, until it is made. */
  private aimMs: number | null = null
  private jumps = 0
  private skewMs = 0
  private timer: ReturnType<typeof setInterval> | undefined

  constructor() {
    this.audio.preload = "none"
    this.audio.addEventListener("error", () => this.broke())
    this.audio.addEventListener("ended", () => this.broke())
  }

  get current(): StreamState {
    return this.state
  }

  get source(): SourceKind {
    return this.kind
  }

  /** Calls back at each change of state until the answer is called. */
  listen(callback: () => void): () => void {
    this.changed.addEventListener("state", callback)
    return () => this.changed.removeEventListener("state", callback)
  }

  /** Whether it plays what was broadcast before, and not live. */
  get isBehind(): boolean {
    return this.fromMs !== null
  }

  start(): void {
    if (this.state !== "idle") return
    this.climb()
    this.go("connecting")
    void this.open()
    // The first tap isn't kept waiting for the list: what every station has comes first in it anyway.
    if (this.list === null)
      void listed().then((list) => {
        this.list = list
        if (this.kind !== "mp3") this.climb()
      })
    this.timer = setInterval(() => this.watch(), watchMs)
  }

  /**
   * Goes to an instant of the broadcast, where that is kept; null is live. Fails with the station's reason where it isn't. The station's time is
   * `skewMs` ahead of this machine's.
   */
  async from(atMs: number | null, skewMs: number): Promise<void> {
    const behindMs = atMs === null ? 0 : Date.now() + skewMs - atMs
    const jump = (this.jumps += 1)
    this.aimMs = behindMs < liveSec * 1_000 ? null : atMs
    this.skewMs = skewMs
    try {
      if (this.aimMs !== null && behindMs > windowSec * 1_000)
        await ask<unknown>(shiftedUrl(this.aimMs), { type: "text" })
    } catch (fault) {
      if (jump !== this.jumps) return
      this.aimMs = null
      throw fault
    }
    if (jump !== this.jumps) return
    this.fromMs = this.aimMs
    this.aimMs = null
    if (this.state === "idle") return this.start()
    this.climb()
    this.go("connecting")
    void this.open()
    this.changed.dispatchEvent(new Event("state"))
  }

  /** Radio isn't paused: who comes back hears what is on then. */
  stop(): void {
    clearInterval(this.timer)
    this.close()
    this.jumps += 1
    this.aimMs = null
    this.fromMs = null
    this.go("idle")
  }

  /** The instant of the broadcast that is in the listener's ear, in the station's time, `skewMs` ahead of this machine's; null where that can't be told. */
  heardMs(skewMs: number): number | null {
    if (this.state === "idle") return null
    if (this.kind === "hls") return this.hls?.playingMs() ?? this.fromMs
    if (this.audio.currentTime === 0) return this.fromMs
    if (this.kind === "mp3") return this.connectedMs + skewMs - mp3BehindMs + this.audio.currentTime * 1000
    const start = (this.audio as Dated).getStartDate?.().getTime() ?? Number.NaN
    return Number.isNaN(start) ? null : start + this.audio.currentTime * 1000
  }

  /** Where the listener is, or will be once the latest jump is made. */
  placeMs(skewMs: number): number | null {
    return this.aimMs ?? this.heardMs(skewMs)
  }

  private climb(): void {
    this.ladder = new Ladder(
      nativeFirst(this.audio) ? "native" : "hls",
      this.list?.sources ?? usualSources,
      this.list?.fallbackAfterFailures ?? 3
    )
  }

  private go(state: StreamState): void {
    if (state === this.state) return
    this.state = state
    this.changed.dispatchEvent(new Event("state"))
  }

  private nudge(nowMs: number): void {
    this.nudgedMs = nowMs
    this.hls?.nudge()
  }

  private broke(): void {
    if (this.state !== "idle") this.broken = true
  }

  private close(): void {
    this.opened += 1
    this.hls?.close()
    this.hls = null
    this.audio.removeAttribute("src")
    this.audio.load()
    this.broken = false
  }

  private async open(): Promise<void> {
    this.close()
    const turn = this.opened
    this.kind = this.ladder.source
    // MP3 is live and nothing else.
    if (this.kind === "mp3") this.fromMs = null
    const { fromMs } = this
    const url =
      fromMs === null || Date.now() + this.skewMs - fromMs < windowSec * 1_000 ? this.ladder.url : shiftedUrl(fromMs)
    this.lastTime = -1
    this.connectedMs = Date.now()
    this.movedMs = this.connectedMs
    if (this.kind === "hls") {
      const opened = await openHls(this.audio, url, fromMs, () => this.broke()).catch(() => undefined)
      if (turn !== this.opened) return opened?.close()
      if (opened === undefined) this.broken = true
      else if (opened === null)
        this.kind = this.audio.canPlayType("application/vnd.apple.mpegurl") === "" ? "mp3" : "native"
      else this.hls = opened
    }
    if (this.kind === "native") {
      this.audio.src = url
      // The first event at which the player knows dates; nothing has been heard by then.
      if (fromMs !== null)
        this.audio.addEventListener("loadedmetadata", () => turn === this.opened && this.seek(fromMs), { once: true })
    }
    // A number of its own keeps a broken stream from being taken out of a cache.
    if (this.kind === "mp3") this.audio.src = `${this.ladder.url}?from=${this.connectedMs}`
    if (!this.broken) this.audio.play().catch(() => {})
  }

  /** In a stream that the browser plays by itself. */
  private seek(atMs: number): void {
    const startMs = (this.audio as Dated).getStartDate?.().getTime() ?? Number.NaN
    if (!Number.isNaN(startMs)) this.audio.currentTime = Math.max(0, (atMs - startMs) / 1_000)
  }

  private watch(): void {
    const now = Date.now()
    const { currentTime, paused } = this.audio
    if (!this.broken && currentTime !== this.lastTime && currentTime > 0) {
      if (this.lastTime >= 0) {
        this.movedMs = now
        this.away = false
        this.ladder.plays(now)
        if (!this.isBehind && (this.hls?.lateSec() ?? 0) > lateMaxSec && now - this.nudgedMs > failedMs) this.nudge(now)
        this.go("playing")
      }
      this.lastTime = currentTime
      return
    }
    const quietMs = now - this.movedMs
    if (this.state === "playing" && quietMs > quietMaxMs) this.go("reconnecting")
    if (paused && !this.broken && this.state !== "idle") this.audio.play().catch(() => {})
    if ((this.broken || quietMs > quietMaxMs) && !this.probing) void this.bringBack(quietMs)
  }

  /** Where the station doesn't answer, it is waited for; where it answers and nothing is heard, the source has failed. */
  private async bringBack(quietMs: number): Promise<void> {
    const turn = this.opened
    this.probing = true
    const up = await answers(usualSources[0]!.url)
    this.probing = false
    if (turn !== this.opened || this.state === "idle") return
    if (!up) {
      this.away = true
      if (this.state === "playing") this.go("reconnecting")
    } else if (this.away || this.broken || quietMs > failedMs) {
      if (!this.away) this.ladder.failed()
      this.away = false
      if (this.state === "playing") this.go("reconnecting")
      // As far behind as before: a stretch without a broadcast is passed in the time that it took.
      if (this.fromMs !== null) this.fromMs = (this.heardMs(this.skewMs) ?? this.fromMs) + quietMs
      await this.open()
    } else if (quietMs > nudgeMs && this.lastTime > 0 && this.nudgedMs < this.movedMs) this.nudge(Date.now())
  }
}
