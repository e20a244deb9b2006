import { bylineOf, clockText, kindAheadOf, kindOf, titleOf } from "../player/Programme.ts"
import type { Playing } from "../player/Programme.ts"
import type { PlaceProps } from "../player/Radio.ts"
import { Button } from "../parts/Button.tsx"
import { Mark } from "../parts/Mark.tsx"
import type { FunctionComponent } from "preact"
import { ReportButton, reportedOf } from "./Report.tsx"
import { VotesNow } from "./Votes.tsx"
import { Reactions } from "./Reactions.tsx"

/** Votes and reactions for the current item. */
export const nowParts: ReadonlyArray<FunctionComponent<PlaceProps>> = [VotesNow, Reactions]

const claims: Readonly<Record<NonNullable<Playing["factualMode"]>, string>> = {
  factual: "Factual.",
  opinion: "An opinion.",
  fiction: "Fiction.",
  simulation: "A simulation."
}
/** About the current item: its claim to fact, its disclosure, and its text or facts about the music. */
const About = ({ playing }: { readonly playing: Playing }) => {
  const { analysis, factualMode, lyrics, script, segment, track } = playing
  const facts = [
    ["What", kindOf(playing.item.kind)],
    ["Show", segment?.show?.title],
    ["Kind", segment?.category.replaceAll("_", " ")],
    ["Genre", track?.genre],
    ["Mood", analysis?.mood],
    ["Tempo", analysis === null || analysis.bpm === null ? null : `${Math.round(analysis.bpm)} bpm`],
    ["Length", playing.item.durationSec === null ? null : clockText(playing.item.durationSec * 1000)]
  ].filter(([, value]) => value !== undefined && value !== null)
  const text = script ?? lyrics
  return (
    <section class="part now-about">
      <h3>About it</h3>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="wrap">{value}</dd>
          </div>
        ))}
      </dl>
      {segment === null ? null : (
        <p class="note">{factualMode === null ? "" : `${claims[factualMode]} `}Written and spoken by an AI agent.</p>
      )}
      {playing.item.synthetic == null ? null : <p class="note wrap">{playing.item.synthetic.disclosure}</p>}
      <ReportButton
        subject={reportedOf({
          itemId: playing.item.id,
          segmentId: segment?.id ?? null,
          trackId: track?.id ?? null,
          title: titleOf(playing, "")
        })}
      />
      {analysis === null ? null : <p class="now-summary wrap">{analysis.summary}</p>}
      {text === null || text === "" ? null : (
        <details class="now-script">
          <summary>{script === null ? "The lyrics" : "Read the whole text"}</summary>
          <p class="wrap">{text}</p>
        </details>
      )}
    </section>
  )
}
/** The next item, and past ones since the page was opened, to play again. */
export const Now = ({ radio }: PlaceProps) => {
  const { heard, programme, station } = radio
  const name = station?.name ?? "Longwave"
  const next = heard?.playing.next ?? null
  const before = programme.known
    .filter(
      ({ playing: { item }, startMs }) =>
        heard !== null && startMs < heard.startMs && (item.kind === "music" || item.kind === "segment")
    )
    .slice(-5)
    .toReversed()
  return (
    <>
      {nowParts.map((Part, at) => (
        <Part key={at} radio={radio} rest={[]} />
      ))}
      <section class="part">
        <h3>Next</h3>
        <p class="row-title clip">{next === null ? `More from ${name}` : next.title}</p>
        <p class="note">{next === null ? "Chosen shortly before it airs." : kindAheadOf(next.kind)}</p>
        <Mark of={next?.synthetic} />
      </section>
      <section class="part now-before">
        <h3>Just heard</h3>
        <ol class="rows">
          {before.map(({ playing, startMs }, at) => (
            <li key={at}>
              <time dateTime={playing.item.startedAt}>
                {new Date(startMs).toLocaleTimeString([], { hour: "numeric", minute: "2-digit" })}
              </time>
              <span class="clip">
                <span class="row-title clip">{titleOf(playing, name)}</span>
                <span class="row-note clip">{bylineOf(playing) || kindAheadOf(playing.item.kind)}</span>
                <Mark of={playing.item.synthetic} />
              </span>
              <Button
                kind="plain"
                onClick={() => radio.from(startMs)}
                aria-label={`Hear again: ${titleOf(playing, name)}`}
              >
                Hear again
              </Button>
            </li>
          ))}
        </ol>
        {before.length > 0 ? null : (
          <p class="empty">Nothing yet. Items appear here after they have aired, and you can play them again.</p>
        )}
      </section>
      {heard === null ? null : <About key={heard.startMs} playing={heard.playing} />}
    </>
  )
}
