import { Effect, Option, Result, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse, Multipart } from "effect/http"
import { Account } from "../../actors/people/protocol/Account.ts"
import { SubmissionDesk } from "../../actors/music/protocol/SubmissionDesk.ts"
import { CallUploads } from "../api/listeners/CallUploads.ts"
import { submissionFields, submissionLimits } from "../api/music/MusicSubmissions.ts"
import { CallUploadsLive } from "../files/CallUploads.ts"
import { submissionDraft } from "../views/SubmissionDraft.ts"
import { Desk } from "../../actors/agents/protocol/Desk.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { humanLinksMax } from "../../engine/rules/people/limits.ts"
import { KeyProvider } from "../../schema/people/Account.ts"
import { AgentId } from "../../schema/Ids.ts"
import { confirmationPage, accountPage, plain, type Said } from "./AccountPageViews.ts"
import { AccountTemplate } from "./AccountShell.ts"
import { accountFields, providerKey } from "../api/people/Account.ts"
import { withSession } from "../api/auth/SessionCookie.ts"
import {
  listOfferedAgents,
  readAccount,
  readAgents,
  readKeys,
  readSessions,
  readSubmissions
} from "../views/AccountViews.ts"
import { formFields } from "./FormFields.ts"
import { makeHumanGate } from "../auth/HumanGate.ts"
import { newKeyPage, replacementPage } from "./KeyPage.ts"
import type { MethodsOf } from "../server/Methods.ts"
import { OwnAddressLive } from "../auth/OwnAddress.ts"
import { send } from "../Send.ts"

export const accountMethods: MethodsOf = (path) =>
  path === "/account/music"
    ? ["POST"]
    : path === "/account" || /^\/account\/agents\/[\w-]+(\/key)?$/.test(path)
      ? ["GET", "POST"]
      : []

const asked = Effect.gen(function* () {
  const { publicUrl, stationName } = yield* StationConfig
  const request = yield* HttpServerRequest.HttpServerRequest
  return {
    publicUrl,
    request,
    shell: { name: stationName, template: yield* AccountTemplate },
    human: yield* Effect.result((yield* makeHumanGate)(request))
  }
})
type Where = Effect.Success<typeof asked>
type Human = {
  readonly id: string
  readonly displayName: string
  readonly sessionId: string
  readonly renewed: string | null
}

/** For signed-in people; others are redirected to the sign-in. */
const requireHuman = <E, R>(
  page: (where: Where, human: Human) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) =>
  Effect.gen(function* () {
    const where = yield* asked
    const { human, publicUrl, request, shell } = where
    if (Result.isFailure(human)) return plain(shell, "Not allowed", human.failure.detail ?? "", 403)
    if (human.success === null)
      return HttpServerResponse.empty({
        status: 303,
        headers: {
          location: `/login?to=${encodeURIComponent(request.url.split("?")[0]!)}`,
          "cache-control": "no-store"
        }
      })
    const answer = yield* Effect.provide(page(where, human.success), OwnAddressLive)
    return human.success.renewed === null || Object.keys(answer.cookies.cookies).length > 0
      ? answer
      : withSession(answer, publicUrl, human.success.renewed)
  })

const renderAccount = Effect.fnUntraced(function* (
  { shell }: Where,
  { id, sessionId }: Human,
  said: Said | null,
  status = 200
) {
  const own = yield* Effect.result(
    Effect.all({
      account: readAccount(id),
      agents: readAgents(id),
      offered: listOfferedAgents(id),
      keys: readKeys(id),
      sessions: readSessions(id, sessionId),
      submissions: readSubmissions(id)
    })
  )
  return Result.isSuccess(own)
    ? accountPage(shell, own.success, said, status)
    : plain(shell, "This account was deleted", "Sign in to create a new one.", 404)
})

const fieldsSent = Effect.gen(function* () {
  const sent = yield* formFields
  return (name: string) => sent(name).replaceAll("\r\n", "\n")
})

class Unusable extends Schema.TaggedError<Unusable>()("Unusable", { detail: Schema.String }) {}

const decode = <A>(schema: Schema.Codec<A, unknown>, value: unknown, wrong: string) =>
  Option.match(Schema.decodeUnknownOption(schema)(value), {
    onNone: () => Effect.fail(new Unusable({ detail: wrong })),
    onSome: (read) => Effect.succeed(read)
  })

const readProfile = Effect.fnUntraced(function* (field: (name: string) => string) {
  const links = Array.from({ length: humanLinksMax }, (_, at) => ({
    label: field(`label${at}`),
    url: field(`url${at}`)
  })).filter(({ label, url }) => label.trim() !== "" || url.trim() !== "")
  return {
    displayName: yield* decode(
      accountFields.displayName,
      field("displayName"),
      "Your name must have 1 to 40 characters."
    ),
    slug: yield* decode(
      accountFields.slug,
      field("slug"),
      "The profile's address must have 3 to 30 characters of a–z, 0–9 and -."
    ),
    bio: yield* decode(
      accountFields.bio,
      field("bio"),
      "The text about you is too long or has characters that can't be shown. Shorten it or remove them."
    ),
    links: yield* decode(accountFields.links, links, "A link needs a name and an address that begins with https://."),
    published: field("published") === "yes"
  }
})

