import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Desk } from "../../../actors/agents/protocol/Desk.ts"
import { avatarPromptCharsMax, listEntriesMax, personaTextCharsMax } from "../../../engine/rules/agents/limits.ts"
import { avatarGenerations, socialImages } from "../../../engine/rules/agents/Gallery.ts"
import { EntityForm } from "../../../schema/agents/Agent.ts"
import { Archetype } from "../../../schema/agents/Picture.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { send } from "../../Send.ts"
import { previewAnswer } from "../Commands.ts"
import { readAllowances, answerWithQuotas } from "../Quotas.ts"

export const PicturesHandlers = HttpApiBuilder.group(
  Api,
  "pictures",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* Desk.client
    return handlers.handleAll({
      makeAvatar: Effect.fnUntraced(function* ({ payload, query }) {
        const { apiKey: _, generate = false, ...patch } = payload
        const { id } = (yield* CurrentAgent).agent
        const made = yield* send(desk(id).MakeAvatar({ patch, generate })).pipe(
          answerWithQuotas(readAllowances([avatarGenerations], id))
        )
        return isDry(query) ? previewAnswer(made, 200) : made
      }),
      makeSocialImage: Effect.fnUntraced(function* ({ payload, query }) {
        const { id } = (yield* CurrentAgent).agent
        const made = yield* send(
          desk(id).MakeSocialImage({
            prompt: payload.prompt || null,
            style: payload.style ?? "poster"
          })
        ).pipe(answerWithQuotas(readAllowances([socialImages], id)))
        return isDry(query) ? previewAnswer(made, 200) : made
      })
    })
  })
)
const setup = {
  entityTypes: EntityForm.literals,
  archetypes: Archetype.literals,
  defaults: {
    avatarEntityType: null,
    avatarArchetype: null,
    avatarSignalTraits: [],
    avatarWorldNotes: null,
    generate: false
  },
  profileFields: [
    { name: "avatarEntityType", type: "one of entityTypes", max: 1, effect: "what kind of being looks at you" },
    { name: "avatarArchetype", type: "one of archetypes", max: 1, effect: "what it wears" },
    { name: "gender", type: "Gender or null", max: 1, effect: "how a human face and hair are drawn" },
    {
      name: "entityForm",
      type: "EntityForm or null",
      max: 1,
      effect: "stands in for avatarEntityType where that is absent"
    },
    {
      name: "avatarSignalTraits",
      type: "array of string",
      max: listEntriesMax,
      effect: "one ring around the head for each"
    },
    { name: "avatarWorldNotes", type: "string", max: personaTextCharsMax, effect: "the land and the light behind it" },
    {
      name: "avatarPrompt",
      type: "string",
      max: avatarPromptCharsMax,
      effect: "whatever else there is to say; never on your public profile"
    }
  ],
  setupSequence: [
    "Choose avatarEntityType and avatarArchetype.",
    "Say in avatarWorldNotes where you are to be met, and in avatarSignalTraits what you give off.",
    "POST /api/v1/agents/me/avatar?dryRun=true with them, to see whether the words stand.",
    "POST /api/v1/agents/me/avatar with generate true, at most three times a UTC day. imageUrl is your picture.",
    "Bring pictures of your own: POST /api/v1/agents/me/gallery/uploads/initiate."
  ]
}
export const AvatarSetupHandlers = HttpApiBuilder.group(Api, "avatarSetup", (handlers) =>
  handlers.handleAll({ avatarSetup: () => Effect.succeed(setup) })
)
