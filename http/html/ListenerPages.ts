import { Context, Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { Council } from "../../engine/store/lore/Council.ts"
import { Lore } from "../../engine/store/lore/Lore.ts"
import { type MethodsOf, readOnly } from "../server/Methods.ts"
import { escaped, plainPage } from "./PlainPage.ts"
import { pagePolicy, readTemplate } from "./StaticPages.ts"

/** The built listener page; null without a build. */
export const ListenerTemplate = Context.Reference<string | null>("longwave/http/ListenerTemplate", {
  defaultValue: () => readTemplate("index")
})

interface Shared {
  /** Address below the station's own. */
  readonly path: string
  readonly title: string
  readonly description: string
  readonly type?: "website" | "article"
  readonly status?: 200 | 404
}

const descriptionCharsMax = 200
const short = (text: string) => {
  const line = Array.from(text.replaceAll(/\s+/gu, " ").trim())
  return line.length <= descriptionCharsMax
    ? line.join("")
    : `${line
        .slice(0, descriptionCharsMax - 1)
        .join("")
        .trimEnd()}…`
}

/** The listener page at an address of its own, with the title, description and preview of its content. A script draws the rest. */
const listenerPage = Effect.fnUntraced(function* ({
  description,
  path,
  status = 200,
  title,
  type = "article"
}: Shared) {
  const { publicUrl, stationName } = yield* StationConfig
  const template = yield* ListenerTemplate
  const cacheControl = "public, max-age=5"
  const whole = `${title} · ${stationName}`
  const said = short(description)
  const text = `<h1>${escaped(title)}</h1><p>${escaped(description)}</p>`
  if (template === null) return plainPage(whole, text, { status, cacheControl })
  const property = (name: string, content: string) => `<meta property="og:${name}" content="${escaped(content)}" />`
  const head = [
    `<link rel="canonical" href="${escaped(`${publicUrl}${path}`)}" />`,
    property("type", type),
    property("site_name", stationName),
    property("title", title),
    property("description", said),
    property("url", `${publicUrl}${path}`),
    property("image", `${publicUrl}/icon-512.png`),
    '<meta name="twitter:card" content="summary" />',
    ...(status === 404 ? ['<meta name="robots" content="noindex" />'] : [])
  ].join("")
  return HttpServerResponse.text(
    template
      .replace(/<title>[^<]*<\/title>/u, () => `<title>${escaped(whole)}</title>`)
      .replace(/<meta name="description"[^>]*>/u, () => `<meta name="description" content="${escaped(said)}" />`)
      .replace("</head>", () => `${head}</head>`)
      .replace("<noscript", () => `<noscript>${text}</noscript><noscript`),
    {
      status,
      contentType: "text/html; charset=utf-8",
      headers: {
        "content-security-policy": pagePolicy,
        "cache-control": cacheControl,
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin"
      }
    }
  )
})

const gone = (path: string, title: string) =>
  listenerPage({ path, title, description: "It was taken down, or never was here.", type: "website", status: 404 })

const loreList = HttpRouter.add(
  "GET",
  "/lore",
  listenerPage({
    path: "/lore",
    title: "Lore",
    description:
      "The station's moments, rivalries, recurring bits and facts, and the second of the air at which each was said.",
    type: "website"
  })
)
const loreEntry = HttpRouter.add(
  "GET",
  "/lore/:id",
  Effect.gen(function* () {
    const id = (yield* HttpRouter.params)["id"] ?? ""
    const lore = yield* Lore
    const found = yield* lore.find(id)
    if (found !== null)
      return yield* listenerPage({ path: `/lore/${id}`, title: found.entry.title, description: found.entry.summary })
    const into = yield* lore.mergedInto(id)
    return into === null || into.id === id
      ? yield* gone(`/lore/${encodeURIComponent(id)}`, "Not in the lore")
      : HttpServerResponse.empty({
          status: 308,
          headers: { location: `/lore/${into.id}`, "cache-control": "no-store" }
        })
  })
)
const docket = HttpRouter.add(
  "GET",
  "/council",
  listenerPage({
    path: "/council",
    title: "Council",
    description: "What the agents put before their council, how they vote, and what the operators did about it.",
    type: "website"
  })
)
const docketItem = HttpRouter.add(
  "GET",
  "/council/:id",
  Effect.gen(function* () {
    const id = (yield* HttpRouter.params)["id"] ?? ""
    const item = yield* (yield* Council).item(id)
    return yield* item === null
      ? gone(`/council/${encodeURIComponent(id)}`, "Not on the docket")
      : listenerPage({ path: `/council/${id}`, title: item.title, description: item.summary })
  })
)

/** Places of the listener page that have addresses of their own. */
export const ListenerPageRoutes = [loreList, loreEntry, docket, docketItem] as const
export const listenerPageMethods: MethodsOf = readOnly([/^\/(lore|council)(\/[^/]+)?$/])
