/** Playback for this long counts as recovered. */
const recoveredMs = 30_000

export type SourceKind = "hls" | "native" | "mp3"

/** Sources in order of preference, as the station lists them. */
export interface Source {
  readonly type: "hls" | "mp3"
  readonly url: string
}

/** Default sources; the station's own list may have more. */
export const usualSources: ReadonlyArray<Source> = [
  { type: "hls", url: "/live/index.m3u8" },
  { type: "mp3", url: "/live.mp3" }
]

/** The source to try: the best the browser supports, and after too many failures in a row the plain one. */
export class Ladder {
  private failures = 0
  private playingSinceMs: number | null = null
  private readonly best: SourceKind
  private readonly sources: ReadonlyArray<Source>
  private readonly failuresMax: number

  constructor(best: SourceKind, sources: ReadonlyArray<Source> = usualSources, failuresMax = 3) {
    this.best = best
    this.sources = sources
    this.failuresMax = failuresMax
  }

  get source(): SourceKind {
    return this.failures >= this.failuresMax ? "mp3" : this.best
  }

  /** The last try before the plain source is the next best one. */
  get url(): string {
    const wanted = this.sources.filter(({ type }) => (type === "mp3") === (this.source === "mp3"))
    const at = this.source === "mp3" ? 0 : Math.max(0, this.failures - this.failuresMax + 2)
    return (wanted[Math.min(at, wanted.length - 1)] ?? usualSources[this.source === "mp3" ? 1 : 0]!).url
  }

  notePlaying(nowMs: number): void {
    this.playingSinceMs ??= nowMs
    if (this.source !== "mp3" && nowMs - this.playingSinceMs >= recoveredMs) this.failures = 0
  }

  noteFailure(): void {
    this.playingSinceMs = null
    this.failures += 1
  }
}
