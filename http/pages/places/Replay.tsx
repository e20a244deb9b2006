import { useEffect, useRef, useState } from "preact/hooks"
import type { ReplayView } from "../../../schema/panels/Replay.ts"
import { hereOf } from "../parts/Face.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import { clockText } from "../player/Programme.ts"
import type { Radio } from "../player/Radio.ts"
import { useAsk } from "../station/useAsk.ts"
import { addressOf } from "../usePlace.ts"
import { ReportButton } from "./Report.tsx"
import { Aside } from "./Aside.tsx"

const day = (at: string): string =>
  new Date(at).toLocaleString([], {
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit"
  })

/** Removes stage directions. */
const withoutDirections = (script: string): string =>
  script
    .replaceAll(/\[[^\]]*\]/g, " ")
    .replaceAll(/[^\S\n]+/g, " ")
    .trim()

const Panel = ({
  fromSec,
  radio,
  replay: {
    airedAt,
    audioUrl,
    chapters,
    description,
    durationSec,
    id,
    participants,
    showSlug,
    synthetic,
    title,
    topic,
    turns
  }
}: {
  /** Second at which it waits to be played; null for the beginning. */
  readonly fromSec: number | null
  readonly radio: Radio
  readonly replay: ReplayView
}) => {
  const audio = useRef<HTMLAudioElement>(null)
  const list = useRef<HTMLOListElement>(null)
  const [at, setAt] = useState<number | null>(null)
  const begun = at === null ? -1 : turns.findLastIndex(({ startSec }) => startSec <= at + 0.05)
  const names = new Map(participants.map(({ displayName, handle }) => [handle, displayName]))
  const seek = (sec: number): void => {
    if (audio.current === null) return
    audio.current.currentTime = sec
    setAt(sec)
    void audio.current.play().catch(() => undefined)
  }
  useEffect(() => {
    if (fromSec === null || audio.current === null) return
    audio.current.currentTime = fromSec
    setAt(fromSec)
  }, [fromSec])
  // Scrolls only the list, not the page.
  useEffect(() => {
    const turn = list.current?.children[begun]
    if (turn instanceof HTMLElement)
      list.current!.scrollTo({
        top: turn.offsetTop - list.current!.offsetTop - list.current!.clientHeight / 3,
        behavior: "smooth"
      })
  }, [begun])
  return (
    <>
      <section class="part">
        <h3 class="replay-title wrap">{title}</h3>
        <p class="note wrap">
          {participants.map(({ displayName, handle, role }, n) => (
            <span key={handle}>
              {n === 0 ? "" : ", "}
              <a href={addressOf("voices", handle)}>{displayName}</a>
              {role === "host" ? " (host)" : ""}
            </span>
          ))}
          {" · "}
          <time dateTime={airedAt}>{day(airedAt)}</time>
          {` · ${clockText(durationSec * 1000)} · `}
          <a href={addressOf("shows", showSlug)}>The show</a>
        </p>
        {description === null && topic === title ? null : <p class="wrap voice-text">{description ?? topic}</p>}
        {synthetic == null ? null : <p class="note wrap">{synthetic.disclosure}</p>}
        <Aside radio={radio} url={audioUrl} label={title} audio={audio} onMove={setAt} />
        <p class="buttons">
          <a class="button button-quiet" href={hereOf(audioUrl)} download={`${id}.mp3`}>
            Download
          </a>
          <a class="button button-quiet" href={`/api/replays/${id}/transcript.vtt`}>
            Transcript
          </a>
          <a class="button button-quiet" href={`/shows/${encodeURIComponent(showSlug)}/podcast.xml`}>
            Podcast feed (RSS)
          </a>
          <ReportButton subject={{ type: "replay", id, title }} />
        </p>
      </section>
      <section class="part">
        <h3>Transcript</h3>
        <ol class="replay-turns" ref={list}>
          {turns.map(({ handle, scriptText, startSec, turnIndex }, n) => (
            <li key={turnIndex} {...(n === begun ? { "aria-current": "true" as const } : {})}>
              <button type="button" class="replay-turn" onClick={() => seek(startSec)}>
                <span class="replay-who">
                  <span class="row-title clip">{names.get(handle) ?? handle}</span>
                  <span class="row-figure">
                    <span class="unseen">From </span>
                    {clockText(startSec * 1000)}
                  </span>
                </span>
                <span class="wrap replay-text">{withoutDirections(scriptText)}</span>
              </button>
            </li>
          ))}
        </ol>
      </section>
      <section class="part">
        <h3>Chapters</h3>
        <ol class="replay-chapters">
          {chapters.map(({ startSec, title: chapter }) => (
            <li key={startSec}>
              <button type="button" class="replay-chapter" onClick={() => seek(startSec)}>
                <span class="row-figure">{clockText(startSec * 1000)}</span>
                <span class="clip">{chapter}</span>
              </button>
            </li>
          ))}
        </ol>
      </section>
    </>
  )
}

/** One panel: its sound, and the transcript in step with it. */
export const Replay = ({
  fromSec,
  id,
  radio
}: {
  readonly id: string
  readonly fromSec: number | null
  readonly radio: Radio
}) => {
  const asked = useAsk<{ readonly replay: ReplayView }>(`/api/replays/${encodeURIComponent(id)}`)
  return (
    <>
      <p class="voice-back">
        <a href={addressOf("replays")}>All panels, clips and shows</a>
      </p>
      <Loaded asked={asked}>{({ replay }) => <Panel fromSec={fromSec} radio={radio} replay={replay} />}</Loaded>
    </>
  )
}
