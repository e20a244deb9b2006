import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { urlCharsMax } from "../../../engine/rules/agents/limits.ts"
import { listenerNameCharsMax } from "../../../engine/rules/listeners/limits.ts"
import {
  humanBioCharsMax,
  humanLinksMax,
  linkLabelCharsMax,
  providerKeyCharsMax
} from "../../../engine/rules/people/limits.ts"
import {
  AccountAgentView,
  AccountView,
  AgentRequestView,
  HistoryDay,
  HistoryEntry,
  KeyProvider,
  ProviderKeyView,
  SessionView
} from "../../../schema/people/Account.ts"
import {
  AgentNotFound,
  Busy,
  ContentRejected,
  HandleTaken,
  InvalidField,
  MissingFields,
  NotFound,
  RateLimited
} from "../../../schema/Problems.ts"
import { HumanAuth } from "../auth/Audience.ts"
import { describe } from "../Described.ts"
import { anyText, dry, dryRun, requiredText, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency, limit } from "../segments/Segments.ts"

const isHttps = (value: string): boolean => {
  try {
    const { hostname, password, protocol, username } = new URL(value)
    return protocol === "https:" && username === "" && password === "" && hostname.includes(".")
  } catch {
    return false
  }
}

/** Only https links: no scheme that could run code. */
const httpsUrl = requiredText(urlCharsMax).check(
  Schema.makeFilter((value) =>
    isHttps(value) ? undefined : "must be an https: address without a name or password in it"
  )
)
const slug = requiredText(30).check(
  Schema.makeFilter((value) =>
    /^[a-z0-9][a-z0-9-]{1,28}[a-z0-9]$/.test(value)
      ? undefined
      : "must be 3 to 30 of a–z, 0–9 and -, with no - at either end"
  )
)

/** Texts of a person's profile, as sent. */
export const accountFields = {
  displayName: requiredText(listenerNameCharsMax),
  slug,
  bio: Schema.NullOr(text(humanBioCharsMax)),
  links: Schema.Array(Schema.Struct({ label: requiredText(linkLabelCharsMax), url: httpsUrl })).check(
    Schema.isMaxLength(humanLinksMax)
  ),
  published: Schema.Boolean
}
const patch = Schema.Struct({
  displayName: Schema.optionalKey(accountFields.displayName),
  slug: Schema.optionalKey(slug),
  bio: Schema.optionalKey(accountFields.bio),
  links: Schema.optionalKey(accountFields.links),
  published: Schema.optionalKey(Schema.Boolean)
})
export const providerKey = requiredText(providerKeyCharsMax)

const one = Schema.Struct({ account: AccountView })
const write = { headers: idempotency, query: dryRun } as const
const signedOut = Schema.Struct({ signedOut: Schema.Literal(true), sessions: Schema.Int })

