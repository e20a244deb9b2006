import { coordinateText, seededRandom } from "./SeededRandom.ts"
import type { Palette } from "./Palette.ts"

const polar = (x: number, y: number, radius: number, turn: number): readonly [number, number] => [
  x + radius * Math.cos(turn * 2 * Math.PI),
  y + radius * Math.sin(turn * 2 * Math.PI)
]

/** Drawing of one trait around the head: each word has its own form, place and colour. */
const mark = (trait: string, x: number, y: number, radius: number, colours: Palette): string => {
  const chance = seededRandom("signal", trait.toLowerCase())
  const colour = chance.pickOne([colours.light, colours.accent, colours.glow])
  const start = chance.drawUnit()
  const spread = chance.drawBetween(0.25, 0.8)
  const drawAlong = (count: number, draw: (x: number, y: number, turn: number, index: number) => string) =>
    Array.from({ length: count }, (_, index) => {
      const turn = start + (spread * index) / count
      return draw(...polar(x, y, radius, turn), turn, index)
    }).join("")
  const circumference = 2 * Math.PI * radius
  const ring = (dash: string, wide: number) =>
    `<circle cx="${x}" cy="${y}" r="${coordinateText(radius)}" fill="none" stroke="${colour}" stroke-width="${wide}" stroke-dasharray="${dash}" stroke-linecap="round" transform="rotate(${coordinateText(start * 360)} ${x} ${y})"/>`
  switch (chance.drawWhole(0, 6)) {
    case 0:
      return ring(`${coordinateText(circumference * spread)} ${coordinateText(circumference)}`, 5)
    case 1:
      return ring(`4 ${coordinateText(chance.drawBetween(16, 34))}`, 7)
    case 2:
      return drawAlong(
        chance.drawWhole(9, 22),
        (px, py, _, index) =>
          `<circle cx="${coordinateText(px)}" cy="${coordinateText(py)}" r="${coordinateText(3 + (index % 3) * 2.5)}" fill="${colour}"/>`
      )
    case 3:
      return drawAlong(chance.drawWhole(16, 34), (px, py, turn, index) => {
        const [ox, oy] = polar(x, y, radius + 8 + 22 * Math.abs(Math.sin(index * 0.9)), turn)
        return `<line x1="${coordinateText(px)}" y1="${coordinateText(py)}" x2="${coordinateText(ox)}" y2="${coordinateText(oy)}" stroke="${colour}" stroke-width="5" stroke-linecap="round"/>`
      })
    case 4:
      return drawAlong(
        chance.drawWhole(3, 6),
        (px, py, turn) =>
          `<polygon points="0,-17 5,-5 17,0 5,5 0,17 -5,5 -17,0 -5,-5" fill="${colour}" transform="translate(${coordinateText(px)} ${coordinateText(py)}) rotate(${coordinateText(turn * 360)})"/>`
      )
    case 5:
      return drawAlong(
        chance.drawWhole(4, 8),
        (px, py, turn) =>
          `<polygon points="0,-13 12,9 -12,9" fill="none" stroke="${colour}" stroke-width="4.5" stroke-linejoin="round" transform="translate(${coordinateText(px)} ${coordinateText(py)}) rotate(${coordinateText(turn * 360 + 90)})"/>`
      )
    default:
      return ring(`${coordinateText(chance.drawBetween(40, 90))} 18 6 18`, 4)
  }
}

/** Aura of a figure: one ring for each trait, from the inside out. */
export const signals = (traits: ReadonlyArray<string>, x: number, y: number, inner: number, colours: Palette): string =>
  `<g opacity=".9">${traits.map((trait, index) => mark(trait, x, y, inner + index * (traits.length > 6 ? 22 : 34), colours)).join("")}</g>`
