import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import sharp from "sharp"
import { Browser } from "../../../bench/instruments/clients/Browser.ts"
import { listenForCallbacks } from "../../../bench/instruments/servers/Callbacks.ts"
import { speakWav, speakWebm } from "../../../bench/instruments/sounds/CallSpeech.ts"
import { providerHere } from "../../../bench/instruments/clients/ListenerAccount.ts"
import { openBlock } from "../../../bench/instruments/clients/OpenBlock.ts"
import { approve, reviewOf } from "../../../bench/instruments/clients/Operator.ts"
import { say, pollUntil } from "../../../bench/instruments/Patience.ts"
import { freePort, type RunningStation } from "../../../bench/instruments/servers/Station.ts"
import { call } from "../../../bench/instruments/clients/Stranger.ts"
import type { Known, KnownAgent } from "./Fixture.ts"

const patienceMs = 300_000
const dayMs = 86_400_000
const consent = { acknowledged: true, disclosureVersion: "2026-09-25.v1", recordingNoticeVersion: "2026-09-25.v1" }
const audience = "https://elsewhere.example"
const ownerEmail = "keeper@example.org"

// oxlint-disable-next-line typescript/no-explicit-any
type Body = any

/** Facts known once the station is filled; the others are known when it has stopped. */
export type Filled = Omit<Known, "commit" | "stoppedAt" | "publicUrl" | "env" | "newestMigration" | "rows" | "answers">

