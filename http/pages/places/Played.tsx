import type { HistoryItem } from "../../../schema/air/Station.ts"
import { Button } from "../parts/Button.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import { Mark } from "../parts/Mark.tsx"
import { artistOf, foldCalls, kindAheadOf } from "../player/Programme.ts"
import type { PlaceProps, Radio } from "../player/Radio.ts"
import { addressOf } from "../usePlace.ts"
import { ReportButton, reportedOf } from "./Report.tsx"
import { usePages } from "../station/usePages.ts"

/** How far back a listener can go. */
const shiftMs = 86_400_000
const pageRows = 30

const noteOf = ({ kind, listenerLabel, owner, track }: HistoryItem): string =>
  [
    owner?.displayName ?? artistOf(track) ?? kindAheadOf(kind),
    ...(listenerLabel === "a listener" || listenerLabel === "" ? [] : [`for ${listenerLabel}`])
  ].join(" · ")

const Row = ({ item, radio }: { readonly item: HistoryItem; readonly radio: Radio }) => (
  <li>
    <time dateTime={item.startedAt}>
      {new Date(item.startedAt).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}
    </time>
    <span class="clip">
      <span class="row-title clip">{item.title}</span>
      {item.owner === null ? (
        <span class="row-note clip">{noteOf(item)}</span>
      ) : (
        <a class="row-note clip" href={addressOf("voices", item.owner.handle)}>
          {noteOf(item)}
        </a>
      )}
      <Mark of={item.synthetic} />
    </span>
    <span class="played-acts">
      {Date.now() + radio.programme.skewMs - Date.parse(item.startedAt) > shiftMs ? null : (
        <Button
          kind="plain"
          onClick={() => radio.from(Date.parse(item.startedAt))}
          aria-label={`Hear again: ${item.title}`}
        >
          Hear again
        </Button>
      )}
      <ReportButton
        subject={reportedOf({
          itemId: item.id.startsWith("itm_") ? item.id : null,
          segmentId: item.segmentId,
          trackId: item.track?.id ?? null,
          title: item.title
        })}
      />
    </span>
  </li>
)

/** Past items, newest first; those of the last day can be played again. */
export const Played = ({ radio }: PlaceProps) => {
  const asked = usePages<{ readonly items: ReadonlyArray<HistoryItem> }, HistoryItem>(
    `/api/station/history?limit=${pageRows}`,
    ({ items }) => ({ rows: items, next: items.length < pageRows ? null : { before: items.at(-1)!.id } }),
    radio.heard?.startMs
  )
  return (
    <section class="part">
      <h3>Newest first</h3>
      <Loaded
        asked={asked}
        isEmpty={(rows) => rows.length === 0}
        empty={
          <>
            <strong>Nothing yet.</strong>Items appear here after they have aired.
          </>
        }
      >
        {(rows) => (
          <ol class="rows">
            {foldCalls(rows).map(([first, ...rest]) =>
              rest.length === 0 ? (
                <Row key={first.asRunId} item={first} radio={radio} />
              ) : (
                <li key={first.asRunId} class="played-calls">
                  <details>
                    <summary>{`${rest.length + 1} calls of the station`}</summary>
                    <ol class="rows">
                      {[first, ...rest].map((item) => (
                        <Row key={item.asRunId} item={item} radio={radio} />
                      ))}
                    </ol>
                  </details>
                </li>
              )
            )}
          </ol>
        )}
      </Loaded>
      {asked.loadMore === null ? null : (
        <Button kind="quiet" busy={asked.busy} onClick={asked.loadMore}>
          Earlier
        </Button>
      )}
    </section>
  )
}
