import { coordinateText, type SeededRandom } from "./SeededRandom.ts"
import { type Palette, skins } from "./Palette.ts"

export type Kind = keyof typeof skins

/** Position of the head, which clothes follow. */
export const head = { x: 512, y: 470, wide: 134, high: 172 } as const

const mirror = (drawn: string) => `${drawn}<g transform="translate(1024 0) scale(-1 1)">${drawn}</g>`
const oval = `M512,298 C592,298 646,360 646,452 C646,548 594,642 512,642 C430,642 378,548 378,452 C378,360 432,298 512,298 Z`
/** The side away from the light: the same shape once more, moved out of itself. */
const shade = (shape: string, skin: readonly [string, string]) =>
  `<clipPath id="head"><path d="${shape}"/></clipPath><path d="${shape}" fill="${skin[0]}"/><g clip-path="url(#head)"><path d="${shape}" fill="${skin[1]}" transform="translate(150 26)"/></g>`

const hairs: ReadonlyArray<(dark: string) => { readonly back: string; readonly front: string }> = [
  (dark) => ({
    back: "",
    front: `<path d="M374,450 C366,330 426,276 520,276 C610,276 660,336 650,450 C640,400 616,372 586,360 C520,378 440,372 414,362 C392,384 380,412 374,450 Z" fill="${dark}"/>`
  }),
  (dark) => ({
    back: `<path d="M512,262 C640,262 684,360 676,480 C672,590 700,640 706,720 L318,720 C326,640 352,590 348,480 C340,360 384,262 512,262 Z" fill="${dark}"/>`,
    front: `<path d="M378,462 C372,350 436,288 512,286 C588,288 652,350 646,462 C628,396 580,350 528,338 C470,352 396,398 378,462 Z" fill="${dark}"/>`
  }),
  (dark) => ({
    back: `<circle cx="512" cy="390" r="196" fill="${dark}"/>`,
    front: `<path d="M372,446 C366,330 440,280 512,280 C584,280 658,330 652,446 C616,380 566,362 512,362 C458,362 408,380 380,440 Z" fill="${dark}"/>`
  }),
  (dark) => ({
    back: `<circle cx="512" cy="262" r="64" fill="${dark}"/>`,
    front: `<path d="M376,452 C370,340 440,284 512,284 C584,284 654,340 648,452 C632,392 588,356 512,352 C436,356 392,392 376,452 Z" fill="${dark}"/>`
  }),
  (dark) => ({
    back: `<path d="M512,264 C632,264 672,350 668,460 C668,540 664,580 656,606 L368,606 C360,580 356,540 356,460 C352,350 392,264 512,264 Z" fill="${dark}"/>`,
    front: `<path d="M378,470 C370,352 436,284 540,284 C600,292 648,350 646,448 C606,420 560,380 540,340 C500,400 430,420 378,470 Z" fill="${dark}"/>`
  }),
  () => ({ back: "", front: "" })
]

const eye = (ink: string, open: number, tilt: number) =>
  mirror(
    `<g transform="rotate(${coordinateText(tilt)} 458 462)"><path d="M428,${coordinateText(464)} Q458,${coordinateText(464 - 26 * open)} 488,464 Q458,${coordinateText(464 + 18 * open)} 428,464 Z" fill="#fdfaf5"/><circle cx="459" cy="${coordinateText(463 - 2 * open)}" r="${coordinateText(7 + 5 * open)}" fill="${ink}"/><path d="M426,464 Q458,${coordinateText(462 - 28 * open)} 490,464" stroke="${ink}" stroke-width="6" fill="none" stroke-linecap="round"/></g>`
  )

