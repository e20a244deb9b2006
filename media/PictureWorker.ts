import { avatarPx } from "../engine/Limits.ts"
import type { Picture } from "../engine/ports/Portraits.ts"
import { portrait } from "./portraits/Portrait.ts"
import { socialCard } from "./portraits/SocialCard.ts"

/** Draws one picture in a process of its own, writes the PNG to stdout, and is over with it: an idle station holds none of this. */
export interface DrawingTask {
  readonly picture: Picture
}

const { picture } = JSON.parse(process.argv[2]!) as DrawingTask
const { Resvg } = await import("@resvg/resvg-js")
const drawing = picture._tag === "Avatar" ? portrait(picture.sitter) : await socialCard(picture)
const png = new Resvg(drawing, { fitTo: { mode: "width", value: picture._tag === "Avatar" ? avatarPx : 1_200 }, font: { loadSystemFonts: false } }).render().asPng()
process.stdout.write(png)
