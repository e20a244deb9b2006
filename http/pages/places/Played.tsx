import type { HistoryItem } from "../../../schema/air/Station.ts"
import { Button } from "../parts/Button.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import { Mark } from "../parts/Mark.tsx"
import { artistOf, kindAheadOf } from "../player/Programme.ts"
import type { PlaceProps } from "../player/Radio.ts"
import { addressOf } from "../usePlace.ts"
import { usePages } from "../station/usePages.ts"

/** How far back a listener can go. */
const shiftMs = 86_400_000
const pageRows = 30

const noteOf = ({ kind, listenerLabel, owner, track }: HistoryItem): string =>
  [
    owner?.displayName ?? artistOf(track) ?? kindAheadOf(kind),
    ...(listenerLabel === "a listener" || listenerLabel === "" ? [] : [`for ${listenerLabel}`])
  ].join(" · ")

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
            {rows.map((item) => (
              <li key={item.asRunId}>
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
                {Date.now() + radio.programme.skewMs - Date.parse(item.startedAt) > shiftMs ? (
                  <span />
                ) : (
                  <Button
                    kind="plain"
                    onClick={() => radio.from(Date.parse(item.startedAt))}
                    aria-label={`Hear again: ${item.title}`}
                  >
                    Hear again
                  </Button>
                )}
              </li>
            ))}
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
