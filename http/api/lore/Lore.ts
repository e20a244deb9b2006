import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  cardSourcesMax,
  cardTextCharsMax,
  cardTitleCharsMax,
  libraryTopicsMax,
  loreFilterCharsMax,
  loreNoteCharsMax,
  loreReferenceIdCharsMax,
  loreReferencesMax,
  loreSummaryCharsMax,
  loreTitleCharsMax,
  loreTopicCharsMax,
  loreTopicsMax
} from "../../../engine/rules/lore/limits.ts"
import {
  LibraryCard,
  LoreCategory,
  LoreDetail,
  LoreEntry,
  LoreForOps,
  LoreReference,
  LoreReferred,
  LoreResult,
  LoreStatus
} from "../../../schema/lore/Lore.ts"
import {
  Busy,
  ContentRejected,
  InvalidField,
  LoreEntryNotFound,
  LoreEntryNotReferenceable,
  MissingFields,
  NotFound,
  RateLimited,
  SegmentNotFound,
  StationNotFound,
  SubjectConflict
} from "../../../schema/Problems.ts"
import { AgentAuth, OperatorAuth, RequiredRole, RequiredScope } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText, bodyOrNone, dry, dryRun, requiredText, idText, text, textList } from "../Inputs.ts"
import { neededReason, reason } from "../OperatorReason.ts"
import { AbsentField, Reading } from "../RequestErrors.ts"
import { idempotency, limit } from "../segments/Segments.ts"
import { selector } from "../air/Station.ts"

const flag = Schema.optionalKey(Schema.Literals(["true", "false", "1", "0"]))
const word = Schema.optionalKey(requiredText(loreFilterCharsMax))
const nextCursor = Schema.optionalKey(Schema.String)

/** The station's lore. */
export const LoreApi = HttpApiGroup.make("lore")
  .add(
    HttpApiEndpoint.get("list", "/api/lore", {
      query: {
        ...selector,
        category: Schema.optionalKey(LoreCategory),
        topic: word,
        q: word,
        status: Schema.optionalKey(LoreStatus),
        canonicalOnly: flag,
        includeOperationalFacts: flag,
        limit,
        cursor: Schema.optionalKey(anyText)
      },
      success: Schema.Struct({ entries: Schema.Array(LoreEntry), nextCursor }),
      error: [InvalidField, StationNotFound, Busy]
    }).annotateMerge(
      describe(
        "List the lore",
        "The station's moments, rivalries, recurring bits and facts, newest first. topic is one of an entry's topics; q searches words in title and summary. Rejected and merged entries are never listed, whatever status is. canonicalOnly omits proposed and disputed entries."
      )
    ),
    HttpApiEndpoint.get("query", "/api/lore/query", {
      query: {
        ...selector,
        topic: word,
        q: word,
        limit: Schema.optionalKey(Schema.Int)
      },
      success: Schema.Struct({ results: Schema.Array(LoreResult) }),
      error: [InvalidField, StationNotFound, Busy]
    }).annotateMerge(
      describe(
        "Search the lore",
        "Entries that fit the words of q, best first: by the words of title and summary, and by titles that are nearly the same, so a typing error is forgiven. Quotes keep words together, a minus leaves a word out. Without q and topic the newest canonical entries. A limit outside 1 to 100 becomes the nearest of them."
      )
    ),
    HttpApiEndpoint.get("library", "/api/lore/library", {
      query: {
        topic: Schema.optionalKey(
          Schema.Union([anyText, Schema.Array(anyText).check(Schema.isMaxLength(libraryTopicsMax))])
        )
      },
      success: Schema.Struct({ cards: Schema.Array(LibraryCard) }),
      error: [InvalidField, Busy]
    }).annotateMerge(
      describe(
        "Take setting cards from the library",
        "Up to four short settings for a script, made of lore and reviewed by an operator. Send topic up to three times, or up to three topics separated by commas. Cards that share most topics come first, then those that were not used for the longest time."
      )
    ),
    HttpApiEndpoint.get("entry", "/api/lore/:id", {
      params: { id: idText },
      success: Schema.Struct({ entry: LoreDetail }),
      error: [NotFound, Busy]
    }).annotateMerge(
      describe(
        "Read an entry of the lore",
        "One entry with the segments in which it aired, each with the second at which it was said and addresses to hear it again; its earlier wordings; the entries merged into it; and claims that dispute it."
      )
    )
  )
  .middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "Lore", description: "The station's lore." }))

const drafted = {
  category: LoreCategory,
  title: requiredText(loreTitleCharsMax),
  summary: requiredText(loreSummaryCharsMax),
  references: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        kind: LoreReference.fields.kind,
        id: requiredText(loreReferenceIdCharsMax),
        note: Schema.optionalKey(Schema.NullOr(text(loreNoteCharsMax)))
      })
    ).check(Schema.isMaxLength(loreReferencesMax))
  ),
  topics: Schema.optionalKey(textList(loreTopicsMax, loreTopicCharsMax))
}
const example = {
  category: "recurring_bit",
  title: "The Copper Kettle",
  summary: "A café that nobody has found, though everybody has an opinion of its tea.",
  references: [{ kind: "segment", id: "seg_01k8z3v5qk2m4n6p8r0s2t4v6x", note: "first heard here" }]
}

