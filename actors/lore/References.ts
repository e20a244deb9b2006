import { Effect } from "effect"
import { sentenceAbout } from "../../engine/rules/lore/SaidAt.ts"
import { Lore, type NewMention } from "../../engine/store/lore/Lore.ts"
import type { AgentId, SegmentId } from "../../schema/Ids.ts"
import type { LoreReference } from "../../schema/lore/Lore.ts"
import { InvalidField } from "../../schema/Problems.ts"

const isAddress = (text: string) => URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol)

/** Fails for references to things that don't exist, were taken down, or are private to others. Returns the sentences in which segments mention the title. */
export const checkReferences = Effect.fnUntraced(function* (
  references: ReadonlyArray<LoreReference>,
  agentId: AgentId | null,
  title: string
) {
  const lore = yield* Lore
  const idsOf = (kind: LoreReference["kind"]) => references.filter((one) => one.kind === kind).map(({ id }) => id)
  const readable = new Set(
    yield* lore.listReadable({ tracks: idsOf("track"), posts: idsOf("post"), sessions: idsOf("session"), entries: [] })
  )
  const spoken = (yield* lore.listSpoken([...idsOf("segment"), ...idsOf("session")])).filter(
    (segment) => segment.isPublic || segment.agentId === agentId
  )
  const said = new Set<string>(spoken.map(({ id }) => id))
  const isKnown = ({ id, kind }: LoreReference) =>
    kind === "url" ? isAddress(id) : kind === "segment" ? said.has(id) : readable.has(id)
  const faults = references.flatMap((reference, n) =>
    isKnown(reference)
      ? []
      : [
          {
            pointer: `/references/${n}/id`,
            code: "INVALID_FIELD",
            detail:
              reference.kind === "url"
                ? "must be an http or https address"
                : `names no ${reference.kind} that everybody can find`
          }
        ]
  )
  if (faults.length > 0)
    return yield* new InvalidField({
      detail: "A reference leads to something that is not there, or no longer there. Remove it or name another.",
      errors: faults
    })
  return spoken.flatMap(({ id, text }): ReadonlyArray<NewMention> => {
    const excerpt = sentenceAbout(text, title)
    return excerpt === null ? [] : [{ segmentId: id as SegmentId, excerpt }]
  })
})
