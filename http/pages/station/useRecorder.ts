import { useCallback, useEffect, useRef, useState } from "preact/hooks"

export const recordingMaxSec = 120

/** Recording formats in order of preference. */
const types = ["audio/webm;codecs=opus", "audio/mp4", "audio/ogg;codecs=opus"]

export interface Recording {
  readonly file: Blob
  readonly name: string
  readonly url: string
  readonly durationSec: number
}

export interface Recorder {
  readonly state: "none" | "asking" | "recording" | "recorded"
  readonly sec: number
  /** Level, 0 to 1. */
  readonly level: number
  readonly recording: Recording | null
  readonly wrong: string | null
  readonly start: () => void
  readonly stop: () => void
  readonly drop: () => void
}

const wrongOf = (fault: unknown): string =>
  fault instanceof DOMException && fault.name === "NotAllowedError"
    ? "The microphone is not allowed for this page. Allow it in the browser's settings for this site, then try again."
    : fault instanceof DOMException && fault.name === "NotFoundError"
      ? "No microphone found. Connect one, then try again."
      : "The microphone can't be used. Another program may be using it."

/** Peak of recent samples, scaled for a voice. */
const levelOf = (samples: Float32Array): number =>
  Math.min(1, samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0) ** 0.5)

/** Records from the microphone for up to two minutes, for playback before sending. */
export const useRecorder = (): Recorder => {
  const [state, setState] = useState<Recorder["state"]>("none")
  const [sec, setSec] = useState(0)
  const [level, setLevel] = useState(0)
  const [recording, setRecording] = useState<Recording | null>(null)
  const [wrong, setWrong] = useState<string | null>(null)
  const ending = useRef<() => void>(() => undefined)

  const stop = useCallback(() => ending.current(), [])
  useEffect(() => stop, [stop])
  useEffect(
    () => () => {
      if (recording !== null) URL.revokeObjectURL(recording.url)
    },
    [recording]
  )

  const run = async (): Promise<void> => {
    const voice = await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true }
    })
    const type = types.find((one) => MediaRecorder.isTypeSupported(one)) ?? ""
    const recorder = new MediaRecorder(voice, type === "" ? {} : { mimeType: type })
    const context = new AudioContext()
    const analyser = context.createAnalyser()
    context.createMediaStreamSource(voice).connect(analyser)
    const samples = new Float32Array(analyser.fftSize)
    const parts: Array<Blob> = []
    const beganMs = performance.now()
    const timer = setInterval(() => {
      const past = (performance.now() - beganMs) / 1000
      analyser.getFloatTimeDomainData(samples)
      setLevel(levelOf(samples))
      setSec(past)
      // Stops slightly early, because a recording a tenth of a second too long would be refused.
      if (past >= recordingMaxSec - 0.5) ending.current()
    }, 100)
    recorder.addEventListener("dataavailable", ({ data }) => parts.push(data))
    recorder.addEventListener("stop", () => {
      clearInterval(timer)
      for (const track of voice.getTracks()) track.stop()
      void context.close()
      const file = new Blob(parts, { type: recorder.mimeType })
      const name = `call.${/mp4/.test(recorder.mimeType) ? "m4a" : /ogg/.test(recorder.mimeType) ? "ogg" : "webm"}`
      setRecording({
        file,
        name,
        url: URL.createObjectURL(file),
        durationSec: Math.round((performance.now() - beganMs) / 100) / 10
      })
      setLevel(0)
      setState("recorded")
    })
    ending.current = () => {
      ending.current = () => undefined
      if (recorder.state !== "inactive") recorder.stop()
    }
    recorder.start(1_000)
    setSec(0)
    setState("recording")
  }

  return {
    state,
    sec,
    level,
    recording,
    wrong,
    stop,
    start: () => {
      setWrong(null)
      setState("asking")
      run().catch((fault: unknown) => {
        setWrong(wrongOf(fault))
        setState("none")
      })
    },
    drop: () => {
      setRecording(null)
      setSec(0)
      setState("none")
    }
  }
}
