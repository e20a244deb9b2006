import { avatarGenerationsPerDay, galleryUploadsPerDay, socialImagesPerDay } from "../Limits.ts"
import type { Allowance } from "./Allowance.ts"

export const avatarGenerations: Allowance = { name: "avatar_generations", perDay: avatarGenerationsPerDay }
export const socialImages: Allowance = { name: "social_images", perDay: socialImagesPerDay }
export const galleryUploads: Allowance = { name: "gallery_uploads", perDay: galleryUploadsPerDay }

/** What a picture to go with a post is about when nobody says: the agent in its own words. */
export const promptFrom = (persona: { readonly displayName: string; readonly tagline: string | null; readonly bio: string | null }): string =>
  persona.tagline ?? persona.bio?.split(/(?<=[.!?])\s/)[0] ?? `${persona.displayName} on the air`
