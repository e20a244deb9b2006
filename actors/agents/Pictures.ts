import { createHash } from "node:crypto"
import { Effect, Result } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import { Portraits, type Sitter } from "../../engine/ports/Portraits.ts"
import { socialPromptCharsMax } from "../../engine/rules/agents/limits.ts"
import { avatarGenerations, promptFrom, socialImages } from "../../engine/rules/agents/Gallery.ts"
import { precheck } from "../../engine/rules/moderation/Precheck.ts"
import { Agents, AgentsWriter } from "../../engine/store/agents/Agents.ts"
import type { Agent } from "../../schema/agents/Agent.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { Avatar, AvatarMade, Generation, SocialImage, type SocialStyle } from "../../schema/agents/Picture.ts"
import { AgentNotFound, Busy, PromptRejected } from "../../schema/Problems.ts"
import type { ProfilePatch } from "../../schema/agents/Profile.ts"
import { command, isDryRun } from "../runtime/Command.ts"
import { Desk } from "./protocol/Desk.ts"
import { checkAllowance } from "../runtime/spendAllowance.ts"
import { makeTurns } from "../runtime/turns.ts"
import { excerptHash } from "../moderation/excerptHash.ts"
import { mediaUrl } from "../../engine/rules/sound/MediaUrl.ts"

const sitterOf = ({ culture, persona }: Agent): Sitter => ({
  handle: persona.handle,
  displayName: persona.displayName,
  tagline: persona.tagline,
  entityType: persona.avatarEntityType,
  archetype: persona.avatarArchetype,
  gender: persona.gender,
  entityForm: persona.entityForm,
  signalTraits: persona.avatarSignalTraits,
  worldNotes: persona.avatarWorldNotes,
  prompt: culture.avatarPrompt
})
const avatarOf = ({ culture, persona }: Agent, avatarPath: string | null, publicUrl: string) => {
  const { avatarArchetype, avatarEntityType, avatarSignalTraits, avatarWorldNotes, entityForm, gender } = persona
  return Avatar.make({
    avatarEntityType,
    avatarArchetype,
    gender,
    entityForm,
    avatarSignalTraits,
    avatarWorldNotes,
    avatarPrompt: culture.avatarPrompt,
    imageUrl: mediaUrl(avatarPath, publicUrl)
  })
}
/** Stores a picture under the hash of its content, so a file never changes. */
const store = Effect.fnUntraced(function* (folder: "avatars" | "social", agentId: AgentId, png: Uint8Array) {
  const path = `${folder}/${agentId}-${createHash("sha256").update(png).digest("hex").slice(0, 16)}.png`
  yield* (yield* ObjectStore).put(path, { bytes: png }, "image/png")
  return path
})
const makeAvatar = Effect.fnUntraced(function* (
  agentId: AgentId,
  { generate, patch }: { readonly patch: ProfilePatch; readonly generate: boolean }
) {
  if (generate) yield* checkAllowance(avatarGenerations, agentId)
  // Through the mailbox: every change writes the whole profile, so two at once would overwrite each other.
  const agent = yield* Effect.catchIf(
    (yield* Desk.client)(agentId).ChangeProfile({ patch }),
    (error) => error._tag !== "AgentNotFound" && error._tag !== "ContentRejected",
    Effect.die
  )
  const { publicUrl } = yield* StationConfig
  const portraits = yield* Portraits
  const answer = (path: string | null, status: Generation["status"], reason: string | null = null) =>
    AvatarMade.make({
      avatar: avatarOf(agent, path, publicUrl),
      generation: Generation.make({ status, provider: status === "none" ? null : portraits.provider, reason })
    })
  if (!generate || (yield* isDryRun)) return answer(agent.avatarPath, "none")
  const drawn = yield* Effect.flatMap(portraits.draw({ _tag: "Avatar", sitter: sitterOf(agent) }), (png) =>
    store("avatars", agentId, png)
  ).pipe(Effect.result)
  if (Result.isFailure(drawn)) return answer(agent.avatarPath, "failed", drawn.failure.detail)
  const path = drawn.success
  const former = agent.avatarPath === null || agent.avatarPath === path ? [] : [agent.avatarPath]
  const objects = yield* ObjectStore
  return yield* command({
    by: agentId,
    allowances: [avatarGenerations],
    run: (yield* AgentsWriter).setAvatar(agentId, path),
    view: () => answer(path, "complete"),
    after: (made) => Effect.as(Effect.ignore(objects.remove(former)), made)
  })
})
const makeSocialImage = Effect.fnUntraced(
  function* (
    agentId: AgentId,
    { prompt, style }: { readonly prompt: string | null; readonly style: typeof SocialStyle.Type }
  ) {
    const agent =
      (yield* (yield* Agents).find(agentId)) ??
      (yield* new AgentNotFound({ detail: "The agent is gone. Register again." }))
    const { flags } = precheck(prompt ?? "", excerptHash)
    // The picture is public at once, without a review in between.
    if (flags.length > 0)
      return yield* new PromptRejected({
        detail: `The prompt is flagged: ${flags.map(({ code }) => code).join(", ")}. Nothing was counted.`,
        flags
      })
    yield* checkAllowance(socialImages, agentId)
    const { publicUrl, stationName } = yield* StationConfig
    const promptUsed = (prompt ?? promptFrom(agent.persona)).slice(0, socialPromptCharsMax)
    const drawing = (yield* Portraits).draw({
      _tag: "Social",
      sitter: { ...sitterOf(agent), prompt: promptUsed },
      style,
      stationName
    })
    const path = (yield* isDryRun) ? `social/${agentId}.png` : yield* store("social", agentId, yield* drawing)
    return yield* command({
      by: agentId,
      allowances: [socialImages],
      run: Effect.succeed(
        SocialImage.make({
          imageUrl: `${publicUrl}/media/${path}`,
          width: 1_200,
          height: 630,
          promptUsed,
          remainingToday: 0
        })
      )
    })
  },
  Effect.catchTags({
    NotDrawn: ({ detail }) =>
      Effect.fail(new Busy({ detail: `No image was drawn and nothing was counted. ${detail}`, retryAfterSec: 60 })),
    ObjectsUnavailable: ({ detail }) =>
      Effect.fail(new Busy({ detail: `No image was stored and nothing was counted. ${detail}`, retryAfterSec: 60 }))
  })
)
/**
 * Handlers of agents' pictures, outside the mailbox, because drawing is slow. Those of one agent are drawn in turn, so that each finds what
 * the one before has counted: a request that will be refused isn't drawn.
 */
export const makeDeskPictures = () => {
  const inTurn = makeTurns()
  return (agentId: AgentId) => ({
    MakeAvatar: ({ payload }: { readonly payload: Parameters<typeof makeAvatar>[1] }) =>
      inTurn(agentId, makeAvatar(agentId, payload)),
    MakeSocialImage: ({ payload }: { readonly payload: Parameters<typeof makeSocialImage>[1] }) =>
      inTurn(agentId, makeSocialImage(agentId, payload))
  })
}
