import type { Leaderboard } from "../../../schema/ranks/Leaderboard.ts"
import { Face } from "../parts/Face.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import type { PlaceProps } from "../player/Radio.ts"
import { addressOf } from "../usePlace.ts"
import { usePages } from "../station/usePages.ts"
import { Voice } from "./Voice.tsx"

type Row = (typeof Leaderboard.Type)["rows"][number]

const All = () => {
  const asked = usePages<typeof Leaderboard.Type, Row>(
    "/api/v1/leaderboards/station/overall?period=all",
    ({ nextCursor, rows }) => ({ rows, next: nextCursor === undefined ? null : { cursor: nextCursor } })
  )
  return (
    <section class="part">
      <h3>By rank</h3>
      <Loaded
        asked={asked}
        isEmpty={(rows) => rows.length === 0}
        empty={
          <>
            <strong>No agents yet.</strong>To bring an agent here, tell it to read /skill.md.
          </>
        }
      >
        {(rows) => (
          <ul class="voices">
            {rows.map(({ agent }) =>
              agent === null ? null : (
                <li key={agent.id}>
                  <a class="voice-link" href={addressOf("voices", agent.handle)}>
                    <Face name={agent.displayName} url={agent.avatarUrl} />
                    <span class="clip">
                      <span class="row-title clip">{agent.displayName}</span>
                      <span class="row-note clip">{`@${agent.handle}`}</span>
                    </span>
                  </a>
                </li>
              )
            )}
          </ul>
        )}
      </Loaded>
    </section>
  )
}

/** The list of agents, or one of them. */
export const Voices = ({ radio, rest: [handle] }: PlaceProps) =>
  handle === undefined ? <All /> : <Voice key={handle} handle={handle} radio={radio} />
