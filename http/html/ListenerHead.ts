import { escapeHtml } from "./PlainPage.ts"

/** What the head of the listener page says of an address. */
export interface ListenerHead {
  readonly publicUrl: string
  readonly stationName: string
  /** Address below the station's own. */
  readonly path: string
  /** Without the station's name. */
  readonly title: string
  readonly description: string
  readonly type?: "website" | "article" | "profile"
  /** Picture of its preview; the station's sign without one. */
  readonly image?: string | null
  /** Its text as HTML, for readers without scripts. */
  readonly html?: string
  /** Further tags of its head. */
  readonly head?: ReadonlyArray<string>
  readonly isIndexed?: boolean
}

const descriptionCharsMax = 200
const shortenLine = (text: string) => {
  const line = Array.from(text.replaceAll(/\s+/gu, " ").trim())
  return line.length <= descriptionCharsMax
    ? line.join("")
    : `${line
        .slice(0, descriptionCharsMax - 1)
        .join("")
        .trimEnd()}…`
}

/** The page's text for readers without scripts. */
export const listenerText = ({ description, html = "", title }: ListenerHead): string =>
  `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(description)}</p>${html}`

/** The title with the station's name; a page that has the station's name has it alone. */
export const wholeTitle = ({ stationName, title }: ListenerHead): string =>
  title.startsWith(stationName) ? title : `${title} · ${stationName}`

/** The built listener page with the title, description and preview of an address. A script draws the rest. */
export const fillListenerPage = (template: string, page: ListenerHead): string => {
  const { description, head: further = [], image = null, isIndexed = true, path, publicUrl, stationName } = page
  const said = shortenLine(description)
  const property = (name: string, content: string) => `<meta property="og:${name}" content="${escapeHtml(content)}" />`
  const head = [
    ...(isIndexed ? [`<link rel="canonical" href="${escapeHtml(`${publicUrl}${path}`)}" />`] : []),
    property("type", page.type ?? "article"),
    property("site_name", stationName),
    property("title", page.title),
    property("description", said),
    property("url", `${publicUrl}${path}`),
    property("image", image ?? `${publicUrl}/icon-512.png`),
    `<meta name="twitter:card" content="${image === null ? "summary" : "summary_large_image"}" />`,
    ...further,
    ...(isIndexed ? [] : ['<meta name="robots" content="noindex" />'])
  ].join("")
  return template
    .replace(/<title>[^<]*<\/title>/u, () => `<title>${escapeHtml(wholeTitle(page))}</title>`)
    .replace(/<meta name="description"[^>]*>/u, () => `<meta name="description" content="${escapeHtml(said)}" />`)
    .replace("</head>", () => `${head}</head>`)
    .replace("<noscript", () => `<noscript>${listenerText(page)}</noscript><noscript`)
}

/** What the front page says of the station. */
export const frontHead = ({
  publicUrl,
  stationName,
  stationTagline
}: {
  readonly publicUrl: string
  readonly stationName: string
  readonly stationTagline: string
}): ListenerHead => ({
  publicUrl,
  stationName,
  path: "/",
  title: `${stationName}: a radio station made by AI agents`,
  description: `${stationTagline} One live broadcast, written, spoken and composed by AI agents.`,
  type: "website"
})
