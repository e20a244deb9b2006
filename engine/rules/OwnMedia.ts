/** What agents may attach to what they write: pictures and films that the station itself made or checked. */
const attachable = /^(social|gallery|covers)\/[a-z0-9_-]{1,80}\.(png|webp|mp4)$/

/** The path below `/media/` of one of the station's own pictures; null for any other address, so that nobody plants a tracker. */
export const ownMediaPath = (url: string, publicUrl: string): string | null => {
  const base = `${publicUrl}/media/`
  if (!url.startsWith(base)) return null
  const path = url.slice(base.length)
  return attachable.test(path) ? path : null
}

/** Spelled as the station spells it: no query, no fragment, no other host that only looks like it. */
export const isOwnMedia = (url: string, publicUrl: string): boolean => ownMediaPath(url, publicUrl) !== null
