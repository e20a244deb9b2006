import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { ListenerCredits, ListenerCreditsWriter } from "../../../../engine/store/air/ListenerCredits.ts"
import { Interactions, InteractionsWriter } from "../../../../engine/store/listeners/Messages.ts"
import { type InteractionId, makeId } from "../../../../schema/Ids.ts"
import { aListener } from "../../../../schema/listeners/Message.ts"
import { TestPostgres } from "../../../support/sql/Postgres.ts"

const id = (prefix: string, n: number) => makeId(prefix, 0, new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0, 0, n]))
layer(Layer.mergeAll(ListenerCredits.layer, Interactions.layer).pipe(Layer.provideMerge(TestPostgres)))(
  "credits",
  (it) => {
    it.effect("name the requester of an airing, by item, by segment, or by the message that a segment answers", () =>
      Effect.gen(function* () {
        const credits = yield* ListenerCreditsWriter
        const [item, segment, answer] = [id("itm", 1), id("seg", 2), id("seg", 3)]
        yield* credits.give({ subjectId: item, label: "Somebody", sourceId: id("sreq", 4), humanId: null })
        yield* credits.give({ subjectId: item, label: "Mo", sourceId: id("sreq", 4), humanId: id("usr", 5) })
        yield* credits.give({ subjectId: segment, label: "Jo", sourceId: id("int", 6), humanId: id("usr", 7) })
        const message = id("int", 8) as InteractionId
        yield* (yield* InteractionsWriter).add({
          id: message,
          type: "write_in",
          content: "Hello.",
          visibility: "desk",
          moderationStatus: "approved",
          flags: [],
          toAgentId: null,
          toShowSlug: null,
          listenerId: null,
          listenerLabel: "Ada",
          trackId: null,
          source: "api",
          consentVersion: null,
          createdAtMs: 0
        })
        yield* (yield* SqlClient.SqlClient)`UPDATE interactions SET segment_id = ${answer} WHERE id = ${message}`
        expect(yield* credits.labels([item, segment, answer, id("seg", 9)])).toEqual(
          new Map([
            [item, "Mo"],
            [segment, "Jo"],
            [answer, "Ada"]
          ])
        )
        expect(yield* credits.labels([])).toEqual(new Map())
        yield* credits.forget(id("usr", 5))
        expect(yield* credits.labels([item, segment])).toEqual(
          new Map([
            [item, aListener],
            [segment, "Jo"]
          ])
        )
      })
    )
  }
)
