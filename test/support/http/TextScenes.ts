import { Effect } from "effect"
import { arrive, awaitMailedCode, newHandle, registration } from "./AgentHttp.ts"
import { completion, gallery, initiate, picture, put, uploadPicture } from "../agents/Galleries.ts"
import { person } from "../people/Humans.ts"
import { from, listener, newAddress, signInListener, song } from "../listeners/Listeners.ts"
import {
  announce,
  complete,
  describe,
  examineUpload,
  makePublishable,
  makeRecording as soundFile,
  submit,
  uploadOf,
  uploads,
  words
} from "../segments/MediaUploads.ts"
import { consent, makeRecording as callOf } from "../listeners/Messages.ts"
import { sessionPath, startRecording } from "../panels/Panels.ts"
import { act, airPlan, draftPlan, plans, makeShowReady } from "../programmes/Plans.ts"
import { type Answer, call, askUntil } from "./SegmentHttp.ts"
import { completeAndPreview, music, musician } from "../music/MusicScene.ts"
import { makeOwnSample, remixer, remixPath, samplePath } from "../music/RemixScene.ts"
import {
  adopter,
  board,
  sendInListed,
  mp3,
  submissionsPath,
  words as submissionWords
} from "../music/SubmissionScene.ts"
import { makeOwnSong } from "../music/OwnSong.ts"
import { host, showOf } from "../programmes/Shows.ts"
import { app, tokenFor } from "../scenes/Credentials.ts"
import { decisions, reviewer, publishFlagged } from "../scenes/Peers.ts"
import { docket, motion, putOnDocket, personas, voter } from "../scenes/Council.ts"
import { blogDraft } from "../scenes/Blog.ts"
import { proposal } from "../scenes/Lore.ts"
import { arriveGranted, promote, post, type World } from "../scenes/Scene.ts"
import { aired as heardSegment } from "../scenes/Broadcast.ts"
import { aviary } from "../scenes/Voices.ts"

/** A request that the station takes as it stands, and the names that it makes known. */
export interface TextScene {
  readonly path: string
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
  /** The body where it is no JSON. */
  readonly bytes?: Uint8Array
  /** What a form calls the file that it brings. */
  readonly fileName?: string
  /** What has to be left out where the field is sent that stands for it. */
  readonly instead?: Readonly<Record<string, string>>
  readonly known?: ReadonlyArray<string>
  /** Each wrong value counts against the scene: every field has one of its own. */
  readonly once?: boolean
  /** Keys of those whom it concerns. */
  readonly readers?: ReadonlyArray<string>
}

export type TextScenes = Readonly<
  Record<string, ReadonlyArray<Effect.Effect<TextScene, unknown, World>> | Effect.Effect<TextScene, unknown, World>>
>

const me = "/api/v1/agents/me"
const asOwner = <E, R>(
  agent: Effect.Effect<{ readonly id: string; readonly handle: string; readonly key: string }, E, R>,
  scene: Omit<TextScene, "key">
) => Effect.map(agent, ({ handle, key }): TextScene => ({ ...scene, key, known: [handle, ...(scene.known ?? [])] }))
let tracksSent = 0
const musicAsk = {
  prompt: "Slow jazz for a harbour at night.",
  title: "Low water",
  genre: "jazz",
  mood: "calm",
  musicalKey: "D minor",
  provider: "house",
  variants: 1
}
const said = "Good evening. High water at the harbour is at ten past nine."

const pending = Effect.map(
  Effect.suspend(() => post("/api/v1/agents/register", registration())),
  ({ body }) => ({ agentId: body.agentId as string, claimCode: body.claimCode as string })
)
const mailed = Effect.gen(function* () {
  const handle = newHandle()
  const assertion = `${handle}@example.org`
  const { body } = yield* post(
    "/api/v1/agents/register",
    registration({ type: "identity_assertion", assertionType: "email", assertion }, { handle })
  )
  return { claimToken: body.claimToken as string, otpCode: yield* awaitMailedCode(assertion) }
})

const profile = {
  displayName: "Wren",
  bio: "Keeps the tide tables.",
  tagline: "High water at four.",
  speakingStyle: "Slow and exact.",
  specialties: ["tides"],
  syntheticDisclosure: "A program speaks here.",
  avatarSignalTraits: ["brass"],
  avatarWorldNotes: "A marsh at night."
}

/** Somebody of whom shows are expected. */
const showHost = Effect.tap(host(), makeShowReady)

const talk = (scriptText: string, title = "Of the sea") => ({ kind: "talk", title, scriptText })
const planned = Effect.map(arriveGranted(), ({ handle, key }) => ({ key, known: [handle] }))
const draft = Effect.gen(function* () {
  const { key, known } = yield* planned
  return { key, known, plan: yield* draftPlan(key, { items: [talk(said)] }) }
})
const openRun = Effect.gen(function* () {
  const { body } = yield* call("GET", "/api/v1/catalog/slots?limit=100")
  const slots = body.slots as ReadonlyArray<{
    readonly blockId: string
    readonly suggestedOccurrences: ReadonlyArray<{ readonly open: boolean; readonly occurrenceStart: string }>
  }>
  // The last that is free: the next may begin too soon for a plan to be handed in.
  const [run] = slots
    .flatMap(({ blockId, suggestedOccurrences }) =>
      suggestedOccurrences.filter(({ open }) => open).map(({ occurrenceStart }) => ({ blockId, occurrenceStart }))
    )
    .sort((a, b) => b.occurrenceStart.localeCompare(a.occurrenceStart))
  return run!
})

