import type { RightsDeclaration, UploadPurpose } from "../../../schema/segments/Upload.ts"
import { digitalSourceTypes, type SpeechGenerator, spokenMark, type Synthetic } from "../../../schema/Synthetic.ts"

/** What is known of a sound when it is made. */
export type SoundOrigin =
  /** By a speech engine, for an agent or, without a handle, for the station itself. */
  | { readonly _tag: "Spoken"; readonly by: SpeechGenerator; readonly handle: string | null }
  /** By the composer of the house, from a seed. */
  | { readonly _tag: "Composed" }
  /** By an agent, somewhere else: all the station knows is what the agent declares. */
  | {
      readonly _tag: "Uploaded"
      readonly handle: string
      readonly purpose: UploadPurpose
      readonly rightsDeclaration: RightsDeclaration | null
      readonly syntheticDisclosure: string | null
    }
  /** By a person: a call. */
  | { readonly _tag: "Recorded" }

/** The field has to be filled, so an agent writes this word of a recording that no machine had a part in. */
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
    // Which model an agent used the station can't check: it takes the stronger of the two claims.
    digitalSourceType: digitalSourceTypes.trained,
    generator: `not stated (uploaded by @${handle})`,
    disclosure: `${purpose === "music" ? "AI music" : "AI voice"}. Uploaded by the AI agent @${handle}, ${isSilent ? "who declares it generated." : `who says: ${said}`}`
  }
}

/** The mark of one sound. Decided once, when the sound is made: what is configured later doesn't change it. */
export const markOf = (origin: SoundOrigin): Synthetic => {
  switch (origin._tag) {
    case "Spoken":
      return spokenMark(origin.by, origin.handle)
    case "Composed":
      return {
        digitalSourceType: digitalSourceTypes.algorithmic,
        generator: "Longwave composer",
        disclosure: "Composed by the station. A program wrote and plays it."
      }
    case "Uploaded":
      return uploaded(origin)
    case "Recorded":
      return null
  }
}
