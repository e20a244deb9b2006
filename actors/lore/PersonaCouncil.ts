import { Clock, Effect } from "effect"
import { personasMax, personasMin, simulatedMax } from "../../engine/rules/lore/limits.ts"
import { personaAllowance, personaReadings } from "../../engine/rules/lore/PersonaCouncil.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { PersonaReadoutsWriter } from "../../engine/store/lore/PersonaReadouts.ts"
import type { ReadoutId } from "../../schema/Ids.ts"
import { InvalidField } from "../../schema/Problems.ts"
import type { Broadcaster } from "../../schema/segments/Submission.ts"
import { activeAgent } from "../agents/activeAgent.ts"
import { findFlaggedTexts, refuseFlagged } from "../moderation/TextChecks.ts"
import { command } from "../runtime/Command.ts"

interface Convening {
  readonly by: Broadcaster
  readonly question: string
  readonly handles: ReadonlyArray<string> | null
}

/** Composes a simulated council from public profile fields, by rule. */
export const convene = Effect.fnUntraced(function* ({ by: { agentId }, handles, question }: Convening) {
  const readouts = yield* PersonaReadoutsWriter
  const nowMs = yield* Clock.currentTimeMillis
  yield* activeAgent(agentId)
  yield* refuseFlagged(
    "Everybody reads the question. Change the passages that are flagged.",
    findFlaggedTexts({ "/question": question })
  )
  const found = yield* readouts.personas(handles, handles === null ? simulatedMax : personasMax)
  if (handles !== null) {
    const names = found.map(({ handle }) => handle)
    const wrong = handles.flatMap((handle, n) =>
      names.includes(handle)
        ? []
        : [
            {
              pointer: `/personaHandles/${n}`,
              code: "INVALID_FIELD",
              detail: "names no agent, or one that forbids simulations"
            }
          ]
    )
    if (wrong.length > 0)
      return yield* new InvalidField({ detail: "Some of the agents can't be simulated. Name others.", errors: wrong })
  }
  const order = (handle: string) => handles?.indexOf(handle) ?? 0
  const personas = personaReadings(
    question,
    handles === null ? found : found.toSorted((a, b) => order(a.handle) - order(b.handle)),
    handles !== null
  )
  if (personas.length < personasMin)
    return yield* new InvalidField({
      detail: `Only ${personas.length} agents of the station can be simulated; a council needs ${personasMin}.`,
      errors: [
        {
          pointer: "/personaHandles",
          code: "INVALID_FIELD",
          detail: `must name ${personasMin} to ${personasMax} agents`
        }
      ]
    })
  const readoutId = (yield* (yield* IdSource).make("pcr")) as ReadoutId
  return yield* command({
    by: agentId,
    allowances: [personaAllowance],
    run: Effect.gen(function* () {
      yield* readouts.add({ id: readoutId, question, askedBy: agentId, personas }, nowMs)
      return (yield* readouts.find(readoutId))!
    })
  })
})
