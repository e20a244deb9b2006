import type { Sitter } from "../../../engine/ports/Portraits.ts"
import { seededRandom } from "./SeededRandom.ts"
import { figure, head, type Kind } from "./Figure.ts"
import { landscape } from "./Landscape.ts"
import { type Palette, paletteOf, skins } from "./Palette.ts"
import { signals } from "./Signals.ts"
import { plain, wardrobe } from "./Wear.ts"

/** Everything that makes one sitter look different from another, as one text. */
export const identityOf = (sitter: Sitter): string =>
  JSON.stringify([
    sitter.handle,
    sitter.entityType,
    sitter.archetype,
    sitter.gender,
    sitter.entityForm,
    sitter.signalTraits,
    sitter.worldNotes,
    sitter.prompt
  ])

const isKind = (word: string | null): word is Kind => word !== null && word in skins

export const kindOf = ({ entityForm, entityType, handle }: Sitter): Kind =>
  isKind(entityType)
    ? entityType
    : isKind(entityForm)
      ? entityForm
      : seededRandom("kind", handle, entityType).pickOne(Object.keys(skins) as Array<Kind>)

export const defs = (colours: Palette): string =>
  `<linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${colours.sky[0]}"/><stop offset=".72" stop-color="${colours.sky[1]}"/></linearGradient>` +
  `<radialGradient id="glow"><stop offset="0" stop-color="${colours.glow}" stop-opacity=".95"/><stop offset=".62" stop-color="${colours.glow}" stop-opacity=".75"/><stop offset="1" stop-color="${colours.glow}" stop-opacity="0"/></radialGradient>` +
  `<linearGradient id="cloth" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="${colours.cloth}"/><stop offset="1" stop-color="${colours.clothShade}"/></linearGradient>` +
  `<radialGradient id="edge" cx=".5" cy=".45" r=".75"><stop offset=".65" stop-color="${colours.ink}" stop-opacity="0"/><stop offset="1" stop-color="${colours.ink}" stop-opacity=".38"/></radialGradient>`

/** Head and shoulders, on a field of 1024 by 1024. */
export const drawBust = (sitter: Sitter, colours: Palette): string => {
  const chance = seededRandom("figure", identityOf(sitter))
  const worn = (wardrobe[sitter.archetype ?? ""] ?? plain)(colours)
  const { back, face, front, skin } = figure(kindOf(sitter), chance, colours, sitter.gender)
  return (
    (worn.behind ?? "") +
    back +
    `<path d="M452,600 H572 V710 Q512,760 452,710 Z" fill="${skin[1]}"/>` +
    `<path d="M128,1024 C136,836 268,742 420,708 Q512,776 604,708 C756,742 888,836 896,1024 Z" fill="url(#cloth)"/>` +
    (worn.body ?? "") +
    face +
    (worn.covers === true ? "" : front) +
    (worn.over ?? "")
  )
}

/** One sitter, as an SVG drawing: the same sitter gives the same drawing, to the last digit. */
export const portrait = (sitter: Sitter): string => {
  const identity = identityOf(sitter)
  const said = `${sitter.worldNotes ?? ""} ${sitter.prompt ?? ""}`
  const colours = paletteOf(said, identity)
  const { x, y } = head
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="1024" height="1024" viewBox="0 0 1024 1024"><defs>${defs(colours)}</defs>` +
    landscape(said, seededRandom("world", identity), colours, { width: 1024, height: 1024, horizon: 660 }) +
    `<circle cx="${x}" cy="${y - 40}" r="330" fill="url(#glow)"/>` +
    signals(sitter.signalTraits, x, y - 40, 290, colours) +
    drawBust(sitter, colours) +
    `<rect width="1024" height="1024" fill="url(#edge)"/></svg>`
  )
}