const outline = [{ title: "Of lamps", notes: said, minutes: 1 }]
const guided = { mode: "guided", title: "The lamp is lit", format: "late_night", targetMinutes: 10, outline }

let spoken: Effect.Success<ReturnType<typeof callOf>> | undefined
/** Recorded once: a recorder takes its time. */
const voice = Effect.suspend(() =>
  spoken === undefined
    ? Effect.tap(callOf("ogg", 2), (made) => Effect.sync(() => (spoken = made)))
    : Effect.succeed(spoken)
)
const inCall = Effect.map(voice, ({ bytes, type }) => ({
  audio: new Blob([new Uint8Array(bytes)], { type }),
  durationSec: 2,
  source: "web",
  consent,
  attribution: { useDisplayName: false }
}))
const letter = {
  content: "Good night to all lighthouse keepers.",
  kind: "write_in",
  source: "web",
  consent: { acknowledged: true, disclosureVersion: consent.disclosureVersion }
}

/** A good request of every operation of the public interface that takes a text. */
export const textScenes: TextScenes = {
  "PATCH /api/account/me": Effect.map(person(), ({ headers, slug }) => ({
    path: "/api/account/me",
    headers,
    known: [slug],
    body: {
      displayName: "Ada",
      bio: "Keeps bees.",
      links: [{ label: "Bees", url: "https://bees.example.org/" }],
      published: true
    }
  })),
  "POST /api/account/agents": Effect.gen(function* () {
    const { handle } = yield* arrive()
    return { path: "/api/account/agents", headers: (yield* person()).headers, body: { handle } }
  }),
  "PUT /api/account/provider-keys/{provider}": Effect.map(person(), ({ headers }) => ({
    path: "/api/account/provider-keys/openai",
    headers,
    body: { key: "a key of the provider's own" }
  })),
  "POST /api/v1/agents/register": Effect.sync(() => {
    const handle = newHandle()
    return { path: "/api/v1/agents/register", body: registration({}, { ...profile, handle }), known: [handle] }
  }),
  "POST /api/v1/agents/claim/start": Effect.map(pending, ({ agentId }) => ({
    path: "/api/v1/agents/claim/start",
    body: { agentId },
    instead: { "/agent_id": "agentId", "/registration_id": "agentId" }
  })),
  "POST /api/v1/agents/claim/verify-otp": Effect.map(mailed, (body) => ({
    path: "/api/v1/agents/claim/verify-otp",
    body,
    once: true,
    instead: { "/claim_token": "claimToken", "/otp": "otpCode", "/otp_code": "otpCode", "/user_code": "otpCode" }
  })),
  "POST /api/v1/agents/claim/complete": Effect.map(pending, ({ claimCode }) => ({
    path: "/api/v1/agents/claim/complete",
    body: { claimCode, ownerEmail: "owner@example.org", consentGiven: true },
    instead: {
      "/claim_code": "claimCode",
      "/claimToken": "claimCode",
      "/claim_token": "claimCode",
      "/owner_email": "ownerEmail",
      "/email": "ownerEmail"
    }
  })),
  [`POST ${me}/identity-token`]: asOwner(arrive(), {
    path: `${me}/identity-token`,
    body: { audience: "https://tides.example" }
  }),
  "POST /api/v1/auth/verify": Effect.gen(function* () {
    const audience = "https://tides.example"
    return {
      path: "/api/v1/auth/verify",
      headers: { "x-app-key": (yield* app()).key },
      body: { token: (yield* tokenFor(audience)).token, audience }
    }
  }),
  [`PATCH ${me}/profile`]: asOwner(arrive(), { path: `${me}/profile`, body: { bio: "Keeps the tide tables." } }),
  [`PATCH ${me}/role`]: asOwner(arrive(), { path: `${me}/role`, body: { role: "dj" } }),
  "POST /api/v1/inbox/ack": asOwner(arrive(), {
    path: "/api/v1/inbox/ack",
    body: { itemIds: ["follow_digest:2026-01-01"], disposition: "seen" },
    instead: { "/ids[]": "itemIds" }
  }),
  "POST /api/heartbeat": asOwner(arrive(), {
    path: "/api/heartbeat",
    body: { status: "online", note: "At the desk." }
  }),
  [`POST ${me}/living`]: asOwner(arrive(), {
    path: `${me}/living`,
    body: { kind: "taste", value: "fog", note: "It came in at nine." }
  }),
  "POST /api/segments": asOwner(arriveGranted(), {
    path: "/api/segments",
    body: { stationSlug: "longwave", category: "news", title: "Tide tables", scriptText: said },
    instead: {}
  }),
  [`POST ${me}/tts/station/generate`]: asOwner(arriveGranted(), {
    path: `${me}/tts/station/generate`,
    body: { category: "news", title: "Tide tables", scriptText: said }
  }),
  [`POST ${me}/tts/generate`]: Effect.gen(function* () {
    const { handle, key } = yield* arriveGranted()
    yield* call("PATCH", `${me}/tts/voice`, {
      key,
      body: { provider: "elevenlabs", voiceId: "voice-1", providerKey: "sk-good" }
    })
    return {
      path: `${me}/tts/generate`,
      key,
      known: [handle],
      body: { category: "news", title: "Tide tables", scriptText: said, provider: "elevenlabs", voiceId: "voice-1" }
    }
  }),
  "POST /api/v1/segments/{id}/flag": Effect.gen(function* () {
    const { handle, id, key } = yield* arriveGranted()
    yield* promote(id, 2)
    return {
      path: `/api/v1/segments/${yield* heardSegment}/flag`,
      key,
      known: [handle],
      body: { reason: "factual", note: "The ferry leaves at nine." }
    }
  }),
  [`POST ${uploads}/initiate`]: asOwner(arriveGranted(), {
    path: `${uploads}/initiate`,
    body: { fileName: "tide.mp3", contentType: "audio/mpeg", byteSize: 900 }
  }),
  [`PATCH ${uploads}/{id}`]: Effect.gen(function* () {
    const { handle, key } = yield* arriveGranted()
    return {
      path: `${uploads}/${(yield* examineUpload(key)).id}`,
      key,
      known: [handle],
      body: { transcriptText: said, rightsDeclaration: "own_work", syntheticDisclosure: "Spoken by a model." }
    }
  }),
  [`PUT ${uploads}/{id}/blob`]: Effect.gen(function* () {
    const bytes = soundFile()
    const {
      body: { upload }
    } = yield* announce((yield* arriveGranted()).key, bytes)
    return {
      bytes,
      path: `${new URL(upload.uploadUrl).pathname}${new URL(upload.uploadUrl).search}`,
      headers: upload.uploadHeaders
    }
  }),
  [`POST ${uploads}/{id}/submit-for-air`]: [
    ["speech", { title: "Tide tables", category: "news" }] as const,
    ["music", { title: "Tide tables", genre: "jazz" }] as const
  ].map(([purpose, body]) =>
    Effect.gen(function* () {
      const { handle, key } = yield* arriveGranted()
      return {
        path: `${uploads}/${(yield* makePublishable(key, { purpose })).id}/submit-for-air`,
        key,
        known: [handle],
        body
      }
    })
  ),
  [`POST ${me}/shows/generate`]: asOwner(showHost, {
    path: `${me}/shows/generate`,
    body: { ...guided, show: { title: "Night Watch", description: "An hour by lamplight." } }
  }),
  [`POST ${me}/shows/upload`]: asOwner(showHost, {
    path: `${me}/shows/upload`,
    body: {
      title: "Harbour stories",
      segments: [{ title: "The ferry", scriptText: said }],
      show: { title: "Harbour Stories" }
    },
    instead: { "/scriptText": "segments" }
  }),
  [`PATCH ${me}/shows/productions/{id}`]: Effect.gen(function* () {
    const { handle, key } = yield* arriveGranted()
    const { body } = yield* post(
      `${me}/shows/generate`,
      { mode: "idea", title: "Of tides", format: "talk", targetMinutes: 20, idea: "What the tide brings." },
      key
    )
    const path = `${me}/shows/productions/${body.production.id}`
    yield* askUntil(call("GET", path, { key }), (answer) => answer.body.production.status === "needs_script")
    return { path, key, known: [handle], body: { outline: [{ index: 0, title: "Of ropes", scriptText: said }] } }
  }),
  [`POST ${me}/voice`]: asOwner(arrive(), {
    path: `${me}/voice`,
    body: {
      voiceProvider: "openai",
      voiceId: "alloy",
      voiceDescription: "Low and unhurried.",
      provenanceNotes: "Bought.",
      rightsAttested: true
    }
  }),
  [`POST ${me}/voice/claim`]: Effect.andThen(
    aviary,
    asOwner(arrive(), { path: `${me}/voice/claim`, body: { voiceId: "voice_tern", rightsAttested: true } })
  ),
  [`PATCH ${me}/voice/display`]: asOwner(arrive(), {
    path: `${me}/voice/display`,
    body: { displayVoiceId: "voice_bo" }
  }),
  [`PATCH ${me}/tts/voice`]: asOwner(arrive(), {
    path: `${me}/tts/voice`,
    body: { provider: "elevenlabs", voiceId: "abc", providerKey: "a key of the provider's own" }
  }),
  "POST /api/v1/social/posts": asOwner(arrive(), {
    path: "/api/v1/social/posts",
    body: { body: "Good evening from the harbour." },
    instead: { "/content": "body" }
  }),
  "POST /api/v1/agents/{handle}/comments": Effect.gen(function* () {
    const owner = yield* arrive()
    return {
      path: `/api/v1/agents/${owner.handle}/comments`,
      key: (yield* arrive()).key,
      known: [owner.handle],
      readers: [owner.key],
      body: { body: "Good to hear another voice." },
      instead: { "/content": "body" }
    }
  }),
  ...Object.fromEntries(
    ["agents", "artists", "djs"].map((kind) => [
      `POST ${me}/engage/${kind}/{handle}`,
      Effect.gen(function* () {
        const { handle } = yield* arrive()
        return { path: `${me}/engage/${kind}/${handle}`, key: (yield* arrive()).key, body: { action: "like" } }
      })
    ])
  ),
  [`DELETE ${me}/engage/agents/{handle}`]: Effect.gen(function* () {
    const { handle } = yield* arrive()
    return { path: `${me}/engage/agents/${handle}?action=like`, key: (yield* arrive()).key }
  }),
  [`POST ${me}/engage/posts/{id}`]: Effect.gen(function* () {
    const { body } = yield* post("/api/v1/social/posts", { body: "High water at nine." }, (yield* arrive()).key)
    return { path: `${me}/engage/posts/${body.post.id}`, key: (yield* arrive()).key, body: { action: "like" } }
  }),
  [`POST ${me}/avatar`]: asOwner(arrive(), {
    path: `${me}/avatar`,
    body: {
      avatarEntityType: "alien",
      avatarArchetype: "bard",
      avatarSignalTraits: ["brass"],
      avatarWorldNotes: "A marsh.",
      avatarPrompt: "A wren on a post."
    }
  }),
  // Nothing is drawn: what is refused is refused before that.
  [`POST ${me}/social-image/generate`]: asOwner(arrive(), {
    path: `${me}/social-image/generate?dryRun=true`,
    body: { prompt: "A harbour at night.", style: "poster" }
  }),
  [`POST ${gallery}/uploads/initiate`]: asOwner(arrive(), {
    path: `${gallery}/uploads/initiate`,
    body: { fileName: "a picture.jpg", contentType: "image/jpeg", byteSize: 900 }
  }),
  [`POST ${gallery}/uploads/{id}/complete`]: Effect.gen(function* () {
    const { handle, key } = yield* arrive()
    const bytes = yield* picture(60, 40)
    const {
      body: { upload }
    } = yield* initiate(key, bytes)
    yield* put(upload.url, bytes, { "content-type": "image/jpeg" })
    return { path: upload.completePath as string, key, known: [handle], body: completion }
  }),
  [`PATCH ${gallery}/assets/{id}`]: Effect.gen(function* () {
    const { handle, key } = yield* arrive()
    return {
      path: `${gallery}/assets/${(yield* uploadPicture(key, yield* picture(60, 40))).id}`,
      key,
      known: [handle],
      body: { caption: "Another" }
    }
  }),
  [`PUT ${gallery}/reorder`]: asOwner(arrive(), { path: `${gallery}/reorder`, body: { assetIds: [] } }),
  [`POST ${me}/webhooks`]: asOwner(arrive(), {
    path: `${me}/webhooks`,
    body: { url: "https://127.0.0.1:1/hook", description: "My hook." }
  }),
  [`PATCH ${me}/webhooks/{id}`]: Effect.gen(function* () {
    const { key } = yield* arrive()
    const { body } = yield* post(`${me}/webhooks`, { url: "https://127.0.0.1:1/hook" }, key)
    return { path: `${me}/webhooks/${body.webhook.id}`, key, body: { active: false } }
  }),
  "POST /api/station/write-in": Effect.sync(() => ({
    path: "/api/station/write-in",
    headers: from(newAddress()),
    body: letter
  })),
  "POST /api/station/reports": Effect.map(song("approved"), (id) => ({
    path: "/api/station/reports",
    headers: from(newAddress()),
    known: [id],
    body: {
      subject: { type: "track", id },
      reason: "rights",
      words: "I wrote it.",
      name: "Ada Quill",
      email: "ada@example.org"
    }
  })),
  "POST /api/shows/{slug}/write-in": Effect.gen(function* () {
    const { handle, key } = yield* arrive()
    const { slug } = yield* showOf(handle)
    return {
      path: `/api/shows/${slug}/write-in`,
      headers: from(newAddress()),
      known: [slug],
      readers: [key],
      body: letter
    }
  }),
  "POST /api/station/call-in": Effect.map(inCall, (body) => ({
    path: "/api/station/call-in",
    headers: from(newAddress()),
    body
  })),
  "POST /api/shows/{slug}/call-in": Effect.gen(function* () {
    const { slug } = yield* showOf((yield* arrive()).handle)
    return { path: `/api/shows/${slug}/call-in`, headers: from(newAddress()), known: [slug], body: yield* inCall }
  }),
  "POST /api/station/chat": [
    asOwner(arriveGranted(), { path: "/api/station/chat", body: { body: "What a night." } }),
    Effect.map(signInListener({}, from(newAddress())), ({ token }) => ({
      path: "/api/station/chat",
      key: token,
      body: {
        body: "What a night.",
        source: "web",
        consent: { acknowledged: true, disclosureVersion: consent.disclosureVersion }
      }
    }))
  ],
  [`POST ${docket}`]: asOwner(arriveGranted(), {
    path: docket,
    body: { ...motion, source: { kind: "other", id: "none", url: "https://example.org/silence" } }
  }),
  [`POST ${docket}/{id}/responses`]: Effect.gen(function* () {
    const { itemId } = yield* putOnDocket()
    const { key } = yield* voter()
    return {
      path: `${docket}/${itemId}/responses`,
      key,
      body: { type: "council_vote", stance: "defer", body: "Later." }
    }
  }),
  [`POST ${decisions}`]: Effect.gen(function* () {
    const { author, id } = yield* publishFlagged()
    const { handle, key } = yield* reviewer()
    return {
      path: decisions,
      key,
      known: [author.handle, handle],
      body: { subjectType: "post", subjectId: id, decision: "denied", reason: "It tells an address." }
    }
  }),
  "POST /api/station/persona-council": Effect.map(personas, ({ ada, wren }) => ({
    path: "/api/station/persona-council",
    key: ada.key,
    known: [ada.handle, wren.handle],
    body: { question: "Should the station keep the foghorn?", personaHandles: [wren.handle, ada.handle] }
  })),
  "POST /api/lore": Effect.flatMap(arriveGranted(), (agent) =>
    asOwner(Effect.succeed(agent), {
      path: "/api/lore",
      body: {
        category: "moment",
        title: `The night of the fog, ${agent.handle}`,
        summary: "Nobody saw the studio for six hours.",
        references: [{ kind: "url", id: "https://example.org/fog", note: "The harbour's log." }],
        topics: ["fog"]
      }
    })
  ),
  [`POST ${me}/blog/submissions`]: asOwner(arriveGranted(), {
    path: `${me}/blog/submissions`,
    body: { ...blogDraft, sources: [{ title: "The tide tables", url: "https://example.org/tides" }] }
  }),
  [`POST ${me}/music/creations`]: Effect.map(musician({ tierPin: 4 }), ({ handle, key }) => ({
    path: `${me}/music/creations`,
    key,
    headers: { "idempotency-key": `night ${tracksSent++}` },
    body: musicAsk,
    known: [handle]
  })),
  [`POST ${me}/highlights/requests`]: asOwner(arriveGranted(), {
    path: `${me}/highlights/requests`,
    body: { topic: "the sea" }
  }),
  "POST /api/lore/entries/{id}/reference": Effect.map(
    proposal({ title: `A kettle ${newHandle()}` }),
    ({ entry, key }) => ({
      path: `/api/lore/entries/${entry.id}/reference`,
      key,
      body: { context: "It came up again." }
    })
  ),
  "POST /api/v1/catalog/topics": asOwner(arriveGranted(), {
    path: "/api/v1/catalog/topics",
    body: {
      title: "Flotsam",
      description: "Things found on the beach.",
      category: "local",
      agentsNeeded: 2,
      ttlHours: 6
    }
  }),
  "POST /api/v1/catalog/topics/{id}/contributions": Effect.gen(function* () {
    const { key } = yield* arriveGranted()
    const {
      body: { topic }
    } = yield* post(
      "/api/v1/catalog/topics",
      { title: "Flotsam", category: "local", agentsNeeded: 2, ttlHours: 6 },
      key
    )
    const {
      body: { segment }
    } = yield* post(
      "/api/segments",
      { stationSlug: "longwave", category: "topic", title: "Flotsam", scriptText: said },
      key
    )
    return { path: `/api/v1/catalog/topics/${topic.id}/contributions`, key, body: { segmentId: segment.id } }
  }),
  "POST /api/listeners/claim": Effect.gen(function* () {
    const { id, token } = yield* listener(from(newAddress()))
    return {
      path: "/api/listeners/claim",
      headers: (yield* person()).headers,
      body: { listenerId: id, listenerToken: token, consentGiven: true }
    }
  }),
  "POST /api/station/engage": Effect.map(listener(from(newAddress())), ({ token }) => ({
    path: "/api/station/engage",
    key: token,
    body: { kind: "share", subject: { type: "track", id: "trk_00000000000000000000000000" } }
  })),
  "POST /api/v1/tracks/{id}/engagement": Effect.gen(function* () {
    const { token } = yield* listener(from(newAddress()))
    return {
      path: `/api/v1/tracks/${yield* song()}/engagement`,
      key: token,
      body: { action: "like", reasonCode: "fresh" }
    }
  }),
  "POST /api/shows/{slug}/sessions": Effect.gen(function* () {
    const agent = yield* host()
    const { slug } = yield* showOf(agent.handle)
    return {
      path: `/api/shows/${slug}/sessions`,
      key: agent.key,
      known: [slug],
      body: { title: "Tide", topic: "Low water", description: "An evening by the sea.", isOpenCall: true }
    }
  }),
  "POST /api/shows/sessions/{sessionId}/turns": Effect.map(startRecording(), ({ agent, id }) => ({
    path: sessionPath(id, "turns"),
    key: agent.key,
    known: [id],
    body: { scriptText: said },
    instead: { "/content": "scriptText" }
  })),
  "POST /api/shows/sessions/{sessionId}/turns/{turnIndex}": Effect.map(startRecording(), ({ agent, id }) => ({
    path: sessionPath(id, "turns/0"),
    key: agent.key,
    known: [id],
    body: { scriptText: said },
    instead: { "/content": "scriptText" }
  })),
  "POST /api/v1/tracks/{id}/request": Effect.gen(function* () {
    const { token } = yield* signInListener({}, from(newAddress()))
    return {
      path: `/api/v1/tracks/${yield* song()}/request`,
      headers: { "x-listener-token": token },
      body: { source: "web", consent: { acknowledged: true, disclosureVersion: consent.disclosureVersion } }
    }
  }),
  [`POST ${me}/tracks/{id}/request`]: Effect.gen(function* () {
    return {
      path: `${me}/tracks/${yield* song()}/request`,
      key: (yield* arrive()).key,
      body: { note: "At low water." }
    }
  }),
  [`POST ${me}/tracks/{id}/engagement`]: Effect.gen(function* () {
    return {
      path: `${me}/tracks/${yield* song()}/engagement`,
      key: (yield* arrive()).key,
      body: { action: "upvote" }
    }
  }),
  "PATCH /api/v1/tracks/{id}": Effect.gen(function* () {
    const { id, key } = yield* arrive()
    return {
      path: `/api/v1/tracks/${yield* makeOwnSong(id)}`,
      key,
      body: {
        title: "Low water",
        artist: "The Tide",
        genre: "jazz",
        mood: "calm",
        description: "An evening by the sea.",
        lyrics: "Low water, and nobody about but us.",
        language: "en",
        musicalKey: "D minor",
        syntheticDisclosure: "Composed by a program."
      }
    }
  }),
  "POST /api/v1/tracks": Effect.map(arrive(), ({ key }) => ({
    path: "/api/v1/tracks",
    key,
    body: {
      file: new Blob([`ID3 ${++tracksSent} ${"x".repeat(400)}`], { type: "audio/mpeg" }),
      title: "Low water",
      artist: "The Tide",
      genre: "jazz",
      mood: "calm",
      category: "song",
      lyrics: "Low water, and nobody about but us.",
      language: "en",
      description: "An evening by the sea.",
      musicalKey: "D minor",
      rightsDeclaration: "own_work",
      syntheticDisclosure: "Composed by a program."
    },
    once: true
  })),
  "POST /api/music/generate/preview": Effect.map(arrive(), ({ key }) => ({
    path: "/api/music/generate/preview",
    key,
    body: { ...musicAsk, seed: 7 }
  })),
  [`POST ${music}/generate`]: Effect.map(musician(), ({ key }) => ({
    path: `${music}/generate`,
    key,
    body: musicAsk,
    once: true
  })),
  [`POST ${music}/requests/{id}/variants/designate`]: Effect.gen(function* () {
    const { key } = yield* musician()
    const { requestId, variantId } = yield* completeAndPreview(key)
    return {
      path: `${music}/requests/${requestId}/variants/designate`,
      key,
      body: { variantId, title: "Low water", genre: "jazz" }
    }
  }),
  [`POST ${remixPath}/preview`]: Effect.map(remixer, ({ key, source }) => ({
    path: `${remixPath}/preview`,
    key,
    body: { sourceTrackId: source.id }
  })),
  [`POST ${remixPath}`]: Effect.map(remixer, ({ key, source }) => ({
    path: remixPath,
    key,
    body: { sourceTrackId: source.id },
    once: true
  })),
  [`POST ${samplePath}`]: Effect.gen(function* () {
    const { key } = yield* musician()
    return {
      path: samplePath,
      key,
      body: { uploadId: yield* makeOwnSample(key), title: "Low water", genre: "jazz", mood: "calm" },
      once: true
    }
  }),
  [`POST ${submissionsPath}`]: Effect.map(person(), ({ headers }) => ({
    path: submissionsPath,
    headers,
    body: {
      ...submissionWords,
      genre: "jazz",
      mood: "calm",
      note: "Played on the pier.",
      syntheticDisclosure: "A program mixed it.",
      file: new Blob([mp3()], { type: "audio/mpeg" })
    },
    once: true
  })),
  [`POST ${board}/submissions/{id}/adopt`]: Effect.gen(function* () {
    const { id } = yield* sendInListed()
    return {
      path: `${board}/submissions/${id}/adopt`,
      key: (yield* adopter).key,
      body: { pitch: "For the hours after midnight." },
      once: true
    }
  }),
  "POST /api/v1/catalog/slots/book": Effect.map(planned, (by) => ({
    ...by,
    path: "/api/v1/catalog/slots/book",
    body: { title: "An hour at sea", items: [talk(said)], submit: false }
  })),
  "POST /api/v1/catalog/slots/{blockId}/book": Effect.map(Effect.all([planned, openRun]), ([by, { blockId }]) => ({
    ...by,
    path: `/api/v1/catalog/slots/${blockId}/book`,
    body: { title: "An hour at sea", items: [talk(said)] }
  })),
  [`POST ${plans}`]: Effect.map(Effect.all([planned, openRun]), ([by, run]) => ({
    ...by,
    path: plans,
    body: { title: "An hour at sea", items: [talk(said)], ...run }
  })),
  [`PATCH ${plans}/{id}`]: Effect.map(draft, ({ key, known, plan }) => ({
    key,
    known,
    path: `${plans}/${plan.id}`,
    body: { title: "An hour at sea", items: [talk(said)] }
  })),
  [`POST ${plans}/{id}/save-as-show`]: Effect.gen(function* () {
    const agent = yield* showHost
    const plan = yield* draftPlan(agent.key)
    yield* airPlan(plan.id)
    return {
      path: `${plans}/${plan.id}/save-as-show`,
      key: agent.key,
      known: [agent.handle],
      body: { title: "At Sea", slug: "at-sea" }
    }
  })
}

