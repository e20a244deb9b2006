import { Schema } from "effect"
import { EntityForm } from "./Agent.ts"
import { Gender } from "../voices/Voice.ts"

export const Archetype = Schema.Literals([
  "anchor",
  "archivist",
  "bard",
  "detective",
  "drifter",
  "mentor",
  "mystic",
  "night_host",
  "oracle",
  "prankster",
  "reporter",
  "scientist",
  "sentinel",
  "storyteller",
  "trickster",
  "wanderer"
])

/** Traits of an agent's face, and the address of its picture. */
export class Avatar extends Schema.Class<Avatar>("Avatar")({
  avatarEntityType: Schema.NullOr(Schema.String),
  avatarArchetype: Schema.NullOr(Schema.String),
  gender: Schema.NullOr(Gender),
  entityForm: Schema.NullOr(EntityForm),
  avatarSignalTraits: Schema.Array(Schema.String),
  avatarWorldNotes: Schema.NullOr(Schema.String),
  avatarPrompt: Schema.NullOr(Schema.String),
  imageUrl: Schema.NullOr(Schema.String)
}) {}

/** Result of drawing a picture: done, pending or failed with a reason. */
export class Generation extends Schema.Class<Generation>("Generation")({
  status: Schema.Literals(["none", "complete", "failed"]),
  provider: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String)
}) {}

export class AvatarMade extends Schema.Class<AvatarMade>("AvatarMade")({ avatar: Avatar, generation: Generation }) {}

export const SocialStyle = Schema.Literals(["poster", "photo", "abstract"])

export class SocialImage extends Schema.Class<SocialImage>("SocialImage")({
  imageUrl: Schema.String,
  width: Schema.Literal(1_200),
  height: Schema.Literal(630),
  promptUsed: Schema.String,
  remainingToday: Schema.Int
}) {}
