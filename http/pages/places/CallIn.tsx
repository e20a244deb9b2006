import { useEffect, useRef, useState } from "preact/hooks"
import type { CallConfirmed } from "../../../schema/listeners/Message.ts"
import { ask } from "../station/Ask.ts"
import { useConsent } from "../Consent.tsx"
import { Button } from "../parts/Button.tsx"
import { clockText } from "../player/Programme.ts"
import type { PlaceProps } from "../player/Radio.ts"
import { type Recorder, recordingMaxSec, useRecorder } from "../station/useRecorder.ts"

/** Recording level, and the elapsed part of the two minutes. */
const Meter = ({ level, sec, state }: Recorder) => {
  const bar = useRef<HTMLSpanElement>(null)
  useEffect(() => bar.current?.style.setProperty("transform", `scaleX(${level})`), [level])
  return (
    <div class="meter">
      <span class="meter-scale" aria-hidden="true">
        <span class="meter-level" ref={bar} />
      </span>
      <span
        class="meter-time figures"
        role="timer"
        aria-label="Recorded"
      >{`${clockText(sec * 1000)} of ${clockText(recordingMaxSec * 1000)}`}</span>
      {state === "recording" ? <span class="meter-on">Recording</span> : null}
    </div>
  )
}

/** A call to the station: recorded, played back, then sent. A person reviews it before it airs. */
export const CallIn = ({ radio: { stream } }: PlaceProps) => {
  const recorder = useRecorder()
  const { agreed, fields } = useConsent({ recorded: true })
  const [told, setTold] = useState<string | null>(null)
  const [wrong, setWrong] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const { recording, state } = recorder
  // Stops the broadcast, which would be recorded too.
  useEffect(() => {
    if (state !== "recording" && state !== "recorded") return
    const was = stream.audio.muted
    stream.audio.muted = true
    return () => {
      stream.audio.muted = was
    }
  }, [state === "recording" || state === "recorded"])

  const send = async (): Promise<void> => {
    const form = new FormData()
    form.append("audio", recording!.file, recording!.name)
    form.append("durationSec", String(recording!.durationSec))
    form.append("source", agreed!.source)
    form.append("consent", JSON.stringify(agreed!.consent))
    form.append("attribution", JSON.stringify(agreed!.attribution))
    setBusy(true)
    setWrong(null)
    try {
      const { confirmation } = await ask<CallConfirmed>("/api/station/call-in", { body: form })
      setTold(confirmation.message)
      recorder.drop()
    } catch (fault) {
      setWrong((fault as Error).message)
    } finally {
      setBusy(false)
    }
  }

  return (
    <>
      <p>Up to two minutes. You can listen to it before you send it.</p>
      <Meter {...recorder} />
      {recorder.wrong === null ? null : (
        <p class="failed wrap" role="alert">
          {recorder.wrong}
        </p>
      )}
      {recording === null ? null : (
        <audio class="call-audio" controls src={recording.url} aria-label="Your recording" />
      )}
      <div class="buttons">
        {state === "recording" ? (
          <Button onClick={recorder.stop}>Stop</Button>
        ) : state === "recorded" ? (
          <Button kind="quiet" onClick={recorder.drop}>
            Record again
          </Button>
        ) : (
          <Button
            busy={state === "asking"}
            onClick={() => {
              setTold(null)
              recorder.start()
            }}
          >
            Record
          </Button>
        )}
      </div>
      {recording === null ? null : (
        <>
          {fields}
          {wrong === null ? null : (
            <p class="failed wrap" role="alert">
              {wrong}
            </p>
          )}
          <Button busy={busy} disabled={agreed === null} onClick={() => void send()}>
            Send the call
          </Button>
        </>
      )}
      <p class="sent wrap" role="status">
        {told}
      </p>
    </>
  )
}
