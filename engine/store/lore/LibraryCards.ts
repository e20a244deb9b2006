import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { libraryCardsMax } from "../../rules/lore/limits.ts"
import type { CardId, LoreId } from "../../../schema/Ids.ts"
import { LibraryCard } from "../../../schema/lore/Lore.ts"
import { pageOf, type Paging } from "../sql/page.ts"
import { at, ms } from "../sql/instants.ts"
import { row, rows, run } from "../sql/rows.ts"

const cards = rows(LibraryCard)
const card = row(LibraryCard)
const usedCards = rows(Schema.Struct({ ...LibraryCard.fields, usedAtMs: Schema.NullOr(Schema.Finite) }))

/** Settings that agents put into scripts: short texts made of lore, reviewed by operators. */
export class LibraryCardsWriter extends Context.Service<LibraryCardsWriter>()(
  "longwave/engine/store/LibraryCardsWriter",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => {
      const json = (value: unknown) => sql`${JSON.stringify(value)}::text::jsonb`
      const columns = sql.literal(
        `id, title, text, topics, source_entry_ids, to_char(reviewed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS reviewed_at`
      )
      return {
        add: (
          added: {
            readonly id: CardId
            readonly title: string
            readonly text: string
            readonly topics: ReadonlyArray<string>
            readonly sourceEntryIds: ReadonlyArray<LoreId>
          },
          atMs: number
        ) =>
          run(sql`
            INSERT INTO lore_cards (id, title, text, topics, source_entry_ids, reviewed_at, created_at)
            VALUES (${added.id}, ${added.title}, ${added.text}, ${json(added.topics)}, ${json(added.sourceEntryIds)}, ${at(atMs)}, ${at(atMs)})`),
        find: (id: string) => card(sql`SELECT ${columns} FROM lore_cards WHERE id = ${id}`),
        markUsed: (ids: ReadonlyArray<CardId>, atMs: number) =>
          run(sql`UPDATE lore_cards SET last_used_at = ${at(atMs)} WHERE id IN ${sql.in(ids)}`),
        /** Newest first; null when the cursor is unknown. */
        list: Effect.fnUntraced(function* ({ cursor, limit }: Paging) {
          if (cursor !== null && (yield* Effect.orDie(sql`SELECT 1 FROM lore_cards WHERE id = ${cursor}`)).length === 0)
            return null
          const found = yield* cards(sql`
            SELECT ${columns} FROM lore_cards ${cursor === null ? sql`` : sql`WHERE (created_at, id) < (SELECT c.created_at, c.id FROM lore_cards c WHERE c.id = ${cursor})`}
            ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}`)
          return pageOf(found, limit)
        }),
        /** Reviewed cards that share most topics, the least recently used first; without topics, any. */
        listFitting: (topics: ReadonlyArray<string>) =>
          usedCards(sql`
            SELECT ${columns}, ${ms("last_used_at")} AS used_at_ms FROM (
              SELECT *, (SELECT count(*) FROM jsonb_array_elements_text(topics) t WHERE lower(t) IN (SELECT jsonb_array_elements_text(${json(topics.map((topic) => topic.toLowerCase()))}))) AS shared
              FROM lore_cards WHERE reviewed_at IS NOT NULL
            ) c WHERE ${topics.length === 0 ? sql`true` : sql`shared > 0`}
            ORDER BY shared DESC, last_used_at NULLS FIRST, id LIMIT ${libraryCardsMax}`)
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class LibraryCards extends Context.Service<
  LibraryCards,
  Pick<LibraryCardsWriter["Service"], "find" | "listFitting" | "list">
>()("longwave/engine/store/LibraryCards") {
  static readonly layer = Layer.effect(this, LibraryCardsWriter).pipe(Layer.provideMerge(LibraryCardsWriter.layer))
}
