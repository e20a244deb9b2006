import type { Cover } from "../../../engine/ports/Covers.ts"
import { seededRandom } from "./SeededRandom.ts"
import { landscape } from "./Landscape.ts"
import { box, drawWords, shorten, keepWritable } from "./Lettering.ts"
import { paletteOf } from "./Palette.ts"
import { defs } from "./Portrait.ts"

const side = 1_400

/** The cover of a podcast: its title over a landscape, readable as a thumbnail. */
export const coverCard = async ({ line, stationName, title }: Cover): Promise<string> => {
  const colours = paletteOf(`${title} ${line}`, title)
  const shade = `<linearGradient id="shade" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${colours.ink}" stop-opacity=".12"/><stop offset=".45" stop-color="${colours.ink}" stop-opacity=".3"/><stop offset="1" stop-color="${colours.ink}" stop-opacity=".85"/></linearGradient>`
  const name = keepWritable(title) || keepWritable(stationName) || "On the air"
  const words = await drawWords(
    { width: side, height: side },
    box(
      {
        width: side - 220,
        height: side - 220,
        margin: 110,
        flexDirection: "column",
        justifyContent: "space-between",
        color: "#ffffff"
      },
      [
        box({ alignItems: "center", fontSize: 56, fontWeight: 800 }, [
          box({ width: 40, height: 40, borderRadius: 20, backgroundColor: colours.accent, marginRight: 32 }, ""),
          shorten(keepWritable(stationName) || "On the air", 30)
        ]),
        box({ flexDirection: "column" }, [
          box(
            {
              fontSize: name.length > 28 ? 116 : name.length > 14 ? 150 : 200,
              fontWeight: 800,
              lineHeight: 1.04,
              letterSpacing: -3
            },
            shorten(name, 60)
          ),
          ...(keepWritable(line) === ""
            ? []
            : [box({ fontSize: 60, marginTop: 44, lineHeight: 1.3, opacity: 0.92 }, shorten(keepWritable(line), 70))])
        ])
      ]
    )
  )
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 ${side} ${side}"><defs>${defs(colours)}${shade}</defs>` +
    `${landscape(`${title} ${line}`, seededRandom("cover", title), colours, { width: side, height: side, horizon: 760 })}<rect width="${side}" height="${side}" fill="url(#shade)"/>${words}</svg>`
  )
}
