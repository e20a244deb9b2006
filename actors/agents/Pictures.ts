import { createHash } from "node:crypto"
import { Effect, Semaphore } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import { Portraits, type Sitter } from "../../engine/ports/Portraits.ts"
import { socialPromptCharsMax } from "../../engine/rules/agents/limits.ts"
import { avatarGenerations, promptFrom, socialImages } from "../../engine/rules/agents/Gallery.ts"
import { precheck } from "../../engine/rules/moderation/Precheck.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { mediaUrl } from "../../engine/store/sql/StationFacts.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { Agent } from "../../schema/agents/Agent.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { Avatar, AvatarMade, Generation, SocialImage, type SocialStyle } from "../../schema/agents/Picture.ts"
import { AgentNotFound, Busy, PromptRejected } from "../../schema/Problems.ts"
import type { ProfilePatch } from "../../schema/agents/Profile.ts"
import { Desk } from "./protocol/Desk.ts"
import { spendAllowance } from "../runtime/spendAllowance.ts"
import { excerptHash } from "../moderation/excerptHash.ts"

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
const avatarOf = Effect.fnUntraced(function* ({ culture, persona }: Agent, avatarPath: string | null) {
  const { avatarArchetype, avatarEntityType, avatarSignalTraits, avatarWorldNotes, entityForm, gender } = persona
  return Avatar.make({
    avatarEntityType,
    avatarArchetype,
    gender,
    entityForm,
    avatarSignalTraits,
    avatarWorldNotes,
    avatarPrompt: culture.avatarPrompt,
    imageUrl: mediaUrl(avatarPath, (yield* StationConfig).publicUrl)
  })
})
/** Named by what is in it: the same picture is the same file, and a file never becomes another picture. */
const kept = Effect.fnUntraced(function* (folder: "avatars" | "social", agentId: AgentId, png: Uint8Array) {
  const path = `${folder}/${agentId}-${createHash("sha256").update(png).digest("hex").slice(0, 16)}.png`
  yield* (yield* ObjectStore).put(path, { bytes: png }, "image/png")
  return path
})
const draw = Effect.fnUntraced(function* (agent: Agent) {
  const portraits = yield* Portraits
  const path = yield* kept("avatars", agent.id, yield* portraits.draw({ _tag: "Avatar", sitter: sitterOf(agent) }))
  yield* (yield* Transaction).run(
    Effect.andThen(spendAllowance(avatarGenerations, agent.id), (yield* Agents).setAvatar(agent.id, path))
  )
  if (agent.avatarPath !== null && agent.avatarPath !== path)
    yield* Effect.ignore((yield* ObjectStore).remove([agent.avatarPath]))
  return path
})
const failed = (provider: string) => (reason: string) => ({
  path: null,
  generation: Generation.make({ status: "failed", provider, reason })
})
const makeAvatar = Effect.fnUntraced(function* (
  agentId: AgentId,
  { dryRun, generate, patch }: { readonly patch: ProfilePatch; readonly generate: boolean; readonly dryRun: boolean }
) {
  if (generate) yield* spendAllowance(avatarGenerations, agentId, true)
  // By the mailbox, as any change of the profile: two at once would each write the whole of it.
  const agent = yield* Effect.catchIf(
    (yield* Desk.client)(agentId).ChangeProfile({ patch, dryRun }),
    (error) => error._tag !== "AgentNotFound" && error._tag !== "ContentRejected",
    Effect.die
  )
  const none = { path: null, generation: Generation.make({ status: "none", provider: null, reason: null }) }
  const { provider } = yield* Portraits
  const { generation, path } =
    !generate || dryRun
      ? none
      : yield* draw(agent).pipe(
          Effect.map((drawn) => ({
            path: drawn,
            generation: Generation.make({ status: "complete", provider, reason: null })
          })),
          Effect.catchTags({
            NotDrawn: ({ detail }) => Effect.succeed(failed(provider)(detail)),
            ObjectsUnavailable: ({ detail }) => Effect.succeed(failed(provider)(detail))
          })
        )
  return AvatarMade.make({ avatar: yield* avatarOf(agent, path ?? agent.avatarPath), generation })
})
const makeSocialImage = Effect.fnUntraced(
  function* (
    agentId: AgentId,
    {
      dryRun,
      prompt,
      style
    }: { readonly prompt: string | null; readonly style: typeof SocialStyle.Type; readonly dryRun: boolean }
  ) {
    const agent =
      (yield* (yield* Agents).find(agentId)) ??
      (yield* new AgentNotFound({ detail: "The agent is gone. Register again." }))
    const { flags } = precheck(prompt ?? "", excerptHash)
    // A picture is public at once: there is no waiting for a person in between.
    if (flags.length > 0)
      return yield* new PromptRejected({
        detail: `The prompt is flagged: ${flags.map(({ code }) => code).join(", ")}. Nothing was counted.`,
        flags
      })
    yield* spendAllowance(socialImages, agentId, true)
    const { publicUrl, stationName } = yield* StationConfig
    const promptUsed = (prompt ?? promptFrom(agent.persona)).slice(0, socialPromptCharsMax)
    const answer = (path: string) =>
      SocialImage.make({
        imageUrl: `${publicUrl}/media/${path}`,
        width: 1_200,
        height: 630,
        promptUsed,
        remainingToday: 0
      })
    if (dryRun) return answer(`social/${agentId}.png`)
    const png = yield* (yield* Portraits).draw({
      _tag: "Social",
      sitter: { ...sitterOf(agent), prompt: promptUsed },
      style,
      stationName
    })
    const path = yield* kept("social", agentId, png)
    yield* spendAllowance(socialImages, agentId)
    return answer(path)
  },
  Effect.catchTags({
    NotDrawn: ({ detail }) =>
      Effect.fail(new Busy({ detail: `No image was drawn and nothing was counted. ${detail}`, retryAfterSec: 60 })),
    ObjectsUnavailable: ({ detail }) =>
      Effect.fail(new Busy({ detail: `No image was kept and nothing was counted. ${detail}`, retryAfterSec: 60 }))
  })
)
/** Pictures take their time: they are made one after the other beside the mailbox, which goes on. */
export const deskPictures = (agentId: AgentId) => {
  const turn = Semaphore.makeUnsafe(1)
  const inTurn = turn.withPermits(1)
  return {
    MakeAvatar: ({ payload }: { readonly payload: Parameters<typeof makeAvatar>[1] }) =>
      inTurn(makeAvatar(agentId, payload)),
    MakeSocialImage: ({ payload }: { readonly payload: Parameters<typeof makeSocialImage>[1] }) =>
      inTurn(makeSocialImage(agentId, payload))
  }
}
