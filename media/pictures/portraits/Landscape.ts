import { coordinateText, type SeededRandom, points } from "./SeededRandom.ts"
import type { Palette } from "./Palette.ts"

type Drawn = (chance: SeededRandom, colours: Palette, side: Frame) => string

/** Size of the picture, and height of its horizon. */
export interface Frame {
  readonly width: number
  readonly height: number
  readonly horizon: number
}

/** A line of hills from one edge to the other, closed at the bottom. */
const ridge = (
  chance: SeededRandom,
  { height, width }: Frame,
  y: number,
  swing: number,
  steps: number,
  fill: string
): string => {
  const step = width / steps
  const ys = Array.from({ length: steps + 1 }, () => y + chance.drawBetween(-swing, swing))
  const curve = ys
    .slice(1)
    .map((to, index) => {
      const x = index * step
      return `C${coordinateText(x + step / 2)},${coordinateText(ys[index]!)} ${coordinateText(x + step / 2)},${coordinateText(to)} ${coordinateText(x + step)},${coordinateText(to)}`
    })
    .join(" ")
  return `<path d="M0,${coordinateText(ys[0]!)} ${curve} L${width},${height} L0,${height} Z" fill="${fill}"/>`
}

const layers = (chance: SeededRandom, colours: Palette, side: Frame, swing: number, steps: number) => {
  const deep = side.height - side.horizon
  return colours.lands
    .map((fill, index) =>
      ridge(chance, side, side.horizon + deep * (0.02 + index * 0.24), swing * (1 - index * 0.2), steps + index, fill)
    )
    .join("")
}

const peaks: Drawn = (chance, colours, side) =>
  colours.lands
    .map((fill, index) => {
      const count = 4 + index
      const y = side.horizon + index * (side.height - side.horizon) * 0.25
      const line = Array.from({ length: count * 2 + 1 }, (_, each): readonly [number, number] => [
        (side.width * each) / (count * 2),
        y + (each % 2 === 1 ? -chance.drawBetween(0.08, 0.22) : chance.drawBetween(0, 0.04)) * side.height
      ])
      return `<polygon points="0,${side.height} ${points(line)} ${side.width},${side.height}" fill="${fill}"/>`
    })
    .join("")

const city: Drawn = (chance, colours, side) =>
  colours.lands
    .map((fill, index) => {
      const parts: Array<string> = []
      const base = side.horizon + (side.height - side.horizon) * 0.22 * index
      for (let x = -20; x < side.width;) {
        const wide = chance.drawBetween(46, 110)
        const high = chance.drawBetween(0.06, 0.3 - index * 0.05) * side.height
        parts.push(
          `<rect x="${coordinateText(x)}" y="${coordinateText(base - high)}" width="${coordinateText(wide + 1)}" height="${coordinateText(side.height - base + high)}" fill="${fill}"/>`
        )
        for (let row = 0; row < 6; row++) {
          for (let column = 0; column < Math.floor(wide / 20); column++) {
            if (chance.drawUnit() < 0.28)
              parts.push(
                `<rect x="${coordinateText(x + 8 + column * 20)}" y="${coordinateText(base - high + 14 + row * 26)}" width="8" height="12" fill="${colours.glow}" opacity="${coordinateText(0.25 + index * 0.2)}"/>`
              )
          }
        }
        x += wide
      }
      return parts.join("")
    })
    .join("")

const sea: Drawn = (chance, colours, side) => {
  const waves = Array.from({ length: 26 }, () => {
    const y = chance.drawBetween(side.horizon + 14, side.height)
    const near = (y - side.horizon) / (side.height - side.horizon)
    const long = chance.drawBetween(40, 120) * (0.6 + near)
    return `<rect x="${coordinateText(chance.drawBetween(-40, side.width))}" y="${coordinateText(y)}" width="${coordinateText(long)}" height="${coordinateText(2 + near * 5)}" rx="3" fill="${colours.glow}" opacity="${coordinateText(0.12 + 0.25 * near)}"/>`
  }).join("")
  return (
    `<rect y="${side.horizon}" width="${side.width}" height="${side.height - side.horizon}" fill="${colours.lands[1]}"/>${waves}` +
    ridge(chance, side, side.horizon + 2, 10, 7, colours.lands[0]).replace(
      /L\d+,\d+ L0,\d+ Z/,
      `L${side.width},${side.horizon + 12} L0,${side.horizon + 12} Z`
    )
  )
}

const forest: Drawn = (chance, colours, side) =>
  colours.lands
    .map((fill, index) => {
      const base = side.horizon + (side.height - side.horizon) * (0.1 + 0.24 * index)
      const trees = Array.from({ length: 22 - index * 4 }, (_, each) => {
        const x = (side.width * (each + chance.drawBetween(-0.3, 0.7))) / (21 - index * 4)
        const high = chance.drawBetween(0.11, 0.2) * side.height * (0.8 + index * 0.25)
        const wide = high * 0.36
        return [0, 0.28, 0.54]
          .map(
            (down) =>
              `<polygon points="${points([
                [x, base - high + high * down * 0.9],
                [x - wide * (0.34 + down), base - high * (0.52 - down * 0.9)],
                [x + wide * (0.34 + down), base - high * (0.52 - down * 0.9)]
              ])}" fill="${fill}"/>`
          )
          .join("")
      }).join("")
      return trees + ridge(chance, side, base - 6, 12, 5, fill)
    })
    .join("")