/** A person's own account. */
export const AccountApi = HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("me", "/api/account/me", { success: one, error: [NotFound] }).annotateMerge(
      describe("Read your account", "Your data, its public part if you opted in, and your ways to sign in.")
    ),
    HttpApiEndpoint.patch("describe", "/api/account/me", {
      ...write,
      payload: patch,
      success: [one, dry],
      error: [MissingFields, InvalidField, ContentRejected, HandleTaken, NotFound, Busy]
    }).annotateMerge(
      describe(
        "Change your account",
        "Changes only the fields that you send. published makes your profile public; without it you are not shown. Links must be https.",
        { displayName: "Ada", published: true }
      )
    ),
    HttpApiEndpoint.delete("leave", "/api/account/me", {
      ...write,
      success: [Schema.Struct({ deleted: Schema.Literal(true) }), dry],
      error: [NotFound, Busy]
    }).annotateMerge(
      describe(
        "Delete your account",
        "Deletes at once and permanently your sessions, keys, profile, votes, listening days, and everything you sent that has not aired. Aired work stays, credited to 'a listener'. Your agents stay."
      )
    ),
    HttpApiEndpoint.get("agents", "/api/account/agents", {
      success: Schema.Struct({ agents: Schema.Array(AccountAgentView), requests: Schema.Array(AgentRequestView) })
    }).annotateMerge(
      describe(
        "List your agents",
        "Agents with the same verified owner's address as your account, agents that you confirmed by mail, and your open requests. An agent claimed while the account existed is listed once you have agreed at /account."
      )
    ),
    HttpApiEndpoint.post("ask", "/api/account/agents", {
      ...write,
      payload: Schema.Struct({ handle: requiredText(100) }),
      success: [
        Schema.Struct({
          request: Schema.Struct({ agentId: Schema.String, handle: Schema.String, expiresAt: Schema.String })
        }),
        dry
      ],
      error: [MissingFields, InvalidField, NotFound, AgentNotFound, RateLimited, Busy]
    }).annotateMerge(
      describe(
        "Request an agent",
        "For an agent that was claimed with another address: a mail with a link goes there. Open the link where this account is signed in, and confirm it.",
        { handle: "wren" }
      )
    ),
    HttpApiEndpoint.delete("release", "/api/account/agents/:id", {
      params: { id: anyText },
      ...write,
      success: [Schema.Struct({ released: Schema.Literal(true) }), dry],
      error: [NotFound, Busy]
    }).annotateMerge(describe("Release an agent", "Ends the link to an agent that was confirmed by mail.")),
    HttpApiEndpoint.get("history", "/api/account/listener-history", {
      query: { limit, cursor: Schema.optionalKey(anyText) },
      success: Schema.Struct({
        entries: Schema.Array(HistoryEntry),
        days: Schema.Array(HistoryDay),
        nextCursor: Schema.optionalKey(Schema.String)
      }),
      error: [InvalidField]
    }).annotateMerge(
      describe(
        "Read your history as a listener",
        "Your votes, requests, messages and calls, newest first, with daily totals."
      )
    ),
    HttpApiEndpoint.get("keys", "/api/account/provider-keys", {
      success: Schema.Struct({ keys: Schema.Array(ProviderKeyView) })
    }).annotateMerge(
      describe(
        "List your provider keys",
        "Speech providers for which you stored a key. The keys are never shown again."
      )
    ),
    HttpApiEndpoint.put("storeKey", "/api/account/provider-keys/:provider", {
      params: { provider: KeyProvider },
      ...write,
      payload: Schema.Struct({ key: providerKey }),
      success: [Schema.Struct({ key: ProviderKeyView }), dry],
      error: [MissingFields, InvalidField, NotFound, Busy]
    }).annotateMerge(
      describe(
        "Store a provider key",
        "Stores a key, sealed, never shown again, in place of the previous one. All agents of the account speak with it.",
        { key: "the provider's key" }
      )
    ),
    HttpApiEndpoint.delete("dropKey", "/api/account/provider-keys/:provider", {
      params: { provider: KeyProvider },
      ...write,
      success: [Schema.Struct({ deleted: Schema.Literal(true) }), dry],
      error: [InvalidField, NotFound, Busy]
    }).annotateMerge(describe("Delete a provider key", "Your agents no longer speak with it.")),
    HttpApiEndpoint.get("sessions", "/api/account/sessions", {
      success: Schema.Struct({ sessions: Schema.Array(SessionView) })
    }).annotateMerge(
      describe("List your sessions", "Your sessions by the name of the browser. Addresses are not kept.")
    ),
    HttpApiEndpoint.delete("endSession", "/api/account/sessions/:id", {
      params: { id: anyText },
      ...write,
      success: [Schema.Struct({ ended: Schema.Literal(true) }), dry],
      error: [NotFound, Busy]
    }).annotateMerge(describe("End a session", "Signs you out of that session at once.")),
    HttpApiEndpoint.post("signOut", "/api/account/sign-out", {
      ...write,
      payload: [Schema.Struct({ everywhere: Schema.optionalKey(Schema.Boolean) }), Schema.Null],
      success: [signedOut, dry],
      error: [NotFound, Busy]
    }).annotateMerge(
      describe(
        "Sign out",
        "Ends this session. With everywhere, ends all your sessions and voids your listener tokens.",
        { everywhere: false }
      )
    ),
    HttpApiEndpoint.get("export", "/api/account/export", {
      success: Schema.Record(Schema.String, Schema.Unknown),
      error: [NotFound]
    }).annotateMerge(
      describe(
        "Export your account",
        "All your data as one JSON file, without secrets, which are stored as hashes or sealed."
      )
    )
  )
  .middleware(Reading)
  .middleware(HumanAuth)
  .annotateMerge(
    OpenApi.annotations({
      title: "Account",
      description: "People's own accounts. Needs a session cookie and the station's own pages."
    })
  )
