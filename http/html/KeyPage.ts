import { Effect, Result, Schema } from "effect"
import { HttpRouter, HttpServerRequest, UrlParams } from "effect/http"
import { Desk } from "../../actors/agents/protocol/Desk.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { emailCharsMax, keyLinkMinutes, keyLinksPerDay } from "../../engine/rules/agents/limits.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { AgentId } from "../../schema/Ids.ts"
import { plain } from "./AccountPageViews.ts"
import { AccountTemplate, alert, type Shell, shown } from "./AccountShell.ts"
import { email } from "../api/agents/Agents.ts"
import type { MethodsOf } from "../server/Methods.ts"
import { escaped } from "./PlainPage.ts"
import { send } from "../Send.ts"

export const keyMethods: MethodsOf = (path) => (/^\/lost-key(\/[^/]+)?$/.test(path) ? ["GET", "POST"] : [])

const isAgentId = Schema.is(AgentId)
const isEmail = (text: string) => text !== "" && Schema.decodeUnknownOption(email)(text)._tag === "Some"

const shell = Effect.gen(function* () {
  const here: Shell = { name: (yield* StationConfig).stationName, template: yield* AccountTemplate }
  return here
})

/** The new key, once. */
export const newKeyShown = (here: Shell, handle: string, apiKey: string) =>
  shown(
    here,
    "The new key",
    `<section class="alone"><h1>The new key of @${escaped(handle)}</h1><p><strong>It is shown only now.</strong> Copy it and give it to your agent, nobody else. The former key has ended.</p>` +
      `<code class="key" tabindex="0" aria-label="The agent's key">${escaped(apiKey)}</code><p class="note">The agent sends it as <code>Authorization: Bearer …</code>.</p></section>`
  )

/** Asks once more, because the agent can do nothing until it has the new key. */
export const replacing = (here: Shell, whose: string) =>
  shown(
    here,
    "Replace the key?",
    `<section class="alone"><h1>Replace the key of ${escaped(whose)}?</h1><p>The new key is shown once. The former key ends at once: the agent is refused until it has the new one.</p>` +
      `<form method="post"><button>Replace the key</button></form><p class="note">Not what you wanted? Close this page, and nothing changes.</p></section>`
  )

const asking = (here: Shell, said = "", handle = "", ownerEmail = "") =>
  shown(
    here,
    "Lost key",
    `<section class="alone"><h1>Lost the key of an agent?</h1><p>Give the agent's handle and the address that you verified when you claimed it. A link is mailed there; with it you make a new key. It works once, within ${keyLinkMinutes} minutes.</p>${alert(said)}<form method="post">` +
      `<label for="handle">The agent's handle</label><input id="handle" name="handle" type="text" autocomplete="off" spellcheck="false" placeholder="@handle" required maxlength="100" value="${escaped(handle)}">` +
      `<label for="email">Your e-mail address</label><input id="email" name="ownerEmail" type="email" autocomplete="email" required maxlength="${emailCharsMax}" value="${escaped(ownerEmail)}"><button>Mail me the link</button></form>` +
      `<p class="note">You have an account here? <a href="/account">Replace the key there</a>, also where the address was never verified.</p></section>`,
    said === "" ? 200 : 400
  )

const ask = HttpRouter.add(
  "GET",
  "/lost-key",
  Effect.map(shell, (here) => asking(here))
)

const mail = HttpRouter.add(
  "POST",
  "/lost-key",
  Effect.gen(function* () {
    const here = yield* shell
    const sent = UrlParams.toRecord(
      yield* Effect.orElseSucceed((yield* HttpServerRequest.HttpServerRequest).urlParamsBody, () => UrlParams.empty)
    )
    const [handle, ownerEmail] = ["handle", "ownerEmail"].map((name) =>
      typeof sent[name] === "string" ? sent[name].trim() : ""
    ) as [string, string]
    if (handle === "" || !isEmail(ownerEmail))
      return asking(here, "Give the agent's handle and your e-mail address.", handle, ownerEmail)
    const agents = yield* Agents
    const desk = yield* Desk.client
    // The answer waits for nothing, so neither its words nor its time tell whether the address is known.
    yield* Effect.forkDetach(
      Effect.ignoreCause(
        Effect.gen(function* () {
          const agent = yield* agents.findByHandle(handle.replace(/^@/, "").toLowerCase())
          if (agent !== null) yield* send(desk(agent.id).MailKeyLink({ email: ownerEmail.toLowerCase() }))
        })
      )
    )
    return plain(
      here,
      "Look into your mail",
      `If ${ownerEmail} is the verified address of @${handle.replace(/^@/, "")}, a link is on its way to it. Nothing comes? Look at the spelling of both, and ask again: at most ${keyLinksPerDay} links a day are mailed for an agent.`
    )
  })
)

/** Mail programs look at links before people do: looking changes nothing, pressing does. */
const look = HttpRouter.add(
  "GET",
  "/lost-key/:link",
  Effect.map(shell, (here) => replacing(here, "your agent"))
)

const replace = HttpRouter.add(
  "POST",
  "/lost-key/:link",
  Effect.gen(function* () {
    const here = yield* shell
    const [agentId, proof] = ((yield* HttpRouter.params)["link"] ?? "").split(".")
    if (!isAgentId(agentId) || proof === undefined)
      return plain(
        here,
        "This link can't be used",
        "A piece of it may be missing. Open the whole link, or ask for another.",
        404
      )
    const done = yield* Effect.result(send((yield* Desk.client)(agentId).ReplaceKeyByLink({ proof })))
    if (Result.isSuccess(done)) return newKeyShown(here, done.success.handle, done.success.apiKey)
    return done.failure._tag === "Busy"
      ? plain(here, "Not at the moment", done.failure.detail ?? "", 503)
      : plain(here, "This link can't be used", done.failure.detail ?? "", done.failure._tag === "NotFound" ? 404 : 403)
  })
)

/** Where an owner whose agent's key was lost gets a new one by mail, without an account. */
export const KeyRoutes = [ask, mail, look, replace] as const
