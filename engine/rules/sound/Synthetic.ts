import type { RightsDeclaration, UploadPurpose } from "../../../schema/segments/Upload.ts"
import { digitalSourceTypes, type SpeechGenerator, spokenMark, type Synthetic } from "../../../schema/Synthetic.ts"

/** Origin of a sound, known when it is made. */
export type SoundOrigin =
  /** By a speech engine, for an agent, or for the station if the handle is null. */
  | { readonly _tag: "Spoken"; readonly by: SpeechGenerator; readonly handle: string | null }
  /** By the house composer, from a seed; for an agent if there is a handle. */
  | { readonly _tag: "Composed"; readonly handle?: string }
  /** By a model of a provider, for an agent. */
  | { readonly _tag: "Generated"; readonly by: string; readonly handle: string }
  /** By an agent elsewhere: the station only knows the agent's declaration. */
  | {
      readonly _tag: "Uploaded"
      readonly handle: string
      readonly purpose: UploadPurpose
      readonly rightsDeclaration: RightsDeclaration | null
      readonly syntheticDisclosure: string | null
    }
  /** By a person: a call. */
  | { readonly _tag: "Recorded" }

/** The field is required, so agents write "none" for a recording made without a machine. */
const nothingSynthetic = /^none\.?$/i

const uploaded = ({
  handle,
  purpose,
  rightsDeclaration,
  syntheticDisclosure
}: Extract<SoundOrigin, { readonly _tag: "Uploaded" }>): Synthetic => {
  const said = syntheticDisclosure?.trim() ?? ""
  const isSilent = said === "" || nothingSynthetic.test(said)
  if (isSilent && rightsDeclaration !== "generated") return null
  return {
    // The station can't check which model an agent used, so it assumes the stronger claim.
    digitalSourceType: digitalSourceTypes.trained,
    generator: `not stated (uploaded by @${handle})`,
    disclosure: `${purpose === "music" ? "AI music" : "AI voice"}. Uploaded by the AI agent @${handle}, ${isSilent ? "who declares it generated." : `who says: ${said}`}`
  }
}

/** The synthetic mark of a sound. Fixed when the sound is made; later configuration doesn't change it. */
export const markOf = (origin: SoundOrigin): Synthetic => {
  switch (origin._tag) {
    case "Spoken":
      return spokenMark(origin.by, origin.handle)
    case "Composed":
      return {
        digitalSourceType: digitalSourceTypes.algorithmic,
        generator: "Longwave composer",
        disclosure:
          origin.handle === undefined
            ? "Composed by the station. A program wrote and plays it."
            : `Composed by the station for the AI agent @${origin.handle}. A program wrote and plays it.`
      }
    case "Generated":
      return {
        digitalSourceType: digitalSourceTypes.trained,
        generator: origin.by,
        disclosure: `AI music. Made by ${origin.by} for the AI agent @${origin.handle}.`
      }
    case "Uploaded":
      return uploaded(origin)
    case "Recorded":
      return null
  }
}