/** The action of each button and its message; `over` ends the session in this browser. */
const actionsOf = (
  client: Effect.Success<typeof Account.client>,
  desks: Effect.Success<typeof Desk.client>,
  submissionDesk: Effect.Success<typeof SubmissionDesk.client>,
  { id, sessionId }: Human,
  field: (name: string) => string
) => {
  const account = client(id as Parameters<typeof client>[0])
  const provider = decode(KeyProvider, field("provider"), "Choose a provider.")
  return {
    describe: Effect.flatMap(readProfile(field), (patch) =>
      Effect.as(send(account.Describe({ patch })), { said: "Saved.", over: false })
    ),
    ask: Effect.map(send(account.AskForAgent({ handle: field("handle").trim() })), ({ handle }) => ({
      said: `A mail was sent to the owner of @${handle}. Open its link in a browser where you are signed in.`,
      over: false
    })),
    agree: Effect.flatMap(decode(AgentId, field("agentId"), "Unknown agent. Nothing was changed."), (agentId) =>
      Effect.as(send(desks(agentId).AgreeOwner({ humanId: id })), {
        said: "The agent is in your account.",
        over: false
      })
    ),
    release: Effect.as(send(account.ReleaseAgent({ agentId: field("agentId") })), {
      said: "The agent is no longer in your account.",
      over: false
    }),
    storeKey: Effect.flatMap(provider, (to) =>
      Effect.flatMap(decode(providerKey, field("key"), "Paste the key."), (key) =>
        Effect.as(send(account.StoreKey({ provider: to, key })), { said: "The key is stored.", over: false })
      )
    ),
    dropKey: Effect.flatMap(provider, (from) =>
      Effect.as(send(account.DropKey({ provider: from })), { said: "The key is deleted.", over: false })
    ),
    withdrawMusic: Effect.as(
      send(
        submissionDesk(id as Parameters<typeof submissionDesk>[0]).Withdraw({ submissionId: field("submissionId") })
      ),
      { said: "The recording is withdrawn.", over: false }
    ),
    endSession: Effect.as(send(account.EndSession({ sessionId: field("sessionId") })), {
      said: "That session is signed out.",
      over: false
    }),
    signOut: Effect.as(send(account.EndSession({ sessionId })), { said: "You are signed out.", over: true }),
    signOutEverywhere: Effect.as(send(account.EndSessions()), {
      said: "You are signed out everywhere.",
      over: true
    }),
    leave: Effect.as(send(account.Leave()), { said: "Your account is deleted.", over: true })
  } as const
}

const statusOf = (tag: string): number =>
  (
    {
      Busy: 503,
      RateLimited: 429,
      PayloadTooLarge: 413,
      DuplicateContentHash: 409,
      Forbidden: 403,
      ContentRejected: 422,
      HandleTaken: 409,
      NotFound: 404,
      AgentNotFound: 404
    } as Readonly<Record<string, number>>
  )[tag] ?? 400

const show = HttpRouter.add(
  "GET",
  "/account",
  requireHuman((where, human) => renderAccount(where, human, null))
)

const change = HttpRouter.add(
  "POST",
  "/account",
  requireHuman(
    Effect.fnUntraced(function* (where: Where, human: Human) {
      const field = yield* fieldsSent
      const all = actionsOf(yield* Account.client, yield* Desk.client, yield* SubmissionDesk.client, human, field)
      const act = field("act") as keyof typeof all
      if (!Object.hasOwn(all, act) || (act === "leave" && field("sure") !== "yes"))
        return yield* renderAccount(where, human, { good: false, text: "Unknown action. Nothing was changed." }, 400)
      const done = yield* Effect.result(
        all[act] as Effect.Effect<
          { readonly said: string; readonly over: boolean },
          { readonly _tag: string; readonly detail?: string | undefined }
        >
      )
      if (Result.isFailure(done))
        return yield* renderAccount(
          where,
          human,
          { good: false, text: done.failure.detail ?? "Nothing was changed." },
          statusOf(done.failure._tag)
        )
      return done.success.over
        ? withSession(
            plain(where.shell, done.success.said, "You can still listen, vote and request songs without an account."),
            where.publicUrl,
            ""
          )
        : yield* renderAccount(where, human, { good: true, text: done.success.said })
    })
  )
)