const reeds: Drawn = (chance, colours, side) =>
  sea(chance, colours, side) +
  Array.from({ length: 70 }, () => {
    const x = chance.drawBetween(0, side.width)
    const high = chance.drawBetween(0.1, 0.3) * side.height
    const lean = chance.drawBetween(-40, 40)
    return (
      `<path d="M${coordinateText(x)},${side.height} q${coordinateText(lean * 0.2)},${coordinateText(-high * 0.6)} ${coordinateText(lean)},${coordinateText(-high)}" stroke="${colours.lands[2]}" stroke-width="${coordinateText(chance.drawBetween(4, 9))}" fill="none" stroke-linecap="round"/>` +
      (chance.drawUnit() < 0.4
        ? `<ellipse cx="${coordinateText(x + lean)}" cy="${coordinateText(side.height - high)}" rx="7" ry="26" fill="${colours.lands[2]}"/>`
        : "")
    )
  }).join("")

const dunes: Drawn = (chance, colours, side) => layers(chance, colours, side, 60, 3)
const hills: Drawn = (chance, colours, side) => layers(chance, colours, side, 36, 5)

const planet: Drawn = (chance, colours, side) => {
  const x = side.width * chance.pickOne([0.17, 0.83])
  const radius = side.height * chance.drawBetween(0.1, 0.14)
  const y = side.height * 0.22
  return (
    `<g transform="rotate(-18 ${coordinateText(x)} ${coordinateText(y)})"><circle cx="${coordinateText(x)}" cy="${coordinateText(y)}" r="${coordinateText(radius)}" fill="${colours.accent}"/><circle cx="${coordinateText(x + radius * 0.3)}" cy="${coordinateText(y + radius * 0.1)}" r="${coordinateText(radius * 0.96)}" fill="${colours.lands[0]}" opacity=".35"/>` +
    `<ellipse cx="${coordinateText(x)}" cy="${coordinateText(y)}" rx="${coordinateText(radius * 1.75)}" ry="${coordinateText(radius * 0.4)}" fill="none" stroke="${colours.light}" stroke-width="7" opacity=".7"/></g>` +
    dunes(chance, colours, side)
  )
}

const worlds: ReadonlyArray<readonly [RegExp, Drawn]> = [
  [/space|planet|star|orbit|cosmic|galax|moon base/i, planet],
  [/marsh|reed|swamp|delta|wetland/i, reeds],
  [/city|street|skyline|metro|tower|urban|neon|station roof|rooftop/i, city],
  [/sea|ocean|coast|harbou?r|lighthouse|tide|island|beach|lake|river|ship/i, sea],
  [/forest|wood|tree|jungle|pine|grove/i, forest],
  [/mountain|alp|peak|glacier|snow|cliff|volcano/i, peaks],
  [/desert|dune|sand|canyon|mars/i, dunes]
]

const starry = (chance: SeededRandom, colours: Palette, { horizon, width }: Frame) =>
  Array.from(
    { length: 90 },
    () =>
      `<circle cx="${coordinateText(chance.drawBetween(0, width))}" cy="${coordinateText(chance.drawBetween(0, horizon))}" r="${coordinateText(chance.drawBetween(1, 3.2))}" fill="${colours.light}" opacity="${coordinateText(chance.drawBetween(0.3, 0.95))}"/>`
  ).join("")

const cloudy = (chance: SeededRandom, colours: Palette, { horizon, width }: Frame) =>
  Array.from({ length: 5 }, () => {
    const [x, y, wide] = [
      chance.drawBetween(0, width),
      chance.drawBetween(0.1, 0.7) * horizon,
      chance.drawBetween(120, 280)
    ]
    return `<g fill="${colours.light}" opacity=".28"><rect x="${coordinateText(x - wide / 2)}" y="${coordinateText(y)}" width="${coordinateText(wide)}" height="26" rx="13"/><rect x="${coordinateText(x - wide / 4)}" y="${coordinateText(y - 18)}" width="${coordinateText(wide / 2)}" height="26" rx="13"/></g>`
  }).join("")

/** The world somebody lives in, as far as words tell: a sky, and what stands on its horizon. */
export const landscape = (said: string, chance: SeededRandom, colours: Palette, side: Frame): string => {
  const drawn =
    worlds.find(([words]) => words.test(said))?.[1] ?? chance.pickOne([hills, dunes, peaks, sea, forest, city])
  const isNight = parseInt(colours.sky[0].slice(1, 3), 16) < 0x30
  return (
    `<rect width="${side.width}" height="${side.height}" fill="url(#sky)"/>` +
    (isNight ? starry : cloudy)(chance, colours, side) +
    drawn(chance, colours, side)
  )
}
