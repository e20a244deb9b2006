import { useEffect, useRef, useState } from "preact/hooks"
import { IconButton } from "../../parts/Button.tsx"
import { lengthOf } from "../desk/Words.ts"

/** Points of the drawn loudness. */
const bins = 240
/** A longer sound is played without a drawing: decoding it would hold too much memory. */
const drawnMaxBytes = 24 * 1024 * 1024

/** The loudest sample of each stretch. */
const peaksOf = (sound: AudioBuffer): ReadonlyArray<number> => {
  const samples = sound.getChannelData(0)
  const size = Math.max(1, Math.floor(samples.length / bins))
  return Array.from({ length: bins }, (_, bin) => {
    let peak = 0
    for (let at = bin * size; at < Math.min(samples.length, (bin + 1) * size); at += 4)
      peak = Math.max(peak, Math.abs(samples[at]!))
    return peak
  })
}

const peaksAt = async (url: string, signal: AbortSignal): Promise<ReadonlyArray<number> | null> => {
  const response = await fetch(url, { signal })
  if (!response.ok || Number(response.headers.get("content-length") ?? 0) > drawnMaxBytes) return null
  const bytes = await response.arrayBuffer()
  if (bytes.byteLength > drawnMaxBytes) return null
  return peaksOf(await new OfflineAudioContext(1, 1, 24_000).decodeAudioData(bytes))
}

const draw = (canvas: HTMLCanvasElement, peaks: ReadonlyArray<number>, share: number): void => {
  const context = canvas.getContext("2d")
  const { clientHeight: height, clientWidth: width } = canvas
  if (context === null || width === 0) return
  const ratio = Math.min(2, devicePixelRatio)
  canvas.width = width * ratio
  canvas.height = height * ratio
  context.scale(ratio, ratio)
  context.fillStyle = getComputedStyle(canvas).color
  const step = width / peaks.length
  for (const [at, peak] of peaks.entries()) {
    const bar = Math.max(1, peak * (height - 2))
    context.globalAlpha = at / peaks.length <= share ? 1 : 0.35
    context.fillRect(at * step, (height - bar) / 2, Math.max(1, step - 1), bar)
  }
}

/** A sound with its waveform: click to hear from there. `toggle` is called with the function that plays and pauses. */
export const Sound = ({
  label,
  toggle,
  url
}: {
  readonly url: string
  readonly label: string
  readonly toggle?: (run: () => void) => void
}) => {
  const audio = useRef<HTMLAudioElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [peaks, setPeaks] = useState<ReadonlyArray<number> | null>(null)
  const [at, setAt] = useState({ sec: 0, of: 0, playing: false })
  const [wrong, setWrong] = useState(false)
  useEffect(() => {
    const over = new AbortController()
    setPeaks(null)
    setWrong(false)
    peaksAt(url, over.signal).then(setPeaks, () => undefined)
    return () => over.abort()
  }, [url])
  useEffect(() => {
    if (canvas.current !== null && peaks !== null) draw(canvas.current, peaks, at.of === 0 ? 0 : at.sec / at.of)
  }, [peaks, at])
  const press = (): void => {
    const element = audio.current
    if (element === null) return
    if (element.paused) element.play().catch(() => setWrong(true))
    else element.pause()
  }
  toggle?.(press)
  const look = (): void => {
    const element = audio.current
    if (element === null) return
    setAt({
      sec: element.currentTime,
      of: Number.isFinite(element.duration) ? element.duration : 0,
      playing: !element.paused
    })
  }
  const seek = (event: MouseEvent): void => {
    const element = audio.current
    if (element === null || at.of === 0) return
    const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect()
    element.currentTime = ((event.clientX - left) / width) * at.of
  }
  return (
    <div class="sound">
      <IconButton
        label={`${at.playing ? "Pause" : "Play"} ${label}`}
        path={at.playing ? "M8 6v12M16 6v12" : "M8 5.5v13L18.5 12z"}
        onClick={press}
      />
      <canvas class="sound-wave" ref={canvas} onClick={seek} aria-hidden="true" />
      <span class="figures note">
        {wrong ? "can't be played" : `${lengthOf(at.sec * 1_000)} / ${lengthOf(at.of * 1_000)}`}
      </span>
      <input
        class="unseen"
        type="range"
        min="0"
        max={Math.max(1, Math.round(at.of))}
        value={Math.round(at.sec)}
        aria-label={`Place in ${label}, seconds`}
        onInput={(event) => {
          if (audio.current !== null) audio.current.currentTime = Number(event.currentTarget.value)
        }}
      />
      <audio
        ref={audio}
        src={url}
        preload="metadata"
        onTimeUpdate={look}
        onLoadedMetadata={look}
        onPlay={look}
        onPause={look}
        onEnded={look}
        onError={() => setWrong(true)}
      />
    </div>
  )
}
