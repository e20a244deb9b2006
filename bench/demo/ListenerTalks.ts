import { callFromPage } from "./BrowserCall.ts"
import { chromiumPath } from "../instruments/clients/BrowserPlayer.ts"
import { soundAt } from "../instruments/ears/Decode.ts"
import { speakWebm } from "../instruments/sounds/CallSpeech.ts"
import { follow } from "../instruments/clients/Events.ts"
import { approve, reviewOf } from "../instruments/clients/Operator.ts"
import { say, pollUntil } from "../instruments/Patience.ts"
import { becomeAgent, call } from "../instruments/clients/Stranger.ts"

const patienceMs = 60_000
export const consent = {
  acknowledged: true,
  disclosureVersion: "2026-09-25.v1",
  recordingNoticeVersion: "2026-09-25.v1"
}

/** An agent in the chat with a cleared first air. */
export const agentThere = async (
  base: string,
  operator: string,
  handle: string
): Promise<{ readonly handle: string; readonly apiKey: string }> => {
  const { apiKey } = await becomeAgent(base, handle)
  const { body } = await call(base, "POST", "/api/v1/agents/me/tts/station/generate", {
    bearer: apiKey,
    body: { category: "station_id", title: "Hello", scriptText: "This is Wren, and I am in the chat tonight." }
  })
  await approve(base, operator, await reviewOf(base, operator, "first_air", (body["segment"] as { id: string }).id))
  await call(base, "POST", "/api/heartbeat", { bearer: apiKey, body: { status: "online" } })
  say(`@${handle} is in the chat, first air approved`)
  return { handle, apiKey }
}

/** A question in the chat and its answer, as everybody sees them. */
export const chat = async (
  base: string,
  token: string,
  agent: { readonly handle: string; readonly apiKey: string }
): Promise<void> => {
  const stream = await follow(`${base}/api/station/chat/events`)
  try {
    await pollUntil("the agent in the chat", patienceMs, async () =>
      (
        (await call(base, "GET", "/api/station/chat")).body["chatAgents"] as ReadonlyArray<{
          handle: string
          addressing: { open: boolean }
        }>
      ).find(({ addressing, handle }) => handle === agent.handle && addressing.open)
    )
    const asked = (
      await call(base, "POST", "/api/station/chat", {
        headers: { "x-listener-token": token },
        body: {
          body: `@${agent.handle}, what are you listening to?`,
          source: "web",
          consent: { acknowledged: true, disclosureVersion: consent.disclosureVersion }
        }
      })
    ).body
    const exchange = asked["exchange"] as { id: string; state: string } | null
    if (exchange === null) throw new Error("the question did not reach the agent")
    const question = (asked["message"] as { id: string }).id
    const read = (await call(base, "GET", "/api/station/chat", { bearer: agent.apiKey })).body[
      "messages"
    ] as ReadonlyArray<{ id: string; body: string }>
    say(`the agent reads: ${read.find(({ id }) => id === question)!.body}`)
    const answer = (
      await call(base, "POST", "/api/station/chat", {
        bearer: agent.apiKey,
        body: { body: "To the house band, like you.", replyToMessageId: question }
      })
    ).body["message"] as { body: string }
    const completed = await pollUntil("the end of the exchange", patienceMs, async () =>
      stream.told().find(({ data, event }) => event === "exchange_completed" && data.exchangeId === exchange.id)
    )
    if (completed.data.outcome !== "answered")
      throw new Error(`the exchange ended as ${String(completed.data.outcome)}`)
    say(
      `it answers: ${answer.body} (${stream
        .told()
        .filter(({ data, event }) => event === "response_state" && data.exchangeId === exchange.id)
        .map(({ data }) => String(data.state))
        .join(", ")})`
    )
  } finally {
    await stream.leave()
  }
}

export const writeIn = async (base: string, operator: string, token: string): Promise<void> => {
  const refused = await fetch(`${base}/api/station/write-in`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-listener-token": token },
    body: JSON.stringify({ content: "Hello?", source: "web" })
  })
  const { code } = (await refused.json()) as { code: string }
  if (code !== "BROADCAST_CONSENT_REQUIRED")
    throw new Error(`a write-in without consent must be refused with BROADCAST_CONSENT_REQUIRED, not ${code}`)
  const { body } = await call(base, "POST", "/api/station/write-in", {
    headers: { "x-listener-token": token },
    body: {
      content: "Greetings to everybody who is up with a newborn tonight.",
      kind: "write_in",
      source: "web",
      consent: { acknowledged: true, disclosureVersion: consent.disclosureVersion },
      attribution: { useDisplayName: true }
    }
  })
  const interaction = body["interaction"] as { id: string; moderationStatus: string }
  say(
    `write-in sent: ${(body["confirmation"] as { message: string }).message} (${interaction.moderationStatus}); refused without consent`
  )
  const queue = (await call(base, "GET", "/api/ops/messages?limit=100", { bearer: operator })).body[
    "messages"
  ] as ReadonlyArray<{ id: string; label: string }>
  say(`operators see as its sender: ${queue.find(({ id }) => id === interaction.id)!.label}`)
}

const spokenText =
  "Good evening. I am calling from the harbour, where the fog is so thick tonight that the gulls are walking home. Please play something warm for the ferry crew."

/** Without a browser: the recording as a browser would send it. */
const callByHand = async (base: string, token: string): Promise<void> => {
  const recorded = await speakWebm(spokenText)
  const form = new FormData()
  form.set("audio", new Blob([new Uint8Array(recorded)], { type: "audio/webm;codecs=opus" }), "call.webm")
  form.set("source", "web")
  form.set("consent", JSON.stringify(consent))
  const response = await fetch(`${base}/api/station/call-in`, {
    method: "POST",
    headers: { "x-listener-token": token },
    body: form
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`POST /api/station/call-in: ${response.status} ${text}`)
  const { confirmation, durationSec } = JSON.parse(text) as { confirmation: { message: string }; durationSec: number }
  say(`call sent, ${durationSec} s of WebM: ${confirmation.message}`)
}

/** Records a call, reviews it, and puts it on the air. */
export const callIn = async (
  base: string,
  operator: string,
  token: string,
  folder: string
): Promise<{ readonly id: string; readonly sound: Float32Array }> => {
  const browser = chromiumPath()
  if (browser === undefined) await callByHand(base, token)
  else {
    await callFromPage(browser, base, folder, spokenText)
    say("call recorded in the page by a browser and sent")
  }
  const review = await reviewOf(base, operator, "call_in")
  const { id } = review.subject
  const sound = await soundAt(base, review.audioUrl!, operator)
  const waiting = await pollUntil("what the call says", patienceMs, async () => {
    const { messages } = (await call(base, "GET", "/api/ops/messages?type=call_in", { bearer: operator }))
      .body as unknown as { messages: ReadonlyArray<{ id: string; call: { transcriptStatus: string } }> }
    const found = messages.find((each) => each.id === id)!.call.transcriptStatus
    return found === "queued" ? undefined : found
  })
  if (waiting === "awaiting") {
    await call(base, "PATCH", `/api/ops/call-ins/${id}`, {
      bearer: operator,
      body: { transcript: spokenText, reason: "Heard and written down." }
    })
    say("no speech recognition model: an operator writes the transcript")
  } else say("transcribed by the station")
  await approve(base, operator, await reviewOf(base, operator, "call_in", id))
  say("approved by an operator")
  return { id, sound }
}
