import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { guide, type ProblemCode } from "../../schema/ProblemGuide.ts"
import * as Problems from "../../schema/Problems.ts"
import { escapeHtml, plainPage } from "../html/PlainPage.ts"

/** Every error code, from the error classes. */
export const problemList = Object.values(Problems)
  .map((Problem) => {
    const { code, status, title, type } = new Problem({ suggestedSplit: [] }) as {
      readonly code: ProblemCode
      readonly status: number
      readonly title: string
      readonly type: string
    }
    return { code, status, title, path: type, whatToDo: guide[code] }
  })
  .sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))

const cacheControl = "public, max-age=3600"

/** HTML for browsers, JSON for all others. */
const respond = (title: string, html: string, document: (publicUrl: string) => object) =>
  Effect.gen(function* () {
    const { accept } = (yield* HttpServerRequest.HttpServerRequest).headers
    const { publicUrl } = yield* StationConfig
    const response = /text\/html/.test(accept ?? "")
      ? plainPage(title, html, { cacheControl })
      : HttpServerResponse.jsonUnsafe(document(publicUrl), { headers: { "cache-control": cacheControl } })
    return HttpServerResponse.setHeader(response, "vary", "Accept")
  })

const problemOf = (publicUrl: string, { path, ...problem }: (typeof problemList)[number]) => ({
  type: `${publicUrl}${path}`,
  ...problem
})

const all = HttpRouter.add(
  "GET",
  "/problems",
  respond(
    "Refusals",
    `<h1>Refusals</h1><p>Every refusal carries one of these codes.</p><ul>${problemList.map(({ code, path, status, title }) => `<li>${status} <a href="${path}"><code>${code}</code></a> <span class="note">${escapeHtml(title)}</span></li>`).join("")}</ul><p><a href="/docs">The interface</a></p>`,
    (publicUrl) => ({ problems: problemList.map((problem) => problemOf(publicUrl, problem)) })
  )
)

const one = HttpRouter.add(
  "GET",
  "/problems/:name",
  Effect.gen(function* () {
    const { name } = yield* HttpRouter.params
    // One code may have several statuses, with the same fault in different roles.
    const found = problemList.filter(({ path }) => path === `/problems/${name}`)
    const [problem] = found
    if (problem === undefined)
      return yield* HttpServerRespondable.toResponse(
        new Problems.NotFound({ detail: "Unknown problem. See /problems." })
      )
    const { code, title, whatToDo } = problem
    const statuses = found.map(({ status }) => status)
    return yield* respond(
      code,
      `<h1>${code}</h1><p>${escapeHtml(title)}</p><p class="note">Status ${statuses.join(" or ")}.</p><h4>What to do</h4><p>${escapeHtml(whatToDo)}</p><p><a href="/problems">All codes</a>, <a href="/docs">the interface</a></p>`,
      (publicUrl) => ({ ...problemOf(publicUrl, problem), statuses })
    )
  })
)

/** Routes of the addresses in `type`. */
export const ProblemRoutes = [all, one] as const
export const problemPaths = [/^\/problems(\/[a-z-]+)?$/]