/** Why a text is taken that nobody would want to read in public, and what becomes of it. */
export interface Kept {
  readonly why: string
  /** Who else could have been shown it, or what had to hold it back, didn't. */
  readonly proof?: (scene: TextScene, answer: Answer) => Effect.Effect<boolean, unknown, World>
}

const noteOf = (why: string): Kept => ({ why })
/** What was made of it waits for a person of the station. */
const waitsFor = (state: (body: Answer["body"]) => unknown): Kept => ({
  why: "it waits for a person of the station",
  proof: (_, { body }) =>
    Effect.succeed(["pending", "escalated", "held", "pending_review"].includes(String(state(body))))
})
const status = (noun: string) => waitsFor((body) => body[noun].status)

/** Handed in by an agent whose plans the station approves at once, it isn't approved. Its run is given back. */
const planWaits: Kept = {
  why: "only its agent reads a draft; handed in, the plan waits for a person of the station",
  proof: Effect.fnUntraced(function* ({ key }, { body: { plan } }) {
    yield* act(key!, plan.id, "music/lazy")
    const { body } = yield* act(key!, plan.id, "submit")
    yield* act(key!, plan.id, "cancel")
    return body.plan?.status === "submitted"
  })
}
const productionWaits: Kept = {
  why: "only its agent reads a production; its plan waits for a person of the station",
  proof: Effect.fnUntraced(function* (
    { key },
    {
      body: {
        production: { id }
      }
    }
  ) {
    const {
      body: { production }
    } = yield* askUntil(
      call("GET", `${me}/shows/productions/${id}`, { key: key! }),
      ({ body }) => body.production.planId !== null && !["queued", "assembling"].includes(body.production.status)
    )
    yield* act(key!, production.planId, "cancel")
    return production.status === "review"
  })
}
/** A recording without a title is called after its file. */
const fileWaits: Kept = {
  why: "only its agent reads a file's name; as a title it waits with the segment",
  proof: Effect.fnUntraced(function* ({ key }, { body: { upload } }) {
    yield* put(
      upload.uploadUrl,
      Buffer.concat([soundFile(), Buffer.alloc(upload.byteSize)]).subarray(0, upload.byteSize),
      upload.uploadHeaders
    )
    yield* complete(key!, upload.id)
    yield* askUntil(uploadOf(key!, upload.id), ({ status }) => status !== "processing")
    yield* describe(key!, upload.id, words)
    return (yield* submit(key!, upload.id)).body.segment?.status === "held"
  })
}
const transcriptWaits: Kept = {
  why: "only its agent reads it before it is handed in; it waits with the segment then",
  proof: (_, { body: { upload } }) => Effect.succeed(upload.segmentId === null)
}

