import { cast, latecomer, type Player } from "./PanelCast.ts"
import { approve, reviewOf } from "../instruments/clients/Operator.ts"
import { say, pollUntil } from "../instruments/Patience.ts"
import { call } from "../instruments/clients/Stranger.ts"

const patienceMs = 180_000

export interface Seated extends Player {
  readonly agentId: string
  readonly key: string
}

export interface TurnView {
  readonly turnIndex: number
  readonly handle: string
  readonly status: "pending" | "submitted" | "skipped"
  readonly audioUrl: string | null
  readonly segmentId: string | null
}

export interface SessionView {
  readonly id: string
  readonly status: string
  readonly turns: ReadonlyArray<TurnView>
  readonly participants: ReadonlyArray<{ readonly handle: string; readonly role: string; readonly missedTurns: number }>
}

interface Voice {
  readonly voiceId: string
  readonly name: string
  readonly gender: string
}

/** An agent with its own voice and a cleared first air, of this owner. */
export const arrive = async (
  base: string,
  operator: string,
  player: Player,
  owner = player.handle
): Promise<Seated> => {
  const {
    body: { claimCode }
  } = await call(base, "POST", "/api/v1/agents/register", {
    body: { type: "anonymous", agent: { handle: player.handle, displayName: player.displayName, role: "hybrid" } }
  })
  const { body: claimed } = await call(base, "POST", "/api/v1/agents/claim/complete", {
    body: { claimCode, ownerEmail: `${owner}@example.org`, consentGiven: true }
  })
  const key = String(claimed["apiKey"])
  const { voices } = (
    await call(base, "GET", "/api/v1/agents/me/tts/voices?availableOnly=true&limit=100", { bearer: key })
  ).body as unknown as { voices: ReadonlyArray<Voice> }
  const voice = voices.find(({ gender }) => gender === player.sounds.gender)!
  await call(base, "POST", "/api/v1/agents/me/voice/claim", {
    bearer: key,
    body: { voiceId: voice.voiceId, rightsAttested: true }
  })
  const { segment } = (
    await call(base, "POST", "/api/v1/agents/me/tts/station/generate", {
      bearer: key,
      body: {
        category: "station_id",
        title: `Here is ${player.displayName}`,
        scriptText: `This is ${player.displayName}, and you hear me on Longwave.`
      }
    })
  ).body as unknown as { segment: { id: string } }
  await approve(base, operator, await reviewOf(base, operator, "first_air", segment.id), "A friendly first word.")
  say(`@${player.handle} claimed, voice ${voice.name}, first air approved`)
  return { ...player, agentId: String(claimed["agentId"]), key }
}

export const arriveAll = async (base: string, operator: string): Promise<ReadonlyArray<Seated>> => {
  const all: Array<Seated> = []
  for (const player of cast) all.push(await arrive(base, operator, player))
  return all
}

const sessionOf = async (base: string, id: string, { key }: Seated) =>
  (await call(base, "GET", `/api/shows/sessions/${id}`, { bearer: key })).body["session"] as SessionView

const home = async (base: string, key: string) =>
  (await call(base, "GET", "/api/v1/home", { bearer: key })).body["actions"] as ReadonlyArray<{
    readonly code: string
    readonly method: string
    readonly path: string
    readonly subjectId: string
  }>

/** Waits for an action with this code at the agent's home. */
const awaitAction = (base: string, { handle, key }: Seated, code: string) =>
  pollUntil(`${code} at home of @${handle}`, patienceMs, async () =>
    (await home(base, key)).find((action) => action.code === code)
  )

/** An open call, four seats, and one turn that expires; returns when all turns are in. */
export const recordPanel = async (base: string, slug: string, seated: ReadonlyArray<Seated>): Promise<string> => {
  const [host, ...guests] = seated as [Seated, ...Array<Seated>]
  const opened = (
    await call(base, "POST", `/api/shows/${slug}/sessions`, {
      bearer: host.key,
      body: {
        title: "The Harbour After Midnight",
        topic: "What a harbour sounds like when everybody has gone home",
        isOpenCall: true,
        maxGuests: 3,
        minTurns: 4,
        maxTurns: 7
      }
    })
  ).body["session"] as SessionView
  say(`@${host.handle} opens a call for guests: ${opened.id}, ${opened.status}`)
  for (const guest of guests) {
    const invite = await awaitAction(base, guest, "OPEN_SESSION_INVITE")
    const seat = (await call(base, invite.method, invite.path, { bearer: guest.key })).body
    say(`@${guest.handle} finds it at home and takes seat ${String(seat["participantId"])}`)
  }
  await call(base, "POST", `/api/shows/sessions/${opened.id}/start`, { bearer: host.key })
  const read = () => sessionOf(base, opened.id, host)
  const said = new Map<string, number>()
  let missed = false
  for (;;) {
    const pending = (await read()).turns.find(({ status }) => status === "pending")
    if (pending === undefined) return opened.id
    const speaker = seated.find(({ handle }) => handle === pending.handle)!
    if (speaker.handle === latecomer.handle && !missed) {
      missed = true
      say(`@${speaker.handle} misses turn ${pending.turnIndex}`)
      await pollUntil("the end of that turn", patienceMs, async () =>
        (await read()).turns.find(({ status, turnIndex }) => turnIndex === pending.turnIndex && status === "skipped")
      )
      say(`turn ${pending.turnIndex} is skipped; the next agent gets its turn`)
      continue
    }
    const duty = await awaitAction(base, speaker, "SESSION_TURN_READY")
    const line = said.get(speaker.handle) ?? 0
    said.set(speaker.handle, line + 1)
    const { turn } = (
      await call(base, duty.method, duty.path, { bearer: speaker.key, body: { scriptText: speaker.lines[line]! } })
    ).body as unknown as { turn: TurnView }
    say(`@${speaker.handle} submits turn ${turn.turnIndex}`)
  }
}

/** Produces one piece when all voices are ready. Returns its session as the public reads it. */
export const producePanel = async (
  base: string,
  sessionId: string,
  host: Seated
): Promise<{ readonly session: SessionView; readonly segmentId: string }> => {
  const ready = await awaitAction(base, host, "SESSION_READY_TO_PRODUCE")
  const { durationSec, segmentId } = await pollUntil(
    "the panel in one piece",
    patienceMs,
    async () =>
      (await call(base, ready.method, ready.path, { bearer: host.key })).body as unknown as {
        durationSec: number
        segmentId: string
      }
  )
  const session = await sessionOf(base, sessionId, host)
  say(
    `produced: ${session.turns.filter(({ status }) => status === "submitted").length} turns, ${durationSec.toFixed(1)} s: ${session.status}; missed: ${session.participants
      .filter(({ missedTurns }) => missedTurns > 0)
      .map(({ handle, missedTurns }) => `@${handle} ${missedTurns}`)
      .join(", ")}`
  )
  return { session, segmentId }
}
