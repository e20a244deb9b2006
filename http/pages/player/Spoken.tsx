import { useEffect, useRef, useState } from "preact/hooks"
import { readKept, onKept } from "../station/Kept.ts"
import type { Line } from "./Words.ts"
import type { Reading } from "./useWords.ts"

const loggedMax = 12
const endsSentence = /[.!?…]["'”’)]*$/

const textOf = (line: Line): string => line.words.map(({ text }) => text).join(" ")

/** Captions word by word: spoken words are dark, coming ones light. */
export const Spoken = ({ reading: { line, said } }: { readonly reading: Reading }) => (
  <p class="spoken" aria-hidden="true">
    {line === null
      ? null
      : line.words.map(({ text }, at) => (
          <span
            key={`${line.startMs} ${at}`}
            class={at === said - 1 ? "word word-now" : at < said ? "word word-said" : "word"}
          >
            {text}{" "}
          </span>
        ))}
  </p>
)

/** Captions for screen readers, one sentence at a time and only on request, so that they don't talk over the radio. */
export const SpokenLog = ({ reading: { line } }: { readonly reading: Reading }) => {
  const [wanted, setWanted] = useState(readKept("aloud") === "yes")
  const [logged, setLogged] = useState<ReadonlyArray<{ readonly at: number; readonly text: string }>>([])
  const open = useRef<Array<string>>([])
  const count = useRef(0)
  useEffect(() => onKept("aloud", () => setWanted(readKept("aloud") === "yes")), [])
  useEffect(() => {
    if (line === null) return
    open.current.push(textOf(line))
    const text = open.current.join(" ")
    if (!endsSentence.test(text) && text.length < 160) return
    open.current = []
    setLogged((was) => [...was, { at: (count.current += 1), text }].slice(-loggedMax))
  }, [line])
  return (
    <div class="unseen" role="log" aria-label="Captions" aria-live={wanted ? "polite" : "off"}>
      {logged.map(({ at, text }) => (
        <p key={at}>{text}</p>
      ))}
    </div>
  )
}
