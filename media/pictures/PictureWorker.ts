import { avatarPx, coverPx } from "../../engine/rules/agents/limits.ts"
import type { Cover } from "../../engine/ports/Covers.ts"
import type { Picture } from "../../engine/ports/Portraits.ts"
import { coverCard } from "./portraits/CoverCard.ts"
import { portrait } from "./portraits/Portrait.ts"
import { socialCard } from "./portraits/SocialCard.ts"

/** Draws one picture in its own process, writes the PNG to stdout and exits: an idle station holds none of this. */
export interface DrawingTask {
  readonly picture: Picture | ({ readonly _tag: "Cover" } & Cover)
}

const { picture } = JSON.parse(process.argv[2]!) as DrawingTask
const { Resvg } = await import("@resvg/resvg-js")
const drawing =
  picture._tag === "Avatar"
    ? portrait(picture.sitter)
    : picture._tag === "Cover"
      ? await coverCard(picture)
      : await socialCard(picture)
const png = new Resvg(drawing, {
  fitTo: { mode: "width", value: { Avatar: avatarPx, Cover: coverPx, Social: 1_200 }[picture._tag] },
  font: { loadSystemFonts: false }
})
  .render()
  .asPng()
process.stdout.write(png)
