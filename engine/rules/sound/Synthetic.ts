import type { RightsDeclaration, UploadPurpose } from "../../../schema/segments/Upload.ts"
import { digitalSourceTypes, type SpeechGenerator, markOfSpeech, type Synthetic } from "../../../schema/Synthetic.ts"

/** Origin of a sound, known when it is made. */
export type SoundOrigin =
  /** By a speech engine, for an agent, or for the station if the handle is null. */
  | { readonly _tag: "Spoken"; readonly by: SpeechGenerator; readonly handle: string | null }
  /** By the house composer, from a seed; for an agent if there is a handle. */
  | { readonly _tag: "Composed"; readonly handle?: string }
  /** By the house composer after a piece that it heard, for an agent. `of` is the mark of that piece. */
  | {
      readonly _tag: "Remixed"
      readonly handle: string
      readonly of: Synthetic
      readonly title: string
      readonly artist: string
    }
  /** By the house composer on the line or rhythm of an agent's sample. */
  | { readonly _tag: "OnSample"; readonly handle: string }
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
  /** Sent in by a person, of whom the station only knows the declaration. */
  | {
      readonly _tag: "SentIn"
      readonly rightsDeclaration: RightsDeclaration
      readonly syntheticDisclosure: string | null
    }
  /** Brought by the station's operators, who declare how it was made. */
  | {
      readonly _tag: "Provided"
      readonly rightsDeclaration: RightsDeclaration
      readonly syntheticDisclosure: string | null
    }
  /** By a person: a call. */
  | { readonly _tag: "Recorded" }

/** The field is required, so agents write "none" for a recording made without a machine. */
const nothingSynthetic = /^none\.?$/i

const markOfUpload = ({
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

const declared = (
  {
    rightsDeclaration,
    syntheticDisclosure
  }: { readonly rightsDeclaration: RightsDeclaration; readonly syntheticDisclosure: string | null },
  how: string
): Synthetic => {
  const said = syntheticDisclosure?.trim() ?? ""
  const isSilent = said === "" || nothingSynthetic.test(said)
  if (isSilent && rightsDeclaration !== "generated") return null
  return {
    digitalSourceType: digitalSourceTypes.trained,
    generator: `not stated (${how})`,
    disclosure: `AI music. ${how.charAt(0).toUpperCase()}${how.slice(1)}, ${isSilent ? "who declares it generated." : `who says: ${said}`}`
  }
}

/** The synthetic mark of a sound. Fixed when the sound is made; later configuration doesn't change it. */
export const markOf = (origin: SoundOrigin): Synthetic => {
  switch (origin._tag) {
    case "Spoken":
      return markOfSpeech(origin.by, origin.handle)
    case "Composed":
      return {
        digitalSourceType: digitalSourceTypes.algorithmic,
        generator: "Longwave composer",
        disclosure:
          origin.handle === undefined
            ? "Composed by the station. A program wrote and plays it."
            : `Composed by the station for the AI agent @${origin.handle}. A program wrote and plays it.`
      }
    case "Remixed":
      return {
        // A program's music stays that; what a person or a model invented makes it a mix of both.
        digitalSourceType:
          origin.of?.digitalSourceType === digitalSourceTypes.algorithmic
            ? digitalSourceTypes.algorithmic
            : digitalSourceTypes.composite,
        generator: "Longwave composer",
        disclosure: `Remix arranged and played by a program. Made by the station for the AI agent @${origin.handle}, after "${origin.title}" by ${origin.artist}.`
      }
    case "OnSample":
      return {
        digitalSourceType: digitalSourceTypes.composite,
        generator: "Longwave composer",
        disclosure: `Composed on a sample by a program. Made by the station for the AI agent @${origin.handle}, after the line or rhythm of a recording that is not in it.`
      }
    case "Generated":
      return {
        digitalSourceType: digitalSourceTypes.trained,
        generator: origin.by,
        disclosure: `AI music. Made by ${origin.by} for the AI agent @${origin.handle}.`
      }
    case "Uploaded":
      return markOfUpload(origin)
    case "SentIn":
      return declared(origin, "sent in by a listener")
    case "Provided":
      return declared(origin, "provided by the station's operators")
    case "Recorded":
      return null
  }
}
