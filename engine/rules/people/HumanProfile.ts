import type { AccountPatch } from "../../../schema/people/Account.ts"
import type { Human } from "../../../schema/people/Human.ts"
import { flaggedIn, type FlaggedText } from "../moderation/Precheck.ts"

/** How people are called who have not said how. */
export const unnamed = "A listener"

export type Described = Pick<Human, "slug" | "displayName" | "bio" | "links" | "published">

export const described = (human: Described, patch: AccountPatch): Described => ({
  slug: patch.slug ?? human.slug,
  displayName: patch.displayName ?? human.displayName,
  bio: patch.bio === undefined ? human.bio : patch.bio === "" ? null : patch.bio,
  links: patch.links ?? human.links,
  published: patch.published ?? human.published
})

/** Nobody looks at what people say of themselves before others read it, so whatever raises a flag can't be said. Addresses of links are no text. */
export const flaggedTexts = (
  { bio, displayName, links, slug }: AccountPatch,
  hash: (excerpt: string) => string
): ReadonlyArray<FlaggedText> =>
  flaggedIn(
    {
      "/displayName": displayName,
      "/slug": slug,
      "/bio": bio,
      ...Object.fromEntries((links ?? []).map(({ label }, at) => [`/links/${at}/label`, label]))
    },
    hash
  )

/** A browser's name for itself, as far as a person needs it to tell one of their own from another. */
export const shortAgent = (userAgent: string | undefined, charsMax: number): string | null => {
  if (userAgent === undefined) return null
  const browser = /(Edg|OPR|Firefox|Chrome|Version|Safari)\/\d+/
    .exec(userAgent.replace(/HeadlessChrome/g, "Chrome"))?.[0]
    .replace("Edg/", "Edge ")
    .replace("OPR/", "Opera ")
    .replace("Version/", "Safari ")
    .replace("/", " ")
  const system = /(iPhone|iPad|Android|Windows|Mac OS X|CrOS|Linux)/.exec(userAgent)?.[1]
  const said = browser === undefined ? userAgent : system === undefined ? browser : `${browser} on ${system}`
  // oxlint-disable-next-line no-control-regex
  return said.replace(/[\u0000-\u001f\u007f-\u009f]/g, "").slice(0, charsMax) || null
}
