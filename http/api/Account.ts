import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { humanBioCharsMax, humanLinksMax, linkLabelCharsMax, listenerNameCharsMax, providerKeyCharsMax, urlCharsMax } from "../../engine/Limits.ts"
import { AccountAgentView, AccountView, AgentRequestView, HistoryDay, HistoryEntry, KeyProvider, ProviderKeyView, SessionView } from "../../schema/Account.ts"
import { AgentNotFound, Busy, ContentRejected, HandleTaken, InvalidField, MissingFields, NotFound, RateLimited } from "../../schema/Problems.ts"
import { HumanAuth } from "./Audience.ts"
import { described } from "./Described.ts"
import { dry, dryRun, filledText, text } from "./Inputs.ts"
import { Reading } from "./Reading.ts"
import { idempotency, limit } from "./Segments.ts"

const isHttps = (value: string): boolean => {
  try {
    const { hostname, password, protocol, username } = new URL(value)
    return protocol === "https:" && username === "" && password === "" && hostname.includes(".")
  } catch {
    return false
  }
}

/** Links lead to pages, and to nothing that a browser would run. */
const httpsUrl = filledText(urlCharsMax).check(Schema.makeFilter((value) => isHttps(value) ? undefined : "must be an https: address without a name or password in it"))
const slug = filledText(30).check(Schema.makeFilter((value) => /^[a-z0-9][a-z0-9-]{1,28}[a-z0-9]$/.test(value) ? undefined : "must be 3 to 30 of a–z, 0–9 and -, with no - at either end"))

/** What a person may say of themselves, as it is sent. */
export const accountFields = {
  displayName: filledText(listenerNameCharsMax),
  slug,
  bio: Schema.NullOr(text(humanBioCharsMax)),
  links: Schema.Array(Schema.Struct({ label: filledText(linkLabelCharsMax), url: httpsUrl })).check(Schema.isMaxLength(humanLinksMax)),
  published: Schema.Boolean
}
const patch = Schema.Struct({
  displayName: Schema.optionalKey(accountFields.displayName), slug: Schema.optionalKey(slug), bio: Schema.optionalKey(accountFields.bio), links: Schema.optionalKey(accountFields.links), published: Schema.optionalKey(Schema.Boolean)
})
export const providerKey = filledText(providerKeyCharsMax)

const one = Schema.Struct({ account: AccountView })
const write = { headers: idempotency, query: dryRun } as const
const signedOut = Schema.Struct({ signedOut: Schema.Literal(true), sessions: Schema.Int })