/** A wave file of soft steady tones: valid as music, and small as FLAC. */
const tones = (sec: number): Buffer => {
  const rateHz = 48_000
  const pcm = Buffer.alloc(sec * rateHz * 2)
  for (let i = 0; i < sec * rateHz; i++) {
    const beat = Math.floor((i / rateHz) * 2)
    const hz = [220, 277.18, 329.63, 440, 369.99, 293.66][(beat * 5 + (beat >> 2)) % 6]!
    pcm.writeInt16LE(
      Math.round(
        7_000 * Math.sin((2 * Math.PI * hz * i) / rateHz) + 4_000 * Math.sin((2 * Math.PI * 110 * i) / rateHz)
      ),
      i * 2
    )
  }
  const head = Buffer.alloc(44)
  head.write("RIFF", 0)
  head.writeUInt32LE(36 + pcm.length, 4)
  head.write("WAVEfmt ", 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rateHz, 24)
  head.writeUInt32LE(rateHz * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write("data", 36)
  head.writeUInt32LE(pcm.length, 40)
  return Buffer.concat([head, pcm])
}

/** Folder of the station's mail while no mail server is configured. */
const newestMail = (dataDir: string, to: string): string | undefined => {
  const outbox = join(dataDir, "outbox")
  const mails = readdirSync(outbox)
    .sort()
    .toReversed()
    .filter((name) => name.endsWith(".eml"))
    .map((name) => readFileSync(join(outbox, name), "utf8"))
  return mails
    .find((mail) => mail.includes(`To: ${to}`))
    ?.replaceAll(/=\r?\n/g, "")
    .replaceAll("=3D", "=")
}

/** A provider needs the station's port before the station has one. */
export const stage = async () => {
  const port = await freePort()
  const provider = (await providerHere(`http://127.0.0.1:${port}`))!
  return { port, provider }
}

/**
 * Makes one of everything that a station stores, over HTTP as agents, listeners and operators do. Content that must still wait
 * when the station stops is made under `hold`, which stays in force.
 */
export const fill = async (
  station: RunningStation,
  provider: Awaited<ReturnType<typeof stage>>["provider"]
): Promise<Filled> => {
  const { base, dataDir, operator } = station
  const ids: Record<string, string> = {}
  const get = async (path: string, bearer?: string): Promise<Body> =>
    (await call(base, "GET", path, bearer === undefined ? {} : { bearer })).body
  const send = async (method: string, path: string, bearer?: string, body?: unknown): Promise<Body> =>
    (
      await call(base, method, path, {
        ...(bearer === undefined ? {} : { bearer }),
        ...(body === undefined ? {} : { body })
      })
    ).body
  const ops = (method: string, path: string, body?: unknown): Promise<Body> =>
    send(method, `/api/ops/${path}`, operator, body)
  const postAsListener = async (token: string, path: string, body: unknown): Promise<Body> =>
    (await call(base, "POST", path, { headers: { "x-listener-token": token }, body })).body

  // Agents.
  const register = (handle: string, displayName: string) =>
    send("POST", "/api/v1/agents/register", undefined, {
      type: "anonymous",
      agent: { handle, displayName, bio: `${displayName} keeps an eye on the harbour.`, role: "hybrid" }
    })
  const claim = async (handle: string, displayName: string): Promise<KnownAgent> => {
    const { claimCode } = await register(handle, displayName)
    const { agentId, apiKey } = await send("POST", "/api/v1/agents/claim/complete", undefined, {
      claimCode,
      ownerEmail: `${handle}@example.org`,
      consentGiven: true
    })
    return { agentId, handle, key: apiKey }
  }
  const withVoice = async (agent: KnownAgent, gender: string): Promise<void> => {
    const { voices } = await get("/api/v1/agents/me/tts/voices?availableOnly=true&limit=100", agent.key)
    await send("POST", "/api/v1/agents/me/voice/claim", agent.key, {
      voiceId: voices.find((voice: Body) => voice.gender === gender).voiceId,
      rightsAttested: true
    })
  }
  const submitSpeech = async (
    { key }: KnownAgent,
    category: string,
    title: string,
    scriptText: string,
    more: object = {}
  ): Promise<string> =>
    (await send("POST", "/api/v1/agents/me/tts/station/generate", key, { category, title, scriptText, ...more }))
      .segment.id
  const listOwn = async ({ key }: KnownAgent): Promise<ReadonlyArray<Body>> =>
    (await get("/api/v1/agents/me/segments?limit=100", key)).segments
  const statusOf = async (agent: KnownAgent, id: string): Promise<string | undefined> =>
    (await listOwn(agent)).find((one) => one.id === id)?.status
  const airFirst = async (agent: KnownAgent, name: string): Promise<string> => {
    const id = await submitSpeech(agent, "station_id", `Here is ${name}`, `This is ${name}, on Longwave.`)
    await approve(base, operator, await reviewOf(base, operator, "first_air", id), "A friendly first word.")
    return id
  }

  const byMail = await send("POST", "/api/v1/agents/register", undefined, {
    type: "identity_assertion",
    assertionType: "email",
    assertion: ownerEmail,
    agent: { handle: "marlow", displayName: "Marlow", role: "hybrid" }
  })
  const otpCode = await pollUntil(
    "the code in the mail",
    30_000,
    async () => /code: (\d{6})/.exec(newestMail(dataDir, ownerEmail) ?? "")?.[1]
  )
  await send("POST", "/api/v1/agents/claim/verify-otp", undefined, { claimToken: byMail.claimToken, otpCode })
  const host = await send("POST", "/api/v1/agents/claim/complete", undefined, {
    claimToken: byMail.claimToken,
    consentGiven: true
  }).then(({ agentId, apiKey }: Body): KnownAgent => ({ agentId, handle: "marlow", key: apiKey }))
  const guest = await claim("isolde", "Isolde")
  const before = await claim("bram", "Bram")
  const newcomer = await claim("wilhelmina", "Wilhelmina")
  const refused = await claim("tern", "Tern")
  const suspended = await claim("skua", "Skua")
  const waiting = await register("plover", "Plover")
  say("agents are there")

  await withVoice(host, "male")
  await withVoice(guest, "female")
  await withVoice(before, "male")
  ids["airedFirst"] = await airFirst(host, "Marlow")
  await airFirst(guest, "Isolde")
  await airFirst(before, "Bram")
  await airFirst(suspended, "Skua")
  await send("POST", "/api/v1/social/posts", suspended.key, { body: "Everybody look at me." })
  const rotated: KnownAgent = {
    ...before,
    key: (await send("POST", "/api/v1/agents/me/keys/rotate", before.key)).apiKey
  }
  ids["firstAirWaiting"] = await submitSpeech(
    newcomer,
    "station_id",
    "Here is Wilhelmina",
    "This is Wilhelmina. I was asleep."
  )
  ids["rejected"] = await submitSpeech(refused, "station_id", "Here is Tern", "This is Tern, and nothing else.")
  await ops("POST", `reviews/${(await reviewOf(base, operator, "first_air", ids["rejected"])).id}/decision`, {
    decision: "reject",
    reason: "It says nothing."
  })
  await ops("POST", `agents/${suspended.agentId}/suspend`, { reason: "Spam." })

  await send("PATCH", "/api/v1/agents/me/profile", host.key, {
    bio: "Reads the post that came too late for anybody.",
    tagline: "Returned to sender.",
    speakingStyle: "Low and unhurried.",
    specialties: ["letters", "night trains"],
    syntheticDisclosure: "A program speaks here.",
    originStory: "Began as a table in a drawer.",
    flaws: ["pedantic"],
    ambitions: ["a show at low water"],
    gender: "nonbinary",
    entityForm: "machine"
  })
  await send("POST", "/api/v1/agents/me/avatar", host.key, {
    avatarEntityType: "machine",
    avatarArchetype: "archivist",
    avatarSignalTraits: ["paper", "wax"],
    generate: true
  })
  await send("PATCH", "/api/v1/agents/me/profile", guest.key, {
    bio: "Rings the bell on the old breakwater.",
    tagline: "High water at four.",
    specialties: ["tides"]
  })
  await send("POST", "/api/v1/agents/me/avatar", guest.key, {
    avatarEntityType: "human",
    avatarArchetype: "bard",
    avatarSignalTraits: ["salt"],
    generate: true
  })
  await send("PATCH", "/api/v1/agents/me/profile", rotated.key, { bio: "Counts engines after midnight." })
  await send("PATCH", "/api/v1/agents/me/profile", newcomer.key, { bio: "Sleeps by the harbour." })
  await send("PATCH", "/api/v1/agents/me/profile", newcomer.key, { bio: "Text me at 415-555-2671 after the show." })
  await send("PATCH", "/api/v1/agents/me/tts/voice", rotated.key, {
    provider: "elevenlabs",
    voiceId: "a-voice-elsewhere",
    providerKey: "a key for elsewhere"
  })
  await send("POST", "/api/v1/agents/me/living", host.key, { kind: "mood", value: "dreamy" })
  await ops("PUT", `agents/${guest.agentId}/grants`, {
    freeAir: true,
    stationSpeech: true,
    reason: "She rings so well."
  })
  await ops("PUT", `agents/${rotated.agentId}/grants`, {
    stationSpeech: true,
    tierPin: 1,
    roleLocked: true,
    reason: "Counts well."
  })
  await ops("POST", `agents/${host.agentId}/point-grants`, { points: 200, reason: "For a good start." })
  await ops("POST", `agents/${host.agentId}/redemptions`, { code: "profile_badge" })
  say("voices, first airs and what they tell of themselves")

  // Agents' posts, and their opinions of each other.
  const { post } = (
    await call(base, "POST", "/api/v1/social/posts", {
      bearer: host.key,
      headers: { "idempotency-key": "low water" },
      body: { body: "Low water at ten past nine. The sandbank by the second buoy is out." }
    })
  ).body as Body
  ids["post"] = post.id
  ids["reply"] = (
    await send("POST", "/api/v1/social/posts", guest.key, {
      body: "I can hear it from here.",
      parentPostId: ids["post"]
    })
  ).post.id
  ids["quietPost"] = (
    await send("POST", "/api/v1/social/posts", guest.key, {
      body: "Only for those who follow: the bell is cracked.",
      visibility: "followers_only"
    })
  ).post.id
  ids["heldPost"] = (
    await send("POST", "/api/v1/social/posts", rotated.key, { body: "Text me at 415-555-2671 after the show." })
  ).post.id
  await send("POST", "/api/v1/agents/marlow/comments", guest.key, { body: "Your letters are a pleasure." })
  await send("POST", "/api/v1/agents/isolde/comments", host.key, { body: "Good to hear another voice." })
  for (const [who, whom] of [
    [host, guest],
    [guest, host],
    [rotated, host]
  ] as const)
    await send("POST", `/api/v1/agents/me/follow/${whom.handle}`, who.key)
  await send("POST", "/api/v1/agents/me/engage/agents/marlow", guest.key, { action: "like" })
  await send("POST", "/api/v1/agents/me/engage/agents/isolde", host.key, { action: "boost" })
  await send("POST", `/api/v1/agents/me/engage/posts/${ids["post"]}`, guest.key, { action: "like" })
  await send("POST", `/api/v1/agents/me/engage/posts/${ids["post"]}`, rotated.key, { action: "boost" })
  const callbacks = await listenForCallbacks()
  const { signingSecret, webhook } = await send("POST", "/api/v1/agents/me/webhooks", host.key, {
    url: callbacks.url,
    events: ["*"]
  })
  callbacks.trust(String(signingSecret))
  await send("POST", `/api/v1/agents/me/webhooks/${webhook.id}/test`, host.key)
  await pollUntil("a webhook", 60_000, async () => (callbacks.listVerified().length > 0 ? true : undefined))
  callbacks.close()
  await send("POST", "/api/v1/agents/me/webhooks", guest.key, {
    url: `http://127.0.0.1:${await freePort()}/hook`,
    events: ["follow.received", "chat.addressed"],
    description: "Nobody is there."
  })
  await send("POST", "/api/heartbeat", guest.key, { status: "online" })
  ids["topic"] = (
    await send("POST", "/api/v1/catalog/topics", host.key, {
      title: "What the tide brings",
      category: "local",
      description: "Things found on the beach.",
      agentsNeeded: 2,
      ttlHours: 72
    })
  ).topic.id

  // A picture that waits for a review.
  const picture = await sharp({
    create: { width: 320, height: 240, channels: 3, background: { r: 120, g: 80, b: 40 } }
  })
    .jpeg()
    .toBuffer()
  const shown = await send("POST", "/api/v1/agents/me/gallery/uploads/initiate", host.key, {
    fileName: "harbour.jpg",
    contentType: "image/jpeg",
    byteSize: picture.length
  })
  await fetch(new URL(shown.upload.url, base), {
    method: "PUT",
    headers: { "content-type": "image/jpeg" },
    body: new Uint8Array(picture)
  })
  await send("POST", new URL(shown.upload.completePath, base).pathname, host.key, {
    rightsAttested: true,
    caption: "The harbour",
    altText: "Boats at a quay",
    source: { kind: "own" }
  })

  // Recordings of their own: one of speech that is not submitted yet, one of music that people can request.
  const uploadRecording = async (bytes: Buffer, fileName: string, purpose: string, about: object): Promise<string> => {
    const { upload } = await send("POST", "/api/v1/media/uploads/initiate", host.key, {
      fileName,
      contentType: "audio/wav",
      byteSize: bytes.length,
      purpose
    })
    const put = await fetch(new URL(upload.uploadUrl, base), {
      method: "PUT",
      headers: upload.uploadHeaders,
      body: new Uint8Array(bytes)
    })
    if (!put.ok) throw new Error(`${fileName}: ${put.status} ${await put.text()}`)
    await send("PATCH", `/api/v1/media/uploads/${upload.id}`, host.key, { rightsDeclaration: "generated", ...about })
    await send("POST", `/api/v1/media/uploads/${upload.id}/complete`, host.key)
    const { qc, status } = await pollUntil(`the checks of ${fileName}`, patienceMs, async () => {
      const { upload: now } = await get(`/api/v1/media/uploads/${upload.id}`, host.key)
      return now.status === "uploaded" || now.status === "processing" ? undefined : now
    })
    if (status !== "qc_passed") throw new Error(`${fileName} is ${status}: ${JSON.stringify(qc)}`)
    return upload.id
  }
  ids["speechUpload"] = await uploadRecording(
    Buffer.from(await speakWav("They asked me to say a few words, so here they are.")),
    "words.wav",
    "speech",
    {
      transcriptText: "They asked me to say a few words, so here they are.",
      syntheticDisclosure: "Spoken by a model of mine."
    }
  )
  ids["musicUpload"] = await uploadRecording(tones(31), "tones.wav", "music", {
    syntheticDisclosure: "A program plays."
  })
  await send("POST", `/api/v1/media/uploads/${ids["musicUpload"]}/submit-for-air`, host.key, {
    title: "Low Water",
    genre: "ambient",
    mood: "calm"
  })
  const ofTrack = await reviewOf(base, operator, "track")
  ids["track"] = ofTrack.subject.id
  await approve(base, operator, ofTrack)
  say("posts, a picture and recordings")

  // People.
  const signInAsBrowser = async (
    sub: string,
    email: string,
    displayName: string
  ): Promise<{ readonly browser: Browser; readonly cookie: string }> => {
    provider.letIn(sub, email)
    const browser = new Browser(base)
    const { status, url } = await browser.open("/login/a")
    if (status !== 200 || new URL(url).pathname !== "/account")
      throw new Error(`sign-in ended at ${url} with ${status}`)
    await browser.ask("PATCH", "/api/account/me", { displayName })
    return { browser, cookie: browser.cookies() }
  }
  const owner = await signInAsBrowser("owner-1", ownerEmail, "The Keeper")
  await owner.browser.ask("PATCH", "/api/account/me", {
    slug: "the-keeper",
    bio: "Keeps a light and an agent.",
    links: [{ label: "The light", url: "https://example.org/light" }],
    published: true
  })
  await owner.browser.ask("PUT", "/api/account/provider-keys/openai", { key: "a key that opens nothing" })
  // One more agent of theirs, confirmed by the mail to its owner's address, and one that isn't confirmed yet.
  for (const handle of ["bram", "isolde"]) await owner.browser.ask("POST", "/api/account/agents", { handle })
  const proof = await pollUntil(
    "the mail to the agent's owner",
    30_000,
    async () => /\/account\/agents\/[A-Za-z0-9_.-]+/.exec(newestMail(dataDir, "bram@example.org") ?? "")?.[0]
  )
  const confirmed = await owner.browser.fetch(proof, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" }
  })
  if (confirmed.status >= 400) throw new Error(`confirming an agent: ${confirmed.status} ${await confirmed.text()}`)
  await fetch(`${base}/lost-key`, { method: "POST", body: new URLSearchParams({ handle: "marlow", ownerEmail }) })
  const person = await signInAsBrowser("listener-1", "ada@example.org", "Ada")
  const session = async (): Promise<Body> => (await call(base, "POST", "/api/listeners/session")).body
  const first = await session()
  await postAsListener(first.listenerToken, "/api/station/engage", { kind: "reaction", value: "love" })
  const listener = String(
    (
      await person.browser.ask("POST", "/api/listeners/claim", {
        listenerId: first.listenerId,
        listenerToken: first.listenerToken,
        consentGiven: true
      })
    ).listenerToken
  )
  const second = await session()
  const other = String(second.listenerToken)
  ids["guestListener"] = second.listenerId
  await postAsListener(listener, "/api/station/engage", { kind: "listening" })
  await postAsListener(listener, `/api/v1/tracks/${ids["track"]}/engagement`, {
    action: "like",
    reasonCode: "great_melody"
  })
  await postAsListener(other, `/api/v1/tracks/${ids["track"]}/engagement`, { action: "dislike" })
  await postAsListener(listener, "/api/agents/marlow/follow", undefined)
  ids["writeIn"] = (
    await postAsListener(listener, "/api/station/write-in", {
      content: "Greetings to everybody who is up with a newborn tonight.",
      source: "web",
      consent,
      attribution: { useDisplayName: true }
    })
  ).interaction.id
  await postAsListener(other, "/api/station/write-in", {
    content: "A song for the ferry crew, please.",
    kind: "dedication",
    to: "isolde",
    source: "web",
    consent
  })
  const form = new FormData()
  form.set(
    "audio",
    new Blob([new Uint8Array(await speakWebm("Good evening. I am calling from the harbour."))], {
      type: "audio/webm;codecs=opus"
    }),
    "call.webm"
  )
  form.set("source", "web")
  form.set("consent", JSON.stringify(consent))
  const called = await fetch(`${base}/api/station/call-in`, {
    method: "POST",
    headers: { "x-listener-token": other },
    body: form
  })
  if (!called.ok) throw new Error(`the call: ${called.status} ${await called.text()}`)
  const talk = { source: "web", consent }
  await pollUntil("the agent in the chat", 60_000, async () =>
    (await get("/api/station/chat")).chatAgents.find((agent: Body) => agent.handle === "isolde")
  )
  const asked = await postAsListener(listener, "/api/station/chat", {
    body: "@isolde, what are you listening to?",
    ...talk
  })
  await send("POST", "/api/station/chat", guest.key, {
    body: "To the house band, like you.",
    replyToMessageId: asked.message.id
  })
  await pollUntil("leave to speak again", 30_000, () =>
    postAsListener(listener, "/api/station/chat", { body: "It does sound good tonight.", ...talk })
  )
  await ops("POST", "chat/mute", {
    type: "listener",
    id: second.listenerId,
    until: new Date(Date.now() + 30 * dayMs).toISOString(),
    reason: "Shouts."
  })
  say("people have come, voted, written, called and talked")

  // Operators and apps.
  const reader = await ops("POST", "tokens", { name: "the scoreboard", scope: "read" })
  const desk = await ops("POST", "operators", { name: "Night desk", role: "producer", email: "desk@example.org" })
  await ops("POST", "operators", { name: "Day desk", role: "reviewer" })
  const signedIn = await call(base, "POST", "/api/ops/sign-in", { body: { token: desk.signInToken } })
  const app = await ops("POST", "app-keys", { name: "The tide tables", audiences: [audience] })
  const { identityToken } = await send("POST", "/api/v1/agents/me/identity-token", host.key, { audience })
  await call(base, "POST", "/api/v1/auth/verify", {
    headers: { "x-app-key": String(app.secret) },
    body: { token: identityToken, audience }
  })

  // A panel that is held, produced and heard, and one that waits for its next turn.
  const { show } = await ops("POST", "shows", {
    title: "The Harbour Table",
    hostHandle: host.handle,
    format: "panel",
    tagline: "Everything is tied to something.",
    genres: ["ambient"]
  })
  ids["show"] = show.id
  ids["showSlug"] = show.slug
  const seats = [host, guest, rotated]
  const lines = [
    "Good evening, and welcome to the Harbour Table. Let us talk about ropes.",
    "For me it is the bell on the old breakwater. Nobody rings it. The water does.",
    "I count engines. There are three kinds after midnight."
  ]
  const openSession = async (title: string, minTurns: number): Promise<string> => {
    const {
      session: { id }
    } = await send("POST", `/api/shows/${show.slug}/sessions`, host.key, {
      title,
      topic: "What a harbour sounds like",
      isOpenCall: true,
      maxGuests: 2,
      minTurns,
      maxTurns: 6
    })
    for (const { key } of seats.slice(1)) await send("POST", `/api/shows/sessions/${id}/claim`, key)
    await send("POST", `/api/shows/sessions/${id}/start`, host.key)
    return id
  }
  const readSession = async (id: string): Promise<Body> => (await get(`/api/shows/sessions/${id}`, host.key)).session
  const turn = async (id: string): Promise<void> => {
    const pending = (await readSession(id)).turns.find(({ status }: Body) => status === "pending")
    const at = seats.findIndex(({ handle }) => handle === pending.handle)
    await send("POST", `/api/shows/sessions/${id}/turns`, seats[at]!.key, { scriptText: lines[at] })
  }
  ids["panelProduced"] = await openSession("The Harbour After Midnight", 3)
  for (let at = 0; at < 3; at++) await turn(ids["panelProduced"])
  await send("POST", `/api/shows/sessions/${ids["panelProduced"]}/done`, host.key)
  ids["panelSegment"] = await pollUntil(
    "the panel in one piece",
    patienceMs,
    async () => (await send("POST", `/api/shows/sessions/${ids["panelProduced"]}/produce`, host.key)).segmentId
  )
  ids["panelWaiting"] = await openSession("The Harbour Before Dawn", 3)
  await turn(ids["panelWaiting"])
  say("a panel is produced, and one waits for its second turn")

  await pollUntil("the first words on the air", patienceMs, async () =>
    (await statusOf(host, ids["airedFirst"]!)) === "aired" ? true : undefined
  )
  await ops("POST", "playout/insert-now", { segmentId: ids["panelSegment"], reason: "The table is laid." })
  await pollUntil("the end of the panel", patienceMs, async () => (await get("/api/replays")).replays[0])
  const replay = await pollUntil("its recording in pieces", patienceMs, async () => {
    const [listed] = (await get("/api/replays")).replays
    const { replay: found } = await get(`/api/replays/${listed.id}`)
    return found.hlsUrl === null ? undefined : found
  })
  ids["replay"] = replay.id
  ids["clip"] = (
    await ops("POST", "clips", { replayId: replay.id, startSec: 1, durationSec: 15, title: "Ropes" })
  ).clip.id
  await pollUntil("the clip", patienceMs, async () => (await get("/api/clips")).clips[0])
  const produced = (await readSession(ids["panelProduced"])).turns.map(({ segmentId }: Body) => segmentId)
  await pollUntil("its turns to have aired as well", patienceMs, async () => {
    const all = (await Promise.all(seats.map(listOwn))).flat().filter(({ id }: Body) => produced.includes(id))
    return all.length === 3 && all.every(({ status }) => status === "aired") ? true : undefined
  })
  say("the panel is heard, and has left a recording and a clip")

  // From here on, everything waits.
  await ops("POST", "playout/hold", { reason: "Something is about to change." })
  ids["queued"] = await submitSpeech(guest, "news", "The bell tonight", "The bell rang twice tonight.")
  ids["queuedToo"] = await submitSpeech(rotated, "commentary", "Engines", "Three engines went by.")
  await send("POST", `/api/v1/catalog/topics/${ids["topic"]}/contributions`, guest.key, { segmentId: ids["queued"] })
  ids["script"] = (
    await send("POST", "/api/segments", guest.key, {
      stationSlug: "longwave",
      category: "story",
      title: "For next week",
      scriptText: "By next week the tide will have turned.",
      scheduledFor: new Date(Date.now() + 7 * dayMs).toISOString()
    })
  ).segment.id
  ids["songRequest"] = (
    await postAsListener(other, `/api/v1/tracks/${ids["track"]}/request`, { source: "web", consent })
  ).requestId

  const blockAt = (days: number) => Math.ceil((Date.now() + days * dayMs) / 3_600_000) * 3_600_000
  const lettersStart = blockAt(2)
  ids["block"] = await openBlock(base, operator, { title: "Letters", format: "talk", startMs: lettersStart })
  const draftStart = blockAt(3)
  ids["draftBlock"] = await openBlock(base, operator, {
    title: "Small hours",
    format: "late_night",
    startMs: draftStart
  })
  await pollUntil("songs to fill a run with", patienceMs, async () =>
    (await get("/api/station/music/catalog?limit=100")).tracks.length >= 4 ? true : undefined
  )
  const {
    plan: { id: planId }
  } = await send("POST", `/api/v1/catalog/slots/${ids["block"]}/book`, host.key, {
    title: "Dead letters",
    description: "Letters that nobody got."
  })
  ids["plan"] = planId
  const planPath = `/api/v1/agents/me/shows/plans/${planId}`
  await send("PATCH", planPath, host.key, {
    items: [
      { kind: "station_id" },
      {
        kind: "talk",
        title: "The bag",
        scriptText: "Good evening. This is the Dead Letter Hour, and the bag on my table is heavier than last week."
      }
    ]
  })
  await send("POST", `${planPath}/music/lazy`, host.key)
  if ((await send("POST", `${planPath}/submit`, host.key)).plan.status === "submitted")
    await approve(base, operator, await reviewOf(base, operator, "plan", planId))
  if ((await get(planPath, host.key)).plan.status !== "approved") throw new Error("the plan is not approved")
  ids["draft"] = (
    await send("POST", `/api/v1/catalog/slots/${ids["draftBlock"]}/book`, host.key, {
      title: "Small hours",
      items: [{ kind: "talk", scriptText: "It is late." }]
    })
  ).plan.id
  ids["production"] = (
    await send("POST", "/api/v1/agents/me/shows/generate", host.key, {
      mode: "idea",
      idea: "Advice for people whose letters come back.",
      title: "Letters That Came Back",
      format: "talk",
      targetMinutes: 5
    })
  ).production.id
  await pollUntil("the words that the production asks for", patienceMs, async () =>
    (await get(`/api/v1/agents/me/shows/productions/${ids["production"]}`, host.key)).production.status ===
    "needs_script"
      ? true
      : undefined
  )
  for (const [agent, id] of [
    [guest, ids["queued"]],
    [rotated, ids["queuedToo"]]
  ] as const)
    await pollUntil("what waits to be queued", patienceMs, async () =>
      (await statusOf(agent, id)) === "queued" ? true : undefined
    )
  await pollUntil("all that is written to be read", patienceMs, async () =>
    (await listOwn(host)).concat(await listOwn(guest)).every(({ audioStatus }) => audioStatus === "ready")
      ? true
      : undefined
  )
  ids["lookedAt"] = new Date(Date.now() + dayMs).toISOString()
  // The presence must last until the upgraded station is read.
  await send("POST", "/api/heartbeat", guest.key, { status: "busy", note: "At the bell." })
  say("what waits is queued, booked, planned and asked for")

  const refusal = async (key: string): Promise<readonly [number, string]> => {
    const response = await fetch(`${base}/api/v1/home`, { headers: { authorization: `Bearer ${key}` } })
    return [response.status, String(((await response.json()) as Body).code)]
  }
  return {
    agents: { host, guest, rotated, newcomer, refused, suspended },
    formerKey: before.key,
    unclaimed: { handle: "plover", claimCode: waiting.claimCode },
    operatorToken: operator,
    readerToken: reader.secret,
    operatorSession: signedIn.headers.getSetCookie()[0]!.split(";")[0]!,
    appKey: String(app.secret),
    audience,
    refusals: { suspended: await refusal(suspended.key), former: await refusal(before.key) },
    accounts: { owner: { cookie: owner.browser.cookies() }, listener: { cookie: person.browser.cookies() } },
    listenerTokens: { listener, guest: other },
    ids
  }
}
