import { makeId } from "../../../schema/Ids.ts"
import { Airable, Candidate, type ItemRole } from "../../../schema/air/Rundown.ts"
import { CuePoints } from "../../../schema/Sound.ts"

const bytes = (n: number): Uint8Array =>
  new Uint8Array([0, 0, 0, 0, 0, 0, (n >>> 24) & 255, (n >>> 16) & 255, (n >>> 8) & 255, n & 255])

export const testId = (prefix: string, n: number): string => makeId(prefix, 1_000, bytes(n))

/** An airable of this length; music has an eight-second intro and its segue four seconds before the end. */
export const airable = (role: ItemRole, n: number, sec: number, more: Partial<Airable> = {}): Airable => {
  const cueOut = Math.round(sec * 48_000)
  const music = role === "music" || role === "bed"
  return new Airable({
    role,
    assetId: testId("mas", n),
    title: `${role} ${n}`,
    artist: music ? `artist ${n % 5}` : null,
    speech: !music,
    bedAssetId: null,
    cue: new CuePoints({
      cueIn: 0,
      introEnd: music ? Math.min(8 * 48_000, cueOut) : 0,
      segue: music ? Math.max(1, cueOut - Math.min(4 * 48_000, Math.floor(cueOut / 2))) : cueOut,
      cueOut
    }),
    segmentId: role === "segment" ? testId("seg", n) : null,
    trackId: role === "music" ? testId("trk", n) : null,
    agentId: role === "segment" ? testId("agt", n % 7) : null,
    topic: null,
    genre: music ? ["jazz", "techno", "folk"][n % 3]! : null,
    validFromMs: null,
    validUntilMs: null,
    ...more
  })
}

export const candidate = (n: number, sec: number, lastPlayedMs: number | null = null): Candidate =>
  new Candidate({
    airable: airable("music", n, sec),
    rotationClass: n % 3 === 0 ? "contributed" : "house",
    weight: 1,
    lastPlayedMs
  })