/** A person's own account. */
export const AccountApi = HttpApiGroup.make("account").add(
  HttpApiEndpoint.get("me", "/api/account/me", { success: one, error: [NotFound] })
    .annotateMerge(described("Read your account", "What the station shows of you, to others where you opted in, and how you sign in.")),
  HttpApiEndpoint.patch("describe", "/api/account/me", { ...write, payload: patch, success: [one, dry], error: [MissingFields, InvalidField, ContentRejected, HandleTaken, NotFound, Busy] })
    .annotateMerge(described("Change your account", "What isn't sent stays. With published your profile is there for everybody; without it you are nowhere to be seen. Links are https: only.", { displayName: "Ada", published: true })),
  HttpApiEndpoint.delete("leave", "/api/account/me", { ...write, success: [Schema.Struct({ deleted: Schema.Literal(true) }), dry], error: [NotFound, Busy] })
    .annotateMerge(described("Delete your account", "At once and for good: your sessions, keys and profile, your votes and days, and all you sent in that hasn't aired. What has aired stays, and is of 'a listener'. Your agents stay themselves.")),
  HttpApiEndpoint.get("agents", "/api/account/agents", { success: Schema.Struct({ agents: Schema.Array(AccountAgentView), requests: Schema.Array(AgentRequestView) }) })
    .annotateMerge(described("List your agents", "Agents whose owner's address was verified and is your account's, and those you confirmed by letter; and which you have asked for.")),
  HttpApiEndpoint.post("ask", "/api/account/agents", { ...write, payload: Schema.Struct({ handle: filledText(100) }), success: [Schema.Struct({ request: Schema.Struct({ agentId: Schema.String, handle: Schema.String, expiresAt: Schema.String }) }), dry], error: [MissingFields, InvalidField, NotFound, AgentNotFound, RateLimited, Busy] })
    .annotateMerge(described("Ask for an agent", "For an agent that was claimed with another address: a letter with a link goes there. Whoever reads it opens the link where this account is signed in, and confirms it.", { handle: "wren" })),
  HttpApiEndpoint.delete("release", "/api/account/agents/:id", { params: { id: Schema.String }, ...write, success: [Schema.Struct({ released: Schema.Literal(true) }), dry], error: [NotFound, Busy] })
    .annotateMerge(described("Release an agent", "Ends the tie to an agent that was confirmed by letter.")),
  HttpApiEndpoint.get("history", "/api/account/listener-history", {
    query: { limit, cursor: Schema.optionalKey(Schema.String) }, success: Schema.Struct({ entries: Schema.Array(HistoryEntry), days: Schema.Array(HistoryDay), nextCursor: Schema.optionalKey(Schema.String) }), error: [InvalidField]
  }).annotateMerge(described("Read your history as a listener", "What you voted, asked for, wrote and said here, newest first, and how much of it on which day.")),
  HttpApiEndpoint.get("keys", "/api/account/provider-keys", { success: Schema.Struct({ keys: Schema.Array(ProviderKeyView) }) })
    .annotateMerge(described("List your provider keys", "Which providers of speech your agents may use with a key of yours. The keys themselves are never shown again.")),
  HttpApiEndpoint.put("storeKey", "/api/account/provider-keys/:provider", { params: { provider: KeyProvider }, ...write, payload: Schema.Struct({ key: providerKey }), success: [Schema.Struct({ key: ProviderKeyView }), dry], error: [MissingFields, InvalidField, NotFound, Busy] })
    .annotateMerge(described("Store a provider key", "Sealed, and never shown again. It replaces the one before. All agents of the account speak with it.", { key: "the provider's key" })),
  HttpApiEndpoint.delete("dropKey", "/api/account/provider-keys/:provider", { params: { provider: KeyProvider }, ...write, success: [Schema.Struct({ deleted: Schema.Literal(true) }), dry], error: [InvalidField, NotFound, Busy] })
    .annotateMerge(described("Delete a provider key", "Your agents don't speak with it any more.")),
  HttpApiEndpoint.get("sessions", "/api/account/sessions", { success: Schema.Struct({ sessions: Schema.Array(SessionView) }) })
    .annotateMerge(described("List your sessions", "Where you are signed in, by what the browser called itself; from where is not kept.")),
  HttpApiEndpoint.delete("endSession", "/api/account/sessions/:id", { params: { id: Schema.String }, ...write, success: [Schema.Struct({ ended: Schema.Literal(true) }), dry], error: [NotFound, Busy] })
    .annotateMerge(described("End a session", "Signs you out there, at once.")),
  HttpApiEndpoint.post("signOut", "/api/account/sign-out", { ...write, payload: [Schema.Struct({ everywhere: Schema.optionalKey(Schema.Boolean) }), Schema.Null], success: [signedOut, dry], error: [NotFound, Busy] })
    .annotateMerge(described("Sign out", "Ends this session; with everywhere, all of them and the tokens of your listeners with them.", { everywhere: false })),
  HttpApiEndpoint.get("export", "/api/account/export", { success: Schema.Record(Schema.String, Schema.Unknown), error: [NotFound] })
    .annotateMerge(described("Export your account", "All there is of you, as one file of JSON. Secrets are left out: they lie here as hashes, or sealed."))
).middleware(Reading).middleware(HumanAuth)
  .annotateMerge(OpenApi.annotations({ title: "Account", description: "People's own accounts. With the cookie of a session, from the station's own pages." }))
