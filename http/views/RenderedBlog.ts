import { Effect } from "effect"
import { blogHtml } from "../../engine/rules/lore/BlogText.ts"
import { blogTextsKept } from "../../engine/rules/lore/limits.ts"
import { Blog } from "../../engine/store/lore/Blog.ts"
import { StationFacts } from "../../engine/store/sql/StationFacts.ts"
import type { BlogRecord } from "../../schema/lore/Blog.ts"

/** Latest rendered texts: the longest takes 30 ms, and a draft's text never changes. */
const kept = new Map<string, string>()

const htmlOf = ({ bodyMarkdown, id }: BlogRecord, publicUrl: string): string => {
  const key = `${publicUrl} ${id}`
  const html = kept.get(key) ?? blogHtml(bodyMarkdown, publicUrl)
  kept.delete(key)
  kept.set(key, html)
  if (kept.size > blogTextsKept) kept.delete(kept.keys().next().value!)
  return html
}

/** A published entry with its text as HTML; null if there is none of this slug. */
export const renderBlog = Effect.fnUntraced(function* (slug: string) {
  const { publicUrl } = yield* StationFacts
  const record = yield* (yield* Blog).findPublished(slug)
  return record === null ? null : { record, html: htmlOf(record, publicUrl) }
})
