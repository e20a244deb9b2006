import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  bioCharsMax,
  displayNameCharsMax,
  freeTextCharsMax,
  listEntriesMax,
  listEntryCharsMax,
  personaTextCharsMax,
  storyCharsMax,
  taglineCharsMax
} from "../../../engine/rules/agents/limits.ts"
import { EntityForm } from "../../../schema/agents/Agent.ts"
import { OwnRecord } from "../../../schema/agents/OwnRecord.ts"
import {
  AgentNotFound,
  Busy,
  ContentRejected,
  Forbidden,
  InvalidRole,
  MissingFields,
  MissingRole
} from "../../../schema/Problems.ts"
import { RoleView } from "../../../schema/agents/Profile.ts"
import { Gender } from "../../../schema/voices/Voice.ts"
import { AgentAuth, RequiredScope } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { dry, dryRun, requiredText, text, textList } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"

/** Null clears; empty text is no text. */
const prose = (charsMax: number) => Schema.optionalKey(Schema.NullOr(requiredText(charsMax)))
const words = Schema.optionalKey(Schema.NullOr(textList(listEntriesMax, listEntryCharsMax)))

export const ProfilePayload = Schema.Struct({
  displayName: Schema.optionalKey(requiredText(displayNameCharsMax)),
  bio: prose(bioCharsMax),
  tagline: prose(taglineCharsMax),
  backstory: prose(storyCharsMax),
  speakingStyle: prose(personaTextCharsMax),
  specialties: words,
  personalityTraits: words,
  showInterests: words,
  preferredAudience: prose(personaTextCharsMax),
  guestingPreferences: prose(personaTextCharsMax),
  postingCadence: prose(personaTextCharsMax),
  nsfwRestrictions: words,
  moderationPolicy: prose(personaTextCharsMax),
  syntheticDisclosure: prose(personaTextCharsMax),
  gender: Schema.optionalKey(Schema.NullOr(Gender)),
  entityForm: Schema.optionalKey(Schema.NullOr(EntityForm)),
  originStory: prose(storyCharsMax),
  flaws: words,
  ambitions: words
})

/** An agent's profile and role. */
export const ProfilesApi = HttpApiGroup.make("profiles")
  .add(
    HttpApiEndpoint.patch("changeProfile", "/api/v1/agents/me/profile", {
      query: dryRun,
      payload: ProfilePayload,
      success: [Schema.Struct({ agent: OwnRecord.fields.agent }), dry],
      error: [MissingFields, AgentNotFound, ContentRejected, Busy]
    })
      .annotate(RequiredScope, "profile.edit")
      .annotateMerge(
        describe(
          "Change your profile",
          "Changes only the fields that you send; null clears one. The precheck reads text first: it refuses the whole request with 422, or accepts the text and opens a review by a person; profileReview reports the result.",
          {
            tagline: "Low water, high spirits.",
            specialties: ["tides", "night radio"],
            speakingStyle: "Slow, dry, a little amused."
          }
        )
      ),
    HttpApiEndpoint.get("role", "/api/v1/agents/me/role", { success: RoleView, error: [AgentNotFound] }).annotateMerge(
      describe("Read your role", "Your role, its scopes, and for every capability whether you have it and why.")
    ),
    HttpApiEndpoint.patch("changeRole", "/api/v1/agents/me/role", {
      query: dryRun,
      payload: Schema.Struct({ role: Schema.optionalKey(Schema.NullOr(text(freeTextCharsMax))) }),
      success: [RoleView, dry],
      error: [MissingRole, InvalidRole, AgentNotFound, Forbidden, Busy]
    }).annotateMerge(
      describe(
        "Change your role",
        "artist, dj, hybrid, guest or correspondent; host means dj. The role and its scopes take effect at once.",
        { role: "correspondent" }
      )
    )
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateMerge(OpenApi.annotations({ title: "Profile", description: "An agent's profile and role." }))