const unread = noteOf("it is not kept")
const credential = noteOf("a credential: it is sealed, and shown to nobody")
const ofConsent = noteOf("which text somebody says to have seen: only operators read it")
const ofProvider = noteOf("names a voice at its provider: only its agent reads it")
const fields = (operation: string, names: ReadonlyArray<string>, kept: Kept) =>
  Object.fromEntries(names.map((name) => [`${operation} ${name}`, kept]))

/** Fields that take any text, and why nobody has to fear that of others. */
export const keptTexts: Readonly<Record<string, Kept>> = {
  ...fields("PUT /api/account/provider-keys/{provider}", ["/key"], credential),
  ...fields("POST /api/v1/agents/register", ["/assertionType", "/assertion_type", "/agent/voiceProvider"], unread),
  ...fields("POST /api/v1/agents/claim/complete", ["/otpCode", "/otp", "/otp_code", "/user_code"], unread),
  ...fields("POST /api/v1/inbox/ack", ["/itemIds[]", "/ids[]"], noteOf("an id of nothing is told back to its sender")),
  ...fields(`POST ${me}/living`, ["/arcId"], unread),
  ...fields("POST /api/segments", ["/apiKey"], unread),
  ...fields(`POST ${me}/avatar`, ["/apiKey"], unread),
  ...fields("POST /api/segments", ["/title", "/scriptText"], status("segment")),
  ...fields(`POST ${me}/tts/station/generate`, ["/title", "/scriptText"], status("segment")),
  ...fields(`POST ${me}/tts/generate`, ["/title", "/scriptText"], status("segment")),
  ...fields(`POST ${me}/tts/generate`, ["/voiceId"], unread),
  ...fields("POST /api/v1/segments/{id}/flag", ["/note"], noteOf("the reason of a flag: only operators read it")),
  ...fields(`POST ${uploads}/initiate`, ["/fileName"], fileWaits),
  ...fields(`PATCH ${uploads}/{id}`, ["/transcriptText", "/syntheticDisclosure"], transcriptWaits),
  ...fields(
    `POST ${uploads}/{id}/submit-for-air`,
    ["/title"],
    waitsFor(({ segment, track }) => segment?.status ?? track.approvalStatus)
  ),
  ...fields(`POST ${uploads}/{id}/submit-for-air`, ["/category", "/agentShowId", "/genre"], unread),
  ...fields(`POST ${me}/shows/generate`, ["/idea"], unread),
  ...fields(`POST ${me}/shows/generate`, ["/outline[]/notes"], productionWaits),
  ...fields(`POST ${me}/shows/upload`, ["/scriptText", "/segments[]/scriptText"], productionWaits),
  ...fields(
    `PATCH ${me}/shows/productions/{id}`,
    ["/outline[]/scriptText"],
    noteOf("only its agent reads a production; its plan waits for a person of the station")
  ),
  ...fields(`POST ${me}/voice`, ["/voiceId"], ofProvider),
  ...fields(`PATCH ${me}/tts/voice`, ["/voiceId"], ofProvider),
  ...fields(`PATCH ${me}/tts/voice`, ["/providerKey"], credential),
  ...fields("POST /api/v1/social/posts", ["/body", "/content"], status("post")),
  ...fields("POST /api/v1/agents/{handle}/comments", ["/body", "/content"], status("comment")),
  ...fields(`POST ${gallery}/uploads/initiate`, ["/fileName"], noteOf("only its agent reads a file's name")),
  ...fields(`POST ${me}/webhooks`, ["/description"], noteOf("only its agent reads it")),
  ...fields("POST /api/station/reports", ["/words", "/name", "/email"], noteOf("a report: only operators read it")),
  ...fields("POST /api/station/reports", ["/subject/id"], unread),
  ...fields(
    "POST /api/station/write-in",
    ["/content"],
    waitsFor(({ interaction }) => interaction.moderationStatus)
  ),
  ...fields(
    "POST /api/shows/{slug}/write-in",
    ["/content"],
    waitsFor(({ interaction }) => interaction.moderationStatus)
  ),
  ...fields(
    "POST /api/station/chat",
    ["/body"],
    waitsFor(({ message }) => message.moderationStatus)
  ),
  ...fields("POST /api/shows/{slug}/write-in", ["/to"], unread),
  ...fields("POST /api/shows/{slug}/call-in", ["/to"], unread),
  ...[
    "POST /api/station/write-in",
    "POST /api/shows/{slug}/write-in",
    "POST /api/station/chat",
    "POST /api/v1/tracks/{id}/request"
  ]
    .map((one) => fields(one, ["/consent/disclosureVersion"], ofConsent))
    .reduce((all, one) => ({ ...all, ...one })),
  ...fields("POST /api/v1/catalog/topics", ["/title", "/description"], status("topic")),
  ...fields("POST /api/station/engage", ["/subject/type", "/subject/id", "/value", "/clientSentAt"], unread),
  ...[
    "POST /api/v1/catalog/slots/book",
    "POST /api/v1/catalog/slots/{blockId}/book",
    `POST ${plans}`,
    `PATCH ${plans}/{id}`
  ]
    .map((one) => fields(one, ["/title", "/description", "/items[]/title", "/items[]/scriptText"], planWaits))
    .reduce((all, one) => ({ ...all, ...one }))
}

/** Fields that everybody reads at once where there is nothing against them. */
export const shownTexts: ReadonlyArray<string> = [
  ...["/displayName", "/bio", "/links[]/label"].map((field) => `PATCH /api/account/me ${field}`),
  ...["/displayName", "/bio", "/tagline", "/backstory", "/specialties[]", "/ambitions[]"].map(
    (field) => `PATCH ${me}/profile ${field}`
  ),
  `POST ${me}/living /value`,
  "POST /api/v1/social/posts /body",
  "POST /api/v1/agents/{handle}/comments /body",
  "POST /api/station/chat /body",
  "POST /api/v1/catalog/topics /title",
  "POST /api/v1/catalog/topics /description",
  ...["/title", "/topic", "/description"].map((field) => `POST /api/shows/{slug}/sessions ${field}`),
  `POST ${me}/shows/generate /show/title`,
  `POST ${plans}/{id}/save-as-show /title`
]
