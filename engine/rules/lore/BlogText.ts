import MarkdownIt from "markdown-it"
import sanitizeHtml from "sanitize-html"
import { isOwnMedia } from "../social/Post.ts"
import {
  blogFaultsMax,
  blogLinksMax,
  blogNestingMax,
  blogPicturesMax,
  blogTableCellsMax,
  blogTableColumnsMax
} from "./limits.ts"

/** Links lead to the web, to a mailbox, or to a page of this station. */
const isLink = (url: string): boolean => /^(?:https?:\/\/|mailto:|\/(?!\/)|#)/iu.test(url)

/**
 * Reads more than is allowed, so that `blogFaults` can name it. The nesting bound only has to lie above ours: what is nested deeper is left
 * out by the parser.
 */
const reader = new MarkdownIt({ html: true, maxNesting: blogNestingMax * 4 })
reader.validateLink = () => true

const writer = new MarkdownIt({ html: false, maxNesting: blogNestingMax * 4 })
writer.validateLink = isLink
writer.renderer.rules["table_open"] = () => '<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n'
writer.renderer.rules["table_close"] = () => "</table></div>\n"
// The title of the page is its h1.
const headings = ["h2", "h2", "h2", "h3", "h4", "h5", "h6"] as const
for (const rule of ["heading_open", "heading_close"] as const)
  writer.renderer.rules[rule] = (tokens, at, options, _env, self) => {
    const token = tokens[at]!
    token.tag = headings[Number(token.tag.slice(1))]!
    return self.renderToken(tokens, at, options)
  }

const textAlign = /text-align:(left|center|right)/
const alignText = (tagName: string, { style, ...attribs }: sanitizeHtml.Attributes) => {
  const side = textAlign.exec(style ?? "")?.[1]
  return { tagName, attribs: side === undefined ? attribs : { ...attribs, class: `align-${side}` } }
}
/** Lets through what the renderer writes, and nothing else: a fault in either is caught by the other. */
const clean = (html: string, publicUrl: string): string =>
  sanitizeHtml(html, {
    allowedTags:
      "h2 h3 h4 h5 h6 p strong em s a ul ol li blockquote pre code hr br img div table thead tbody tr th td".split(" "),
    allowedAttributes: {
      a: ["href", "title", "rel"],
      img: ["src", "alt", "title", "loading"],
      ol: ["start"],
      div: ["class", "role", "aria-label", "tabindex"],
      th: ["class"],
      td: ["class"]
    },
    allowedClasses: { div: ["table"], th: ["align-*"], td: ["align-*"] },
    allowedSchemes: ["http", "https", "mailto"],
    allowProtocolRelative: false,
    transformTags: {
      a: (tagName, attribs) => ({ tagName, attribs: { ...attribs, rel: "nofollow noopener ugc" } }),
      img: (tagName, attribs) => ({ tagName, attribs: { ...attribs, loading: "lazy" } }),
      th: alignText,
      td: alignText
    },
    exclusiveFilter: ({ attribs, tag }) => tag === "img" && !isOwnMedia(attribs["src"] ?? "", publicUrl)
  })

/** A text as sanitised HTML. Its headings begin at h2; pictures that aren't the station's are left out. */
export const blogHtml = (markdown: string, publicUrl: string): string => clean(writer.render(markdown), publicUrl)

/** Why a text can't be an entry, with the line of each fault; empty if it can. */
export const blogFaults = (markdown: string, publicUrl: string): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const tokens = reader.parse(markdown, {})
  let line = 1
  let [columns, cells, links, pictures, letters] = [0, 0, 0, 0, 0]
  const note = (fault: string) => faults.push(`line ${line}: ${fault}`)
  for (const token of tokens) {
    if (token.map !== null) line = token.map[0] + 1
    if (token.level > blogNestingMax) {
      note(`lists and quotes can be nested ${blogNestingMax} levels deep`)
      break
    }
    if (token.type === "html_block") note("write Markdown instead of HTML")
    if (token.type === "tr_open") columns = 0
    if (token.type === "th_open" || token.type === "td_open") {
      cells++
      if (++columns === blogTableColumnsMax + 1) note(`a table can have ${blogTableColumnsMax} columns`)
    }
    letters += token.type === "fence" || token.type === "code_block" ? token.content.trim().length : 0
    for (const inline of token.children ?? []) {
      if (inline.type === "softbreak" || inline.type === "hardbreak") continue
      if (inline.type === "html_inline") note("write Markdown instead of HTML")
      if (inline.type === "link_open") {
        links++
        if (!isLink(String(inline.attrGet("href") ?? ""))) note("a link begins with https://, http://, mailto: or /")
      }
      if (inline.type === "image") {
        pictures++
        if (!isOwnMedia(String(inline.attrGet("src") ?? ""), publicUrl))
          note("a picture is one of this station: a social image, or an asset of a gallery")
      }
      letters += inline.type === "text" || inline.type === "code_inline" ? inline.content.trim().length : 0
    }
  }
  const whole = [
    [cells, blogTableCellsMax, "cells in tables"],
    [links, blogLinksMax, "links"],
    [pictures, blogPicturesMax, "pictures"]
  ] as const
  return [
    ...faults.slice(0, blogFaultsMax),
    ...whole.flatMap(([n, most, noun]) => (n > most ? [`it has ${n} ${noun}; it can have ${most}`] : [])),
    ...(letters + pictures === 0 && faults.length === 0 ? ["it shows no text"] : [])
  ]
}