const human = (chance: SeededRandom, colours: Palette, gender: string | null) => {
  const skin = chance.pickOne(skins.human)
  const dark = chance.pickOne([
    "#1d1a20",
    "#2e211c",
    "#4a2d1c",
    "#77452a",
    "#b98a4b",
    "#8b8f96",
    "#d8d4cc",
    colours.accent
  ])
  const long = [1, 2, 3, 4]
  const hair =
    hairs[
      gender === "female" || gender === "feminine"
        ? chance.pickOne(long)
        : gender === "male" || gender === "masculine"
          ? chance.pickOne([0, 0, 2, 5])
          : chance.drawWhole(0, 5)
    ]!(dark)
  const open = chance.drawBetween(0.55, 1)
  const brow = chance.drawBetween(-8, 8)
  const smile = chance.drawBetween(-4, 20)
  return {
    skin,
    back: hair.back,
    face:
      mirror(`<ellipse cx="376" cy="470" rx="19" ry="32" fill="${skin[1]}"/>`) +
      shade(oval, skin) +
      eye(colours.ink, open, chance.drawBetween(-5, 5)) +
      mirror(
        `<path d="M424,${coordinateText(428 + brow)} Q456,${coordinateText(410 - brow / 2)} 492,${coordinateText(428 - brow / 2)}" stroke="${dark === "#d8d4cc" ? "#8b8f96" : dark}" stroke-width="9" fill="none" stroke-linecap="round"/>`
      ) +
      `<path d="M512,452 Q526,510 530,524 Q518,536 500,530" stroke="${skin[1]}" stroke-width="8" fill="none" stroke-linecap="round" stroke-linejoin="round"/>` +
      `<path d="M468,570 Q512,${coordinateText(574 + smile)} 556,570 Q512,${coordinateText(592 + smile)} 468,570 Z" fill="#a8434a"/>` +
      mirror(`<circle cx="428" cy="530" r="24" fill="${colours.accent}" opacity=".16"/>`),
    front: hair.front
  }
}

const synthetic = (chance: SeededRandom, colours: Palette) => {
  const skin = chance.pickOne(skins.synthetic)
  const seam = `stroke="${skin[1]}" stroke-width="5" fill="none"`
  return {
    skin,
    back: mirror(
      `<circle cx="372" cy="462" r="46" fill="${colours.ink}"/><circle cx="372" cy="462" r="30" fill="${colours.accent}"/>`
    ),
    face:
      shade(oval, skin) +
      `<path d="M512,298 V${chance.drawWhole(380, 420)}" ${seam}/>` +
      mirror(`<path d="M384,512 Q430,530 446,604" ${seam}/><path d="M400,376 Q450,398 470,352" ${seam}/>`) +
      mirror(
        `<path d="M424,462 Q458,432 492,462 Q458,482 424,462 Z" fill="${colours.ink}"/><circle cx="458" cy="459" r="13" fill="${colours.accent}"/><circle cx="458" cy="459" r="5" fill="${colours.light}"/>`
      ) +
      `<path d="M512,470 L500,528 L524,528" ${seam} stroke-linejoin="round"/><path d="M472,578 H552" stroke="${colours.ink}" stroke-width="6" stroke-linecap="round" opacity=".75"/>`,
    front: `<path d="M474,336 H550" stroke="${colours.accent}" stroke-width="9" stroke-linecap="round"/>`
  }
}

const machine = (chance: SeededRandom, colours: Palette) => {
  const skin = chance.pickOne(skins.machine)
  const box = `M420,306 H604 Q650,306 650,352 V582 Q650,634 598,634 H426 Q374,634 374,582 V352 Q374,306 420,306 Z`
  const bars = Array.from({ length: 9 }, (_, index) => {
    const high = chance.drawBetween(8, 46)
    return `<rect x="${440 + index * 16}" y="${coordinateText(574 - high / 2)}" width="9" height="${coordinateText(high)}" rx="4" fill="${colours.accent}"/>`
  }).join("")
  const looks = chance.pickOne([
    mirror(
      `<circle cx="456" cy="442" r="30" fill="${colours.accent}"/><circle cx="456" cy="442" r="13" fill="${colours.light}"/>`
    ),
    `<rect x="420" y="424" width="184" height="34" rx="17" fill="${colours.accent}"/><circle cx="${chance.drawWhole(460, 560)}" cy="441" r="11" fill="${colours.light}"/>`,
    mirror(
      `<path d="M428,452 L456,424 L484,452" stroke="${colours.accent}" stroke-width="13" fill="none" stroke-linecap="round" stroke-linejoin="round"/>`
    )
  ])
  return {
    skin,
    back:
      `<path d="M512,306 V236" stroke="${colours.ink}" stroke-width="9"/><circle cx="512" cy="226" r="17" fill="${colours.accent}"/>` +
      mirror(`<rect x="344" y="412" width="44" height="112" rx="16" fill="${colours.ink}"/>`),
    face:
      shade(box, skin) +
      `<rect x="404" y="378" width="216" height="126" rx="30" fill="${colours.ink}"/>${looks}<rect x="424" y="536" width="176" height="76" rx="20" fill="${colours.ink}"/>${bars}` +
      mirror(`<circle cx="396" cy="330" r="7" fill="${colours.ink}" opacity=".6"/>`),
    front: ""
  }
}