const sentIn = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const parts = yield* Effect.mapError(
    Effect.provideContext(request.multipart, Multipart.limitsServices(submissionLimits)),
    ({ reason }) =>
      new Unusable({
        detail:
          reason._tag === "FileTooLarge" || reason._tag === "BodyTooLarge"
            ? "The file is too large: an MP3 can have 60 MiB, a WAV 200 MiB."
            : "The form can't be read. Open this page again and send it once more."
      })
  )
  const text = (name: string) => {
    const part = parts[name]
    return typeof part === "string" ? part.replaceAll("\r\n", "\n") : ""
  }
  const { file, note, rightsAttested, rightsDeclaration, syntheticDisclosure, title } = submissionFields
  const draft = yield* submissionDraft({
    title: yield* decode(title, text("title"), "A recording needs a title of at most 140 characters."),
    genre: text("genre"),
    mood: text("mood"),
    note: (yield* decode(note, text("note"), "The note can have at most 500 characters."))!,
    rightsDeclaration: yield* decode(rightsDeclaration, text("rightsDeclaration"), "Say whose the recording is."),
    rightsAttested: Option.getOrElse(Schema.decodeUnknownOption(rightsAttested)(text("rightsAttested")), () => false),
    syntheticDisclosure: (yield* decode(
      syntheticDisclosure,
      text("syntheticDisclosure"),
      "The words about how it was made are too many."
    ))!
  })
  const { path } = yield* decode(file, parts["file"], "Choose an MP3 or a WAV file.")
  return { draft, path }
})

/** A form with a recording, which the page's other forms don't carry. */
const sendMusic = HttpRouter.add(
  "POST",
  "/account/music",
  requireHuman(
    Effect.fnUntraced(function* (where: Where, human: Human) {
      const client = yield* SubmissionDesk.client
      const desk = client(human.id as Parameters<typeof client>[0])
      const files = yield* CallUploads
      const done = yield* Effect.result(
        Effect.flatMap(sentIn, ({ draft, path }) =>
          files.runWithUpload(path, (key) => send(desk.Submit({ draft, key })))
        )
      )
      return Result.isSuccess(done)
        ? yield* renderAccount(where, human, {
            good: true,
            text: `"${done.success.title}" has arrived. Somebody at the station hears it before agents do.`
          })
        : yield* renderAccount(
            where,
            human,
            { good: false, text: done.failure.detail ?? "Nothing was sent." },
            statusOf(done.failure._tag)
          )
    }, Effect.provide(CallUploadsLive))
  )
)

const look = HttpRouter.add(
  "GET",
  "/account/agents/:proof",
  requireHuman(({ shell }, { displayName }) => Effect.succeed(confirmationPage(shell, displayName)))
)

const confirm = HttpRouter.add(
  "POST",
  "/account/agents/:proof",
  requireHuman(
    Effect.fnUntraced(function* (where: Where, human: Human) {
      const client = yield* Account.client
      const done = yield* Effect.result(
        send(
          client(human.id as Parameters<typeof client>[0]).ConfirmAgent({
            proof: (yield* HttpRouter.params)["proof"] ?? ""
          })
        )
      )
      if (Result.isFailure(done))
        return plain(where.shell, "This link can't be used", done.failure.detail ?? "", statusOf(done.failure._tag))
      return yield* renderAccount(where, human, { good: true, text: `@${done.success} is in your account.` })
    })
  )
)

const isAgentId = Schema.is(AgentId)

const askForKey = HttpRouter.add(
  "GET",
  "/account/agents/:agentId/key",
  requireHuman(
    Effect.fnUntraced(function* ({ shell }: Where, { id }: Human) {
      const agentId = (yield* HttpRouter.params)["agentId"]
      const agent = (yield* readAgents(id)).agents.find((own) => own.id === agentId)
      return agent === undefined
        ? plain(shell, "Agent not found", "This agent is not in your account.", 404)
        : replacementPage(shell, `@${agent.handle}`)
    })
  )
)

const replaceKey = HttpRouter.add(
  "POST",
  "/account/agents/:agentId/key",
  requireHuman(
    Effect.fnUntraced(function* ({ shell }: Where, { id }: Human) {
      const agentId = (yield* HttpRouter.params)["agentId"]
      if (!isAgentId(agentId)) return plain(shell, "Agent not found", "This agent is not in your account.", 404)
      const done = yield* Effect.result(send((yield* Desk.client)(agentId).ReplaceKey({ humanId: id })))
      return Result.isSuccess(done)
        ? newKeyPage(shell, done.success.handle, done.success.apiKey)
        : plain(
            shell,
            "This can't be done",
            done.failure.detail ?? "",
            done.failure._tag === "AgentNotActive" ? 403 : statusOf(done.failure._tag)
          )
    })
  )
)

export const AccountRoutes = [show, change, sendMusic, look, confirm, askForKey, replaceKey] as const
