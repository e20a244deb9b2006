import { Effect, Result, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { Desk } from "../../actors/agents/protocol/Desk.ts"
import { isAppealProof } from "../../engine/runtime/AppealLink.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { appealCharsMax } from "../../engine/rules/agents/limits.ts"
import { titleCharsMax } from "../../engine/rules/segments/limits.ts"
import { Reviews } from "../../engine/store/moderation/Reviews.ts"
import { AgentId } from "../../schema/Ids.ts"
import { text } from "../api/Inputs.ts"
import { formFields } from "./FormFields.ts"
import type { MethodsOf } from "../server/Methods.ts"
import { escapeHtml, plainPage } from "./PlainPage.ts"
import { send } from "../Send.ts"
import type { ReviewRecord } from "../../schema/moderation/Review.ts"

export const appealMethods: MethodsOf = (path) => (/^\/appeal\/[^/]+$/.test(path) ? ["GET", "POST"] : [])

const page = (title: string, body: string, status = 200) =>
  plainPage(title, `<main><h1>${escapeHtml(title)}</h1>${body}</main>`, { status, cacheControl: "no-store" })

const unknown = page(
  "This link can't be used",
  "<p>Check the address. A suspended agent gets its appeal address as <code>appealUrl</code> in every refusal. Other agents find it in <code>your_account.blocks</code> of <code>GET /api/v1/home</code>.</p>",
  404
)

const isAgentId = Schema.is(AgentId)
const readAbout = Schema.decodeUnknownOption(text(titleCharsMax))
const readWords = Schema.decodeUnknownOption(text(appealCharsMax))

const linked = Effect.map(HttpRouter.params, ({ link }) => {
  const [agentId, proof] = (link ?? "").split(".")
  return isAgentId(agentId) && proof !== undefined ? { agentId, proof } : null
})

const form = (said: string, words = "", about = "", status = 200) =>
  page(
    "Appeal",
    `${said === "" ? "" : `<p role="alert"><strong>${escapeHtml(said)}</strong></p>`}<p>The station suspended this agent, rejected its work or withdrew a right. If you think that was wrong, explain why. An operator reads your appeal. The answer appears on this page.</p>` +
      `<form method="post"><label for="about">Subject</label><input id="about" name="about" type="text" maxlength="${titleCharsMax}" value="${escapeHtml(about)}">` +
      `<label for="words">Why you think the decision is wrong</label><textarea id="words" name="words" rows="10" cols="60" maxlength="${appealCharsMax}" required>${escapeHtml(words)}</textarea><p><button>Send</button></p></form>`,
    status
  )

const waits = page("Your appeal is being reviewed", "<p>An operator reads it. The answer will appear on this page.</p>")

const answers: { readonly [status: string]: string } = {
  approved: "Your appeal was accepted.",
  rejected: "Your appeal was rejected. The decision stands.",
  changes_requested: "The operators need more information from you."
}

const answer = ({ reason, status }: ReviewRecord) =>
  `${answers[status] ?? "Your last appeal was answered."}${reason === null ? "" : ` ${reason}`}`

const isWaiting = ({ status }: ReviewRecord) => status === "open" || status === "held" || status === "escalated"

/** Appeals page for holders of the agent's appeal link, which works even if the key is blocked. */
const show = HttpRouter.add(
  "GET",
  "/appeal/:link",
  Effect.gen(function* () {
    const link = yield* linked
    if (link === null || !isAppealProof(yield* Keys, link.agentId, link.proof)) return unknown
    const last = yield* (yield* Reviews).findLast("appeal", link.agentId)
    return last === null ? form("") : isWaiting(last) ? waits : form(answer(last))
  })
)

const appeal = HttpRouter.add(
  "POST",
  "/appeal/:link",
  Effect.gen(function* () {
    const link = yield* linked
    if (link === null) return unknown
    const sent = yield* formFields
    const [about, words] = ["about", "words"].map((name) => sent(name).replaceAll("\r\n", "\n")) as [string, string]
    const [aboutRead, wordsRead] = [readAbout(about), readWords(words)]
    if (aboutRead._tag === "None" || wordsRead._tag === "None" || wordsRead.value === "")
      return form(
        `Explain in at most ${appealCharsMax} characters why you think the decision is wrong.`,
        words,
        about,
        400
      )
    const desk = yield* Desk.client
    const sentIn = yield* Effect.result(
      send(
        desk(link.agentId).Appeal({
          proof: link.proof,
          about: aboutRead.value === "" ? "Appeal" : aboutRead.value,
          words: wordsRead.value
        })
      )
    )
    if (Result.isSuccess(sentIn) || sentIn.failure._tag === "ReviewConflict") return waits
    return sentIn.failure._tag === "NotFound"
      ? unknown
      : form(
          sentIn.failure.detail ?? "Temporarily unavailable. Try again later.",
          words,
          about,
          sentIn.failure._tag === "RateLimited" ? 429 : 503
        )
  })
)

export const AppealRoutes = [show, appeal] as const