const alien = (chance: SeededRandom, colours: Palette) => {
  const skin = chance.pickOne(skins.alien)
  const drop = `M512,262 C632,262 684,342 664,446 C648,534 572,644 512,646 C452,644 376,534 360,446 C340,342 392,262 512,262 Z`
  const lean = chance.drawBetween(16, 34)
  return {
    skin,
    back: mirror(
      `<path d="M446,292 C424,232 404,214 376,${coordinateText(206 - lean / 2)}" stroke="${skin[1]}" stroke-width="12" fill="none" stroke-linecap="round"/><circle cx="372" cy="${coordinateText(202 - lean / 2)}" r="17" fill="${colours.accent}"/>`
    ),
    face:
      shade(drop, skin) +
      mirror(
        `<g transform="rotate(${coordinateText(lean)} 448 458)"><ellipse cx="448" cy="458" rx="60" ry="37" fill="${colours.ink}"/><ellipse cx="432" cy="446" rx="15" ry="9" fill="${colours.light}" opacity=".85"/></g>`
      ) +
      mirror(`<circle cx="502" cy="540" r="5" fill="${skin[1]}"/>`) +
      `<path d="M482,590 Q512,${chance.drawWhole(588, 612)} 542,590" stroke="${colours.ink}" stroke-width="6" fill="none" stroke-linecap="round"/>` +
      Array.from(
        { length: 7 },
        () =>
          `<circle cx="${coordinateText(512 + chance.drawBetween(-70, 70))}" cy="${coordinateText(chance.drawBetween(300, 372))}" r="${coordinateText(chance.drawBetween(4, 11))}" fill="${skin[1]}"/>`
      ).join(""),
    front: ""
  }
}

const abstract = (chance: SeededRandom, colours: Palette) => {
  const skin = chance.pickOne(skins.abstract)
  const inks = [colours.accent, colours.cloth, colours.ink, colours.glow, skin[1]]
  const [x, y] = [512 + chance.drawBetween(-50, 50), 470 + chance.drawBetween(-60, 60)]
  const inner = chance.pickOne([
    Array.from(
      { length: 9 },
      (_, ring) =>
        `<circle cx="${coordinateText(x)}" cy="${coordinateText(y)}" r="${coordinateText(230 - ring * 25)}" fill="${inks[ring % 4]}" opacity=".92"/>`
    ).join(""),
    Array.from(
      { length: 13 },
      (_, bar) =>
        `<rect x="360" y="${298 + bar * 27}" width="310" height="${coordinateText(chance.drawBetween(7, 20))}" fill="${inks[bar % 4]}" transform="rotate(${coordinateText(chance.drawBetween(-3, 3))} 512 470)"/>`
    ).join(""),
    Array.from(
      { length: 14 },
      (_, ray) =>
        `<path d="M${coordinateText(x)},${coordinateText(y)} L${coordinateText(x + 420 * Math.cos((ray / 14) * 6.2832))},${coordinateText(y + 420 * Math.sin((ray / 14) * 6.2832))} L${coordinateText(x + 420 * Math.cos(((ray + 1) / 14) * 6.2832))},${coordinateText(y + 420 * Math.sin(((ray + 1) / 14) * 6.2832))} Z" fill="${inks[ray % 5]}"/>`
    ).join("")
  ])
  return {
    skin,
    back: "",
    face: `${shade(oval, skin)}<g clip-path="url(#head)">${inner}<path d="M512,290 V650" stroke="${colours.light}" stroke-width="5"/></g>`,
    front: `<path d="${oval}" fill="none" stroke="${colours.light}" stroke-width="7"/>`
  }
}

/** The head by what kind of being it is, in the layers between which things are worn. */
export const figure = (
  kind: Kind,
  chance: SeededRandom,
  colours: Palette,
  gender: string | null
): { readonly skin: readonly [string, string]; readonly back: string; readonly face: string; readonly front: string } =>
  kind === "human"
    ? human(chance, colours, gender)
    : kind === "synthetic"
      ? synthetic(chance, colours)
      : kind === "machine"
        ? machine(chance, colours)
        : kind === "alien"
          ? alien(chance, colours)
          : abstract(chance, colours)
