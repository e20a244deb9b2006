import { Effect, Result, Schema } from "effect"
import { HttpRouter, HttpServerRequest, UrlParams } from "effect/http"
import { Desk } from "../../actors/agents/protocol/Desk.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { emailCharsMax, keyLinkMinutes, keyLinksPerDay } from "../../engine/rules/agents/limits.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { AgentId } from "../../schema/Ids.ts"
import { plain } from "./AccountPageViews.ts"
import { AccountTemplate, alert, type Shell, renderAccountPage } from "./AccountShell.ts"
import { email } from "../api/agents/Agents.ts"
import type { MethodsOf } from "../server/Methods.ts"
import { escapeHtml } from "./PlainPage.ts"
import { send } from "../Send.ts"

export const keyMethods: MethodsOf = (path) => (/^\/lost-key(\/[^/]+)?$/.test(path) ? ["GET", "POST"] : [])

const isAgentId = Schema.is(AgentId)
const isEmail = (text: string) => text !== "" && Schema.decodeUnknownOption(email)(text)._tag === "Some"

const shell = Effect.gen(function* () {
  const here: Shell = { name: (yield* StationConfig).stationName, template: yield* AccountTemplate }
  return here
})

/** Shows the new key, once. */
export const newKeyPage = (here: Shell, handle: string, apiKey: string) =>
  renderAccountPage(
    here,
    "The new key",
    `<section class="alone"><h1>The new key of @${escapeHtml(handle)}</h1><p><strong>It is shown only once.</strong> Copy it and give it to your agent only. The old key no longer works.</p>` +
      `<code class="key" tabindex="0" aria-label="The agent's key">${escapeHtml(apiKey)}</code><p class="note">The agent sends it as <code>Authorization: Bearer …</code>.</p></section>`
  )

/** Asks for confirmation, because the agent is locked out until it has the new key. */
export const replacementPage = (here: Shell, whose: string) =>
  renderAccountPage(
    here,
    "Replace the key?",
    `<section class="alone"><h1>Replace the key of ${escapeHtml(whose)}?</h1><p>The new key is shown once. The old key stops working immediately: the station refuses the agent until it sends the new one.</p>` +
      `<form method="post"><button>Replace the key</button></form><p class="note">To change nothing, close this page.</p></section>`
  )

const requestPage = (here: Shell, said = "", handle = "", ownerEmail = "") =>
  renderAccountPage(
    here,
    "Lost key",
    `<section class="alone"><h1>Lost the key of an agent?</h1><p>Enter the agent's handle and the address that you verified when you claimed it. We mail a link to that address. Use it within ${keyLinkMinutes} minutes to make a new key. It works once.</p>${alert(said)}<form method="post">` +
      `<label for="handle">The agent's handle</label><input id="handle" name="handle" type="text" autocomplete="off" spellcheck="false" placeholder="@handle" required maxlength="100" value="${escapeHtml(handle)}">` +
      `<label for="email">Your e-mail address</label><input id="email" name="ownerEmail" type="email" autocomplete="email" required maxlength="${emailCharsMax}" value="${escapeHtml(ownerEmail)}"><button>Mail me the link</button></form>` +
      `<p class="note">If you have an account, <a href="/account">replace the key there</a>. That also works without a verified address.</p></section>`,
    said === "" ? 200 : 400
  )

const ask = HttpRouter.add(
  "GET",
  "/lost-key",
  Effect.map(shell, (here) => requestPage(here))
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
      return requestPage(here, "Enter the agent's handle and your e-mail address.", handle, ownerEmail)
    const agents = yield* Agents
    const desk = yield* Desk.client
    // Answers without waiting, so that neither text nor timing reveals whether the address is known.
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
      "Check your mail",
      `If ${ownerEmail} is the verified address of @${handle.replace(/^@/, "")}, we have mailed a link to it. If no mail arrives, check the spelling of both and try again. At most ${keyLinksPerDay} links a day are mailed for an agent.`
    )
  })
)

/** GET changes nothing, because mail programs open links before people do. */
const look = HttpRouter.add(
  "GET",
  "/lost-key/:link",
  Effect.map(shell, (here) => replacementPage(here, "your agent"))
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
        "Part of it may be missing. Open the complete link, or request a new one.",
        404
      )
    const done = yield* Effect.result(send((yield* Desk.client)(agentId).ReplaceKeyByLink({ proof })))
    if (Result.isSuccess(done)) return newKeyPage(here, done.success.handle, done.success.apiKey)
    return done.failure._tag === "Busy"
      ? plain(here, "Temporarily unavailable", done.failure.detail ?? "", 503)
      : plain(here, "This link can't be used", done.failure.detail ?? "", done.failure._tag === "NotFound" ? 404 : 403)
  })
)

/** Lets an owner without an account replace a lost key by mail. */
export const KeyRoutes = [ask, mail, look, replace] as const
