import { useCallback, useEffect, useState } from "preact/hooks"
import { keep, readKept } from "../station/Kept.ts"

export interface Volume {
  readonly level: number
  readonly muted: boolean
  /** Some devices only allow their hardware buttons. */
  readonly canSet: boolean
  readonly set: (level: number) => void
  readonly toggle: () => void
}

const canSetOf = (audio: HTMLAudioElement): boolean => {
  const before = audio.volume
  audio.volume = before === 0.5 ? 0.6 : 0.5
  const can = audio.volume !== before
  audio.volume = before
  return can
}

/** The stored volume. */
export const useVolume = (audio: HTMLAudioElement): Volume => {
  const [canSet] = useState(() => canSetOf(audio))
  const [level, setLevel] = useState(() => {
    const left = Number(readKept("volume") ?? "1")
    return left >= 0 && left <= 1 ? left : 1
  })
  const [muted, setMuted] = useState(false)
  useEffect(() => {
    audio.volume = level
    audio.muted = muted
  }, [audio, level, muted])
  const set = useCallback((next: number) => {
    setLevel(next)
    setMuted(next === 0)
    keep("volume", String(next))
  }, [])
  const toggle = useCallback(() => setMuted((was) => !was), [])
  return { level, muted, canSet, set, toggle }
}
