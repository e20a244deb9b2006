/** Number of loudness points along an item. */
const bins = 320
const still = 0.04

const levelAt = (levels: ArrayLike<number>, share: number): number => {
  const place = share * levels.length - 0.5
  const bin = Math.floor(place)
  const before = levels[Math.max(0, bin)] ?? 0
  const after = levels[Math.min(levels.length - 1, bin + 1)] ?? 0
  return before + (after - before) * (place - bin)
}

/**
 * The item as an amplitude-modulated wave, by its loudness curve (0 to 255). Without a curve, the heard part uses the measured level and
 * the rest is an unmodulated carrier.
 */
export class Wave {
  private readonly levels = new Float32Array(bins)
  private item = ""

  /** Stores the level at a point of this item. */
  remember(item: string, share: number, level: number): void {
    if (item !== this.item) {
      this.levels.fill(0)
      this.item = item
    }
    const bin = Math.min(bins - 1, Math.max(0, Math.floor(share * bins)))
    const before = this.levels[bin] ?? 0
    this.levels[bin] = before > 0 ? before * 0.8 + level * 0.2 : level
  }

  draw(canvas: HTMLCanvasElement, share: number, phase: number, told: ReadonlyArray<number> | null): void {
    const context = canvas.getContext("2d")
    const ratio = Math.min(2, devicePixelRatio)
    const { clientHeight: height, clientWidth: width } = canvas
    if (context === null || width === 0) return
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio)
      canvas.height = Math.round(height * ratio)
    }
    const { color } = getComputedStyle(canvas)
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.clearRect(0, 0, width, height)
    context.lineJoin = "round"
    const middle = height / 2
    const swing = middle - 3
    const line = (from: number, to: number, alpha: number, thickness: number) => {
      context.beginPath()
      for (let x = from; x <= to; x += 0.5) {
        const loud =
          told !== null ? levelAt(told, x / width) / 255 : x / width <= share ? levelAt(this.levels, x / width) : 0
        const amplitude = swing * Math.max(still, Math.min(1, loud))
        const y = middle + amplitude * Math.sin(x * 0.78 + phase)
        if (x === from) context.moveTo(x, y)
        else context.lineTo(x, y)
      }
      context.globalAlpha = alpha
      context.strokeStyle = color
      context.lineWidth = thickness
      context.stroke()
    }
    const here = Math.max(0, Math.min(width, share * width))
    line(0, here, 1, 1.25)
    line(here, width, 0.34, 1)
  }
}
