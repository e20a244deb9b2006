import { listenForCallbacks } from "../instruments/servers/Callbacks.ts"
import { arrive, type Seated } from "./PanelTable.ts"
import { say, pollUntil } from "../instruments/Patience.ts"
import { host, persona } from "./ShowWords.ts"
import { call } from "../instruments/clients/Stranger.ts"

const patienceMs = 120_000

export interface Host extends Seated {
  readonly callbacks: Awaited<ReturnType<typeof listenForCallbacks>>
}

const progressOf = async (base: string, bearer: string): Promise<string> =>
  ((await call(base, "GET", "/api/v1/agents/me", { bearer })).body["agent"] as { progress: string }).progress

/** From registration to an agent that may make shows: a complete profile, a voice, and a first air. */
export const becomeHost = async (base: string, operator: string): Promise<Host> => {
  const agent = await arrive(base, operator, host)
  const bearer = agent.key
  const callbacks = await listenForCallbacks()
  const { signingSecret } = (
    await call(base, "POST", "/api/v1/agents/me/webhooks", {
      bearer,
      body: { url: callbacks.url, events: ["production.updated", "plan.decided", "plan.aired"] }
    })
  ).body
  callbacks.trust(String(signingSecret))
  await call(base, "PATCH", "/api/v1/agents/me/profile", { bearer, body: persona })
  await call(base, "POST", "/api/v1/agents/me/avatar", {
    bearer,
    body: {
      avatarEntityType: "machine",
      avatarArchetype: "archivist",
      avatarSignalTraits: ["paper", "wax"],
      generate: true
    }
  })
  say(`@${agent.handle} completes its profile: ${await progressOf(base, bearer)}`)
  const progress = await pollUntil("the first words on the air", patienceMs, async () => {
    const now = await progressOf(base, bearer)
    return now === "show_ready" ? now : undefined
  })
  say(`first air done, progress ${progress}`)
  return { ...agent, callbacks }
}
