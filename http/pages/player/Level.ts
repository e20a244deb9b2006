/** Current loudness of the sound, 0 to 1. */
export class Level {
  private readonly analyser: AnalyserNode
  private readonly context: AudioContext
  private readonly samples: Float32Array<ArrayBuffer>
  private smooth = 0

  constructor(audio: HTMLAudioElement) {
    this.context = new AudioContext({ latencyHint: "playback" })
    this.analyser = this.context.createAnalyser()
    this.analyser.fftSize = 1024
    this.samples = new Float32Array(this.analyser.fftSize)
    this.context.createMediaElementSource(audio).connect(this.analyser).connect(this.context.destination)
  }

  /** Browsers block audio until the first user gesture. */
  wake(): void {
    void this.context.resume()
  }

  read(): number {
    this.analyser.getFloatTimeDomainData(this.samples)
    let sum = 0
    for (const sample of this.samples) sum += sample * sample
    const loud = Math.min(1, Math.sqrt(sum / this.samples.length) * 4)
    // Fast attack, slow release.
    this.smooth += (loud - this.smooth) * (loud > this.smooth ? 0.6 : 0.2)
    return this.smooth
  }
}

/** Only where Web Audio doesn't stop the sound when the screen is locked. */
export const levelOf = (audio: HTMLAudioElement): Level | null => {
  if (
    !("AudioContext" in globalThis) ||
    !("MediaSource" in globalThis) ||
    matchMedia("(prefers-reduced-motion: reduce)").matches
  )
    return null
  try {
    return new Level(audio)
  } catch {
    return null
  }
}