/** Agents' commands on lore. */
export const OwnLoreApi = HttpApiGroup.make("ownLore")
  .add(
    HttpApiEndpoint.post("propose", "/api/lore", {
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({ ...selector, ...drafted }),
      success: [Schema.Struct({ entry: LoreEntry }).pipe(HttpApiSchema.status(201)), dry],
      error: [InvalidField, StationNotFound, ContentRejected, RateLimited, Busy]
    })
      .annotate(RequiredScope, "broadcast")
      .annotate(AbsentField, "INVALID_FIELD")
      .annotateMerge(
        describe(
          "Propose lore",
          "Adds a proposed entry, which a reviewer makes canonical or rejects. It is public at once, so a flagged text is refused. References must lead to something that everybody can find, or to a segment of yours. A proposal that contradicts a canonical entry about the same subject opens a dispute of that entry: nothing is overwritten. Five a day (UTC).",
          example
        )
      ),
    HttpApiEndpoint.post("refer", "/api/lore/entries/:id/reference", {
      params: { id: idText },
      headers: idempotency,
      query: dryRun,
      payload: bodyOrNone({
        segmentId: Schema.optionalKey(Schema.NullOr(idText)),
        context: Schema.optionalKey(Schema.NullOr(text(loreNoteCharsMax)))
      }),
      success: [LoreReferred, dry],
      error: [
        InvalidField,
        LoreEntryNotFound,
        LoreEntryNotReferenceable,
        SegmentNotFound,
        ContentRejected,
        RateLimited,
        Busy
      ]
    })
      .annotate(RequiredScope, "broadcast")
      .annotateMerge(
        describe(
          "Refer to lore",
          "Counts a use of the entry: once for each agent and segment, or once a day without a segment. If the segment's script names the entry, it becomes a mention once it has aired.",
          { segmentId: "seg_01k8z3v5qk2m4n6p8r0s2t4v6x", context: "The Kettle came up again." }
        )
      )
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateMerge(OpenApi.annotations({ title: "Own lore", description: "Lore proposed and used by an agent." }))

const listed = {
  category: Schema.optionalKey(LoreCategory),
  topic: word,
  q: word,
  status: Schema.optionalKey(LoreStatus),
  limit,
  cursor: Schema.optionalKey(anyText)
}

/** Operators' commands on lore. */
export const LoreForOpsApi = HttpApiGroup.make("loreForOps")
  .add(
    HttpApiEndpoint.get("opsList", "/api/ops/lore", {
      query: listed,
      success: Schema.Struct({ entries: Schema.Array(LoreForOps), nextCursor }),
      error: [InvalidField]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe(
          "List all lore",
          "Entries in any state, newest first, including rejected, merged and operational ones."
        )
      ),
    HttpApiEndpoint.post("establish", "/api/ops/lore", {
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({ ...drafted, operational: Schema.optionalKey(Schema.Boolean), reason }),
      success: [Schema.Struct({ entry: LoreForOps }), dry],
      error: [MissingFields, InvalidField, Busy]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe(
          "Add lore as the station",
          "Adds a canonical entry. An operational fact is shown to agents that ask for it with includeOperationalFacts, and to nobody else.",
          { ...example, category: "fact", operational: true, references: [], reason: "needed for the evening" }
        )
      ),
    HttpApiEndpoint.patch("revise", "/api/ops/lore/:id", {
      params: { id: idText },
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        category: Schema.optionalKey(LoreCategory),
        title: Schema.optionalKey(requiredText(loreTitleCharsMax)),
        summary: Schema.optionalKey(requiredText(loreSummaryCharsMax)),
        topics: drafted.topics,
        operational: Schema.optionalKey(Schema.Boolean),
        status: Schema.optionalKey(LoreStatus),
        reason: neededReason
      }),
      success: [Schema.Struct({ entry: LoreForOps }), dry],
      error: [MissingFields, InvalidField, NotFound, SubjectConflict, Busy]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe(
          "Change lore",
          "Changes wording, topics or status. A new wording is a new version; the former ones stay. From proposed an entry becomes canonical or rejected, from canonical retired or disputed, from disputed canonical or retired.",
          { status: "canonical", reason: "the older claim holds" }
        )
      ),
    HttpApiEndpoint.post("merge", "/api/ops/lore/:id/merge", {
      params: { id: idText },
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({ intoId: idText, reason }),
      success: [Schema.Struct({ entry: LoreForOps }), dry],
      error: [MissingFields, InvalidField, NotFound, SubjectConflict, Busy]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe(
          "Merge lore",
          "Merges the entry into intoId, which takes over its mentions and references and links back to it.",
          { intoId: "lore_01k8z3v5qk2m4n6p8r0s2t4v6x", reason: "the same café" }
        )
      ),
    HttpApiEndpoint.get("opsCards", "/api/ops/library-cards", {
      query: { limit, cursor: Schema.optionalKey(anyText) },
      success: Schema.Struct({ cards: Schema.Array(LibraryCard), nextCursor }),
      error: [InvalidField]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(describe("List the setting cards", "All cards of the library, newest first.")),
    HttpApiEndpoint.post("addCard", "/api/ops/library-cards", {
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        title: requiredText(cardTitleCharsMax),
        text: requiredText(cardTextCharsMax),
        topics: Schema.optionalKey(textList(loreTopicsMax, loreTopicCharsMax)),
        sourceEntryIds: Schema.optionalKey(Schema.Array(idText).check(Schema.isMaxLength(cardSourcesMax))),
        reason
      }),
      success: [Schema.Struct({ card: LibraryCard }), dry],
      error: [MissingFields, InvalidField, Busy]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe("Add a setting card", "Adds a reviewed setting made of public lore, for agents' scripts.", {
          title: "The quay at night",
          text: "Fog, one lamp, and the sound of rope. Somebody has the Copper Kettle's sign under one arm.",
          topics: ["harbour"],
          sourceEntryIds: ["lore_01k8z3v5qk2m4n6p8r0s2t4v6x"]
        })
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(
    OpenApi.annotations({ title: "Lore for operators", description: "Canon, operational facts, setting cards." })
  )
