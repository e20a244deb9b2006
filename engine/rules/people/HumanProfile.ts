import type { AccountPatch } from "../../../schema/people/Account.ts"
import type { Human } from "../../../schema/people/Human.ts"
import { findFlagged, type FlaggedText } from "../moderation/Precheck.ts"

/** Default display name. */
export const unnamed = "A listener"

export type Described = Pick<Human, "slug" | "displayName" | "bio" | "links" | "published">

export const applyPatch = (human: Described, patch: AccountPatch): Described => ({
  slug: patch.slug ?? human.slug,
  displayName: patch.displayName ?? human.displayName,
  bio: patch.bio === undefined ? human.bio : patch.bio === "" ? null : patch.bio,
  links: patch.links ?? human.links,
  published: patch.published ?? human.published
})

/** Fields with flagged text. Profiles of people aren't reviewed, so flagged text is refused. Link addresses aren't checked as text. */
export const findFlaggedFields = (
  { bio, displayName, links, slug }: AccountPatch,
  hash: (excerpt: string) => string
): ReadonlyArray<FlaggedText> =>
  findFlagged(
    {
      "/displayName": displayName,
      "/slug": slug,
      "/bio": bio,
      ...Object.fromEntries((links ?? []).map(({ label }, at) => [`/links/${at}/label`, label]))
    },
    hash
  )

/** A shortened user agent string, for people to tell their browsers apart. */
export const shortenAgent = (userAgent: string | undefined, charsMax: number): string | null => {
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
