/** How loud the stream is at this moment, 0 to 1, as it is heard. */
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

  /** Browsers hold sound back until somebody has touched the page. */
  wake(): void {
    void this.context.resume()
  }

  read(): number {
    this.analyser.getFloatTimeDomainData(this.samples)
    let sum = 0
    for (const sample of this.samples) sum += sample * sample
    const loud = Math.min(1, Math.sqrt(sum / this.samples.length) * 4)
    // Up at once, down gently: as a needle with some weight.
    this.smooth += (loud - this.smooth) * (loud > this.smooth ? 0.6 : 0.2)
    return this.smooth
  }
}

/** Only where the browser hands the sound over without taking it away when the screen is locked. */
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
