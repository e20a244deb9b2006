/** After so many failures of the better source the plain one is taken. */
const failuresMax = 3
/** Who has played for so long has recovered. */
const recoveredMs = 30_000

export type SourceKind = "hls" | "native" | "mp3"

/** Which source to try: the best the browser has, until it has failed too often in a row. */
export class Ladder {
  private failures = 0
  private playingSinceMs: number | null = null
  private readonly best: SourceKind

  constructor(best: SourceKind) {
    this.best = best
  }

  get source(): SourceKind {
    return this.failures >= failuresMax ? "mp3" : this.best
  }

  plays(nowMs: number): void {
    this.playingSinceMs ??= nowMs
    if (this.source !== "mp3" && nowMs - this.playingSinceMs >= recoveredMs) this.failures = 0
  }

  failed(): void {
    this.playingSinceMs = null
    this.failures += 1
  }
}
