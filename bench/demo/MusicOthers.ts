import type { Browser } from "../instruments/clients/Browser.ts"
import { signIn } from "../instruments/clients/ListenerAccount.ts"
import { approve, reviewOf } from "../instruments/clients/Operator.ts"
import { makeMp3 } from "../instruments/sounds/OwnMusic.ts"
import { say, pollUntil } from "../instruments/Patience.ts"
import { call } from "../instruments/clients/Stranger.ts"
import { approveTrack, designate, type MadeTrack, type Musician, statesOf, toldOf } from "./MusicAgent.ts"

const patienceMs = 180_000
const me = "/api/v1/agents/me"

/** An agent brings a recording of its own, which others may remix. */
export const bringTrack = async (
  base: string,
  operator: string,
  agent: Musician,
  folder: string
): Promise<MadeTrack> => {
  const title = "Sand in the Works"
  const bytes = await makeMp3(folder, { genre: "rock", durationSec: 40, seed: 4_711, title })
  const form = new FormData()
  for (const [name, value] of Object.entries({
    title,
    genre: "rock",
    rightsDeclaration: "generated",
    rightsAttested: "true",
    syntheticDisclosure: "Composed and played by a program of mine.",
    remixable: "true"
  }))
    form.set(name, value)
  form.set("file", new Blob([new Uint8Array(bytes)], { type: "audio/mpeg" }), "sand.mp3")
  const { track } = await agent.form<{ track: MadeTrack & { readonly bpm: number | null } }>("/api/v1/tracks", form)
  say(
    `@${agent.handle} uploads a track of ${(bytes.length / 1_024).toFixed(0)} KiB: ${track.title}, ${track.approvalStatus}, estimated at ${track.bpm ?? "?"} BPM; ${track.synthetic?.disclosure ?? "unmarked"}`
  )
  await approveTrack(base, operator, agent, track)
  return track
}

/** Another agent has it remixed. */
export const remixTrack = async (
  base: string,
  operator: string,
  agent: Musician,
  sourceTrackId: string
): Promise<MadeTrack> => {
  const { draft } = await agent.ask<{ draft: { title: string; plan: ReadonlyArray<string> } }>(
    "POST",
    "/api/v1/music/remix/preview",
    { sourceTrackId }
  )
  say(`@${agent.handle} previews a remix: ${draft.title}: ${draft.plan.join(" ")}`)
  const { requestId } = await agent.ask<{ requestId: string }>("POST", "/api/v1/music/remix", { sourceTrackId })
  const track = await designate(agent, requestId)
  if (track.remixOfTrackId !== sourceTrackId) throw new Error("the remix doesn't name its source")
  await approveTrack(base, operator, agent, track)
  return track
}

interface Adoption {
  readonly id: string
  readonly submissionId: string
  readonly status: string
  readonly trackId: string | null
}
interface Board {
  readonly submissions: ReadonlyArray<{ readonly id: string; readonly title: string; readonly note: string | null }>
  readonly adoptions: ReadonlyArray<Adoption>
}

/** A listener sends music in, and an agent brings it on air. */
export const adoptMusic = async (base: string, operator: string, agent: Musician, folder: string): Promise<void> => {
  const listener = (await call(base, "POST", "/api/listeners/session")).body as unknown as {
    listenerId: string
    listenerToken: string
  }
  const { browser } = await signIn(base, listener, "Ada")
  const title = "Rain on the Jetty"
  const bytes = await makeMp3(folder, { genre: "ambient", durationSec: 40, seed: 815, title })
  const form = new FormData()
  for (const [name, value] of Object.entries({
    title,
    genre: "ambient",
    note: "Played at home, for the small hours.",
    rightsDeclaration: "own_work",
    rightsAttested: "true"
  }))
    form.set(name, value)
  form.set("file", new Blob([new Uint8Array(bytes)], { type: "audio/mpeg" }), "rain.mp3")
  const sent = await browser.fetch("/api/account/music-submissions", { method: "POST", body: form })
  if (!sent.ok) throw new Error(`the submission was refused: ${sent.status} ${await sent.text()}`)
  const { submission } = (await sent.json()) as { submission: { id: string; status: string } }
  say(`a listener sends in ${title}: ${submission.status}`)
  const stateOf = async () =>
    (
      (await (await ownSubmissions(browser)).json()) as { submissions: ReadonlyArray<{ id: string; status: string }> }
    ).submissions.find(({ id }) => id === submission.id)!.status
  await approve(base, operator, await reviewOf(base, operator, "media", submission.id), "It is safe to show.")
  const board = `${me}/music/adoption-board`
  const row = await pollUntil("the submission on the board", patienceMs, async () =>
    (await agent.ask<Board>("GET", board)).submissions.find(({ id }) => id === submission.id)
  )
  const heard = await agent.bytes(`${board}/submissions/${row.id}/preview`)
  say(
    `@${agent.handle} finds it on the board, without a name: ${row.title}: ${row.note ?? ""} (${(heard.length / 1_024).toFixed(0)} KiB heard)`
  )
  const { adoption } = await agent.ask<{ adoption: Adoption }>("POST", `${board}/submissions/${row.id}/adopt`, {
    pitch: "A quiet piece for the hours after midnight."
  })
  say(`@${agent.handle} adopts it: ${adoption.status}; the listener sees: ${await stateOf()}`)
  await approve(
    base,
    operator,
    await reviewOf(base, operator, "music_adoption", submission.id),
    "Good company at night."
  )
  const states = await statesOf(
    "the adoption",
    async () => (await agent.ask<Board>("GET", board)).adoptions.find(({ id }) => id === adoption.id)!.status,
    ["approved"]
  )
  await toldOf(agent, "adoption.decided", adoption.id, "status", "approved")
  const { trackId } = (await agent.ask<Board>("GET", board)).adoptions.find(({ id }) => id === adoption.id)!
  const { track } = (await call(base, "GET", `/api/v1/tracks/${trackId!}`)).body as unknown as {
    track: { title: string; artist: string }
  }
  say(
    `polled: adoption ${[adoption.status, ...states].join(" → ")}; in the catalogue: ${track.title} by ${track.artist}; the listener sees: ${await stateOf()}`
  )
}

const ownSubmissions = (browser: Browser) => browser.fetch("/api/account/music-submissions")
