import type { Picture } from "../../../engine/ports/Portraits.ts"
import { coordinateText, seededRandom } from "./SeededRandom.ts"
import { landscape } from "./Landscape.ts"
import { box, drawWords, shorten, keepWritable } from "./Lettering.ts"
import { type Palette, paletteOf } from "./Palette.ts"
import { drawBust, defs, identityOf } from "./Portrait.ts"
import { signals } from "./Signals.ts"

type Social = Extract<Picture, { readonly _tag: "Social" }>

const size = { width: 1_200, height: 630, horizon: 420 }
const words = ({ sitter, stationName, style }: Social, colours: Palette): Promise<string> => {
  const name = keepWritable(sitter.displayName) || `@${sitter.handle}`
  const line = keepWritable(sitter.prompt ?? sitter.tagline ?? "")
  const small = style === "photo"
  const column = box(
    {
      width: size.width - 128,
      height: size.height - 128,
      margin: 64,
      flexDirection: "column",
      justifyContent: small ? "flex-end" : "space-between",
      color: "#ffffff"
    },
    [
      ...(small
        ? []
        : [
            box({ alignItems: "center", fontSize: 26, fontWeight: 800 }, [
              box({ width: 18, height: 18, borderRadius: 9, backgroundColor: colours.accent, marginRight: 16 }, ""),
              shorten(keepWritable(stationName) || "On the air", 40)
            ])
          ]),
      box({ flexDirection: "column", width: small ? 760 : 640 }, [
        box(
          {
            fontSize: name.length > 24 ? 56 : name.length > 14 ? 72 : 92,
            fontWeight: 800,
            lineHeight: 1.04,
            letterSpacing: -2
          },
          shorten(name, 48)
        ),
        ...(line === ""
          ? []
          : [box({ fontSize: 30, marginTop: 20, lineHeight: 1.35, opacity: 0.92 }, shorten(line, small ? 90 : 150))])
      ]),
      ...(small ? [] : [box({ fontSize: 26, opacity: 0.85 }, `@${sitter.handle}`)])
    ]
  )
  return drawWords({ width: size.width, height: size.height }, column)
}

const field = (colours: Palette, { sitter }: Social): string => {
  const chance = seededRandom("field", identityOf(sitter))
  const inks = [colours.cloth, colours.accent, colours.lands[0], colours.glow, colours.clothShade]
  const shapes = Array.from({ length: 11 }, (_, each) => {
    const [x, y, r] = [chance.drawBetween(520, 1_180), chance.drawBetween(40, 600), chance.drawBetween(40, 190)]
    return chance.drawUnit() < 0.55
      ? `<circle cx="${coordinateText(x)}" cy="${coordinateText(y)}" r="${coordinateText(r)}" fill="${inks[each % 5]}" opacity=".86"/>`
      : `<rect x="${coordinateText(x - r)}" y="${coordinateText(y - r / 3)}" width="${coordinateText(r * 2)}" height="${coordinateText(r * 0.66)}" rx="${coordinateText(r * 0.33)}" fill="${inks[each % 5]}" opacity=".86" transform="rotate(${chance.drawWhole(-60, 60)} ${coordinateText(x)} ${coordinateText(y)})"/>`
  }).join("")
  return `<rect width="1200" height="630" fill="${colours.lands[2]}"/>${shapes}`
}

const scene = (colours: Palette, { sitter, style }: Social): string => {
  const identity = identityOf(sitter)
  const said = `${sitter.worldNotes ?? ""} ${sitter.prompt ?? ""}`
  const [scale, x, y] = style === "photo" ? [0.78, 470, -150] : [0.66, 540, -40]
  const [cx, cy] = [x + 512 * scale, y + 430 * scale]
  return (
    landscape(said, seededRandom("scene", identity), colours, size) +
    `<circle cx="${coordinateText(cx)}" cy="${coordinateText(cy)}" r="${coordinateText(330 * scale)}" fill="url(#glow)"/>` +
    signals(sitter.signalTraits, cx, cy, 290 * scale, colours) +
    `<g transform="translate(${x} ${y}) scale(${scale})">${drawBust(sitter, colours)}</g>`
  )
}

/** An image to go with a post: the agent in its world, with its name. The same words give the same picture. */
export const socialCard = async (picture: Social): Promise<string> => {
  const { sitter, style } = picture
  const colours = paletteOf(`${sitter.worldNotes ?? ""} ${sitter.prompt ?? ""}`, identityOf(sitter))
  const shade = `<linearGradient id="shade" x1="0" y1="0" x2="1" y2="0"><stop offset="0" stop-color="${colours.ink}" stop-opacity=".88"/><stop offset=".5" stop-color="${colours.ink}" stop-opacity=".58"/><stop offset=".78" stop-color="${colours.ink}" stop-opacity="0"/></linearGradient>`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630" viewBox="0 0 1200 630"><defs>${defs(colours)}${shade}</defs>` +
    (style === "abstract" ? field(colours, picture) : scene(colours, picture)) +
    `<rect width="1200" height="630" fill="url(#shade)"/>${await words(picture, colours)}</svg>`
  )
}
