import { ask } from "../station/Ask.ts"
import type { HlsSource } from "./HlsSource.ts"
import { openHls } from "./HlsSource.ts"
import { Ladder, usualSources } from "./Ladder.ts"
import type { Source, SourceKind } from "./Ladder.ts"

export type StreamState = "idle" | "connecting" | "playing" | "reconnecting"

/** Burst of the MP3 stream, and therefore its delay. */
const mp3BehindMs = 3_000
const watchMs = 250
/** Sound that stands still this long is shown as an outage. */
const stillMaxMs = 700
const quietMaxMs = 2_000
/** If the station answers but nothing plays for this long, the source is nudged, then fails. */
const nudgeMs = 4_000,
  failedMs = 8_000
/** Listeners this far behind live jump to it. */
const lateMaxSec = 12
/** Less than this behind the station's clock is live. */
const liveSec = 10
/** Within this, the live stream can seek back, and no other can: a delayed one ends three whole segments before its own live edge. */
const windowSec = 20

type Dated = HTMLAudioElement & { readonly getStartDate?: () => Date }

/** iOS plays HLS natively, and better: with lock screen and AirPlay. */
const nativeFirst = (audio: HTMLAudioElement): boolean =>
  audio.canPlayType("application/vnd.apple.mpegurl") !== "" && !("MediaSource" in globalThis)

const shiftedUrlOf = (atMs: number): string => `${usualSources[0]!.url}?start=${new Date(atMs).toISOString()}`

const isAnswering = async (url: string): Promise<boolean> => {
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

/** The station's list of sources at this host; null if it isn't available yet. */
const fetchSources = async (): Promise<Listed | null> => {
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

/** The stream in one audio element: picks a source, checks that playback advances, and reconnects for as long as the listener wants. */
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
  /** Position at which a listener behind live began, or resumed after an interruption; null is live. */
  private fromMs: number | null = null
  /** Target of a pending jump. */
  private aimMs: number | null = null
  private jumps = 0
  private skewMs = 0
  private timer: ReturnType<typeof setInterval> | undefined

  constructor() {
    this.audio.preload = "none"
    this.audio.addEventListener("error", () => this.markBroken())
    this.audio.addEventListener("ended", () => this.markBroken())
  }

  get current(): StreamState {
    return this.state
  }

  get source(): SourceKind {
    return this.kind
  }

  /** Calls back on each change of state; returns the unsubscribe function. */
  listen(callback: () => void): () => void {
    this.changed.addEventListener("state", callback)
    return () => this.changed.removeEventListener("state", callback)
  }

  /** True when playing behind live. */
  get isBehind(): boolean {
    return this.fromMs !== null
  }

  start(): void {
    if (this.state !== "idle") return
    this.climb()
    this.go("connecting")
    void this.open()
    // Starts without waiting for the list, whose first entry is always the default.
    if (this.list === null)
      void fetchSources().then((list) => {
        this.list = list
        if (this.kind !== "mp3") this.climb()
      })
    this.timer = setInterval(() => this.watch(), watchMs)
  }

  /**
   * Jumps to a broadcast instant, if it is kept; null is live. Fails with the station's reason. Station time is `skewMs` ahead of this
   * machine's.
   */
  async from(atMs: number | null, skewMs: number): Promise<void> {
    const behindMs = atMs === null ? 0 : Date.now() + skewMs - atMs
    const jump = (this.jumps += 1)
    this.aimMs = behindMs < liveSec * 1_000 ? null : atMs
    this.skewMs = skewMs
    try {
      if (this.aimMs !== null && behindMs > windowSec * 1_000)
        await ask<unknown>(shiftedUrlOf(this.aimMs), { type: "text" })
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

  /** Pausing stops the stream: resuming plays live. */
  stop(): void {
    clearInterval(this.timer)
    this.close()
    this.jumps += 1
    this.aimMs = null
    this.fromMs = null
    this.go("idle")
  }

  /** Broadcast instant being heard, in station time, `skewMs` ahead of this machine's; null if unknown. */
  findHeardMs(skewMs: number): number | null {
    if (this.state === "idle") return null
    if (this.kind === "hls") return this.hls?.playingMs() ?? this.fromMs
    if (this.audio.currentTime === 0) return this.fromMs
    if (this.kind === "mp3") return this.connectedMs + skewMs - mp3BehindMs + this.audio.currentTime * 1000
    const start = (this.audio as Dated).getStartDate?.().getTime() ?? Number.NaN
    return Number.isNaN(start) ? null : start + this.audio.currentTime * 1000
  }

  /** The listener's position, or the target of a pending jump. */
  placeMs(skewMs: number): number | null {
    return this.aimMs ?? this.findHeardMs(skewMs)
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

  private markBroken(): void {
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
    // MP3 is always live.
    if (this.kind === "mp3") this.fromMs = null
    const { fromMs } = this
    const url =
      fromMs === null || Date.now() + this.skewMs - fromMs < windowSec * 1_000 ? this.ladder.url : shiftedUrlOf(fromMs)
    this.lastTime = -1
    this.connectedMs = Date.now()
    this.movedMs = this.connectedMs
    if (this.kind === "hls") {
      const opened = await openHls(this.audio, url, fromMs, () => this.markBroken()).catch(() => undefined)
      if (turn !== this.opened) return opened?.close()
      if (opened === undefined) this.broken = true
      else if (opened === null)
        this.kind = this.audio.canPlayType("application/vnd.apple.mpegurl") === "" ? "mp3" : "native"
      else this.hls = opened
    }
    if (this.kind === "native") {
      this.audio.src = url
      // The first event with known dates, before anything plays.
      if (fromMs !== null)
        this.audio.addEventListener("loadedmetadata", () => turn === this.opened && this.seek(fromMs), { once: true })
    }
    // A unique number prevents cached answers of a broken stream.
    if (this.kind === "mp3") this.audio.src = `${this.ladder.url}?from=${this.connectedMs}`
    if (!this.broken) this.audio.play().catch(() => {})
  }

  /** For natively played streams. */
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
        this.ladder.notePlaying(now)
        if (!this.isBehind && (this.hls?.lateSec() ?? 0) > lateMaxSec && now - this.nudgedMs > failedMs) this.nudge(now)
        this.go("playing")
      }
      this.lastTime = currentTime
      return
    }
    const quietMs = now - this.movedMs
    if (this.state === "playing" && quietMs > stillMaxMs) this.go("reconnecting")
    if (paused && !this.broken && this.state !== "idle") this.audio.play().catch(() => {})
    if ((this.broken || quietMs > quietMaxMs) && !this.probing) void this.bringBack(quietMs)
  }

  /** Waits for an unreachable station. If it answers and nothing plays, the source has failed. */
  private async bringBack(quietMs: number): Promise<void> {
    const turn = this.opened
    this.probing = true
    const up = await isAnswering(usualSources[0]!.url)
    this.probing = false
    if (turn !== this.opened || this.state === "idle") return
    if (!up) {
      this.away = true
      if (this.state === "playing") this.go("reconnecting")
    } else if (this.away || this.broken || quietMs > failedMs) {
      if (!this.away) this.ladder.noteFailure()
      this.away = false
      if (this.state === "playing") this.go("reconnecting")
      // Keeps the delay: an interruption is skipped in the time that it lasted.
      if (this.fromMs !== null) this.fromMs = (this.findHeardMs(this.skewMs) ?? this.fromMs) + quietMs
      await this.open()
    } else if (quietMs > nudgeMs && this.lastTime > 0 && this.nudgedMs < this.movedMs) this.nudge(Date.now())
  }
}
