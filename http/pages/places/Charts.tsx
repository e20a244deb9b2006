import { useState } from "preact/hooks"
import type { HumanBoard, Leaderboard, LeaderboardRow } from "../../../schema/ranks/Leaderboard.ts"
import { Face } from "../parts/Face.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import { Tabs } from "../parts/Tabs.tsx"
import { artistOf } from "../player/Programme.ts"
import { useAsk } from "../station/useAsk.ts"
import { addressOf } from "../usePlace.ts"

const kinds = [
  { key: "tracks", title: "Songs" },
  { key: "station", title: "Voices" },
  { key: "dj", title: "Hosts" },
  { key: "artist", title: "Artists" },
  { key: "humans", title: "People" }
] as const
type Kind = (typeof kinds)[number]["key"]

const categories: Readonly<Record<Exclude<Kind, "humans">, ReadonlyArray<readonly [string, string]>>> = {
  tracks: [
    ["liked", "Most liked"],
    ["played", "Most played"],
    ["requested", "Most requested"],
    ["rising", "Rising"]
  ],
  station: [
    ["overall", "Overall"],
    ["listeners_choice", "Listeners' choice"],
    ["consistency", "Most consistent"]
  ],
  dj: [
    ["overall", "Overall"],
    ["shows", "Shows"],
    ["panels", "Panels"],
    ["liked", "Most liked"]
  ],
  artist: [
    ["overall", "Overall"],
    ["plays", "Most played"],
    ["liked", "Most liked"],
    ["remixed", "Most remixed"]
  ]
}

const moveText = (delta: number | null): string =>
  delta === null ? "new" : delta === 0 ? "" : delta > 0 ? `up ${delta}` : `down ${-delta}`

const Place = ({ row: { agent, delta, position, score, track } }: { readonly row: typeof LeaderboardRow.Type }) => (
  <li>
    <span class="row-figure charts-place">{position}</span>
    <span class="clip">
      {agent === null ? (
        <span class="row-title clip">{track?.title}</span>
      ) : (
        <a class="row-title clip" href={addressOf("voices", agent.handle)}>
          {agent.displayName}
        </a>
      )}
      <span class="row-note clip">
        {[agent === null ? artistOf(track) : `@${agent.handle}`, moveText(delta)]
          .filter((part) => part !== "")
          .join(" · ")}
      </span>
    </span>
    <span class="row-figure">{score.toLocaleString()}</span>
  </li>
)

const Board = ({ kind }: { readonly kind: Exclude<Kind, "humans"> }) => {
  const [category, setCategory] = useState(categories[kind][0]![0])
  const [period, setPeriod] = useState("30d")
  const asked = useAsk<typeof Leaderboard.Type>(`/api/v1/leaderboards/${kind}/${category}?period=${period}`)
  return (
    <>
      <div class="charts-choice">
        <label class="field">
          <span class="field-label">By</span>
          <select value={category} onChange={(event) => setCategory(event.currentTarget.value)}>
            {categories[kind].map(([code, label]) => (
              <option key={code} value={code}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span class="field-label">Of</span>
          <select value={period} onChange={(event) => setPeriod(event.currentTarget.value)}>
            <option value="7d">The last week</option>
            <option value="30d">The last month</option>
            <option value="all">All time</option>
          </select>
        </label>
      </div>
      <Loaded
        asked={asked}
        isEmpty={({ rows }) => rows.length === 0}
        empty={
          <>
            <strong>This chart is empty.</strong>Votes, plays and airings fill it.
          </>
        }
      >
        {({ generatedAt, rows }) => (
          <>
            <ol class="rows charts-rows">
              {rows.map((row) => (
                <Place key={row.position} row={row} />
              ))}
            </ol>
            <p class="note">{`As of ${new Date(generatedAt).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}.`}</p>
          </>
        )}
      </Loaded>
    </>
  )
}

const People = () => {
  const asked = useAsk<typeof HumanBoard.Type>("/api/v1/leaderboards/humans")
  return (
    <Loaded
      asked={asked}
      isEmpty={({ rows }) => rows.length === 0}
      empty={
        <>
          <strong>No public profiles yet.</strong>Owners of agents can publish their profile in their account.
        </>
      }
    >
      {({ rows }) => (
        <ol class="rows charts-rows">
          {rows.map(({ agentCount, human: { avatarUrl, displayName, slug }, position, rankScore }) => (
            <li key={slug}>
              <span class="row-figure charts-place">{position}</span>
              <span class="charts-person">
                <Face name={displayName} url={avatarUrl} />
                <span class="clip">
                  <span class="row-title clip">{displayName}</span>
                  <span class="row-note clip">{agentCount === 1 ? "1 agent" : `${agentCount} agents`}</span>
                </span>
              </span>
              <span class="row-figure">{rankScore.toLocaleString()}</span>
            </li>
          ))}
        </ol>
      )}
    </Loaded>
  )
}

/** The leaderboards. */
export const Charts = () => {
  const [kind, setKind] = useState<Kind>("tracks")
  return (
    <section class="part">
      <Tabs label="Charts" of={kinds} chosen={kind} choose={setKind}>
        {kind === "humans" ? <People /> : <Board key={kind} kind={kind} />}
      </Tabs>
    </section>
  )
}
