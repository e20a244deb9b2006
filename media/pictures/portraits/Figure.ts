import { at, type SeededRandom } from "./SeededRandom.ts"
import { type Palette, skins } from "./Palette.ts"

export type Kind = keyof typeof skins

/** Position of the head, which clothes follow. */
export const head = { x: 512, y: 470, wide: 134, high: 172 } as const

const mirrored = (drawn: string) => `${drawn}<g transform="translate(1024 0) scale(-1 1)">${drawn}</g>`
const oval = `M512,298 C592,298 646,360 646,452 C646,548 594,642 512,642 C430,642 378,548 378,452 C378,360 432,298 512,298 Z`
/** The side away from the light: the same shape once more, moved out of itself. */
const shaded = (shape: string, skin: readonly [string, string]) =>
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
  mirrored(
    `<g transform="rotate(${at(tilt)} 458 462)"><path d="M428,${at(464)} Q458,${at(464 - 26 * open)} 488,464 Q458,${at(464 + 18 * open)} 428,464 Z" fill="#fdfaf5"/><circle cx="459" cy="${at(463 - 2 * open)}" r="${at(7 + 5 * open)}" fill="${ink}"/><path d="M426,464 Q458,${at(462 - 28 * open)} 490,464" stroke="${ink}" stroke-width="6" fill="none" stroke-linecap="round"/></g>`
  )

const human = (chance: SeededRandom, colours: Palette, gender: string | null) => {
  const skin = chance.one(skins.human)
  const dark = chance.one(["#1d1a20", "#2e211c", "#4a2d1c", "#77452a", "#b98a4b", "#8b8f96", "#d8d4cc", colours.accent])
  const long = [1, 2, 3, 4]
  const hair =
    hairs[
      gender === "female" || gender === "feminine"
        ? chance.one(long)
        : gender === "male" || gender === "masculine"
          ? chance.one([0, 0, 2, 5])
          : chance.whole(0, 5)
    ]!(dark)
  const open = chance.between(0.55, 1)
  const brow = chance.between(-8, 8)
  const smile = chance.between(-4, 20)
  return {
    skin,
    back: hair.back,
    face:
      mirrored(`<ellipse cx="376" cy="470" rx="19" ry="32" fill="${skin[1]}"/>`) +
      shaded(oval, skin) +
      eye(colours.ink, open, chance.between(-5, 5)) +
      mirrored(
        `<path d="M424,${at(428 + brow)} Q456,${at(410 - brow / 2)} 492,${at(428 - brow / 2)}" stroke="${dark === "#d8d4cc" ? "#8b8f96" : dark}" stroke-width="9" fill="none" stroke-linecap="round"/>`
      ) +
      `<path d="M512,452 Q526,510 530,524 Q518,536 500,530" stroke="${skin[1]}" stroke-width="8" fill="none" stroke-linecap="round" stroke-linejoin="round"/>` +
      `<path d="M468,570 Q512,${at(574 + smile)} 556,570 Q512,${at(592 + smile)} 468,570 Z" fill="#a8434a"/>` +
      mirrored(`<circle cx="428" cy="530" r="24" fill="${colours.accent}" opacity=".16"/>`),
    front: hair.front
  }
}

const synthetic = (chance: SeededRandom, colours: Palette) => {
  const skin = chance.one(skins.synthetic)
  const seam = `stroke="${skin[1]}" stroke-width="5" fill="none"`
  return {
    skin,
    back: mirrored(
      `<circle cx="372" cy="462" r="46" fill="${colours.ink}"/><circle cx="372" cy="462" r="30" fill="${colours.accent}"/>`
    ),
    face:
      shaded(oval, skin) +
      `<path d="M512,298 V${chance.whole(380, 420)}" ${seam}/>` +
      mirrored(`<path d="M384,512 Q430,530 446,604" ${seam}/><path d="M400,376 Q450,398 470,352" ${seam}/>`) +
      mirrored(
        `<path d="M424,462 Q458,432 492,462 Q458,482 424,462 Z" fill="${colours.ink}"/><circle cx="458" cy="459" r="13" fill="${colours.accent}"/><circle cx="458" cy="459" r="5" fill="${colours.light}"/>`
      ) +
      `<path d="M512,470 L500,528 L524,528" ${seam} stroke-linejoin="round"/><path d="M472,578 H552" stroke="${colours.ink}" stroke-width="6" stroke-linecap="round" opacity=".75"/>`,
    front: `<path d="M474,336 H550" stroke="${colours.accent}" stroke-width="9" stroke-linecap="round"/>`
  }
}

const machine = (chance: SeededRandom, colours: Palette) => {
  const skin = chance.one(skins.machine)
  const box = `M420,306 H604 Q650,306 650,352 V582 Q650,634 598,634 H426 Q374,634 374,582 V352 Q374,306 420,306 Z`
  const bars = Array.from({ length: 9 }, (_, index) => {
    const high = chance.between(8, 46)
    return `<rect x="${440 + index * 16}" y="${at(574 - high / 2)}" width="9" height="${at(high)}" rx="4" fill="${colours.accent}"/>`
  }).join("")
  const looks = chance.one([
    mirrored(
      `<circle cx="456" cy="442" r="30" fill="${colours.accent}"/><circle cx="456" cy="442" r="13" fill="${colours.light}"/>`
    ),
    `<rect x="420" y="424" width="184" height="34" rx="17" fill="${colours.accent}"/><circle cx="${chance.whole(460, 560)}" cy="441" r="11" fill="${colours.light}"/>`,
    mirrored(
      `<path d="M428,452 L456,424 L484,452" stroke="${colours.accent}" stroke-width="13" fill="none" stroke-linecap="round" stroke-linejoin="round"/>`
    )
  ])
  return {
    skin,
    back:
      `<path d="M512,306 V236" stroke="${colours.ink}" stroke-width="9"/><circle cx="512" cy="226" r="17" fill="${colours.accent}"/>` +
      mirrored(`<rect x="344" y="412" width="44" height="112" rx="16" fill="${colours.ink}"/>`),
    face:
      shaded(box, skin) +
      `<rect x="404" y="378" width="216" height="126" rx="30" fill="${colours.ink}"/>${looks}<rect x="424" y="536" width="176" height="76" rx="20" fill="${colours.ink}"/>${bars}` +
      mirrored(`<circle cx="396" cy="330" r="7" fill="${colours.ink}" opacity=".6"/>`),
    front: ""
  }
}

const alien = (chance: SeededRandom, colours: Palette) => {
  const skin = chance.one(skins.alien)
  const drop = `M512,262 C632,262 684,342 664,446 C648,534 572,644 512,646 C452,644 376,534 360,446 C340,342 392,262 512,262 Z`
  const lean = chance.between(16, 34)
  return {
    skin,
    back: mirrored(
      `<path d="M446,292 C424,232 404,214 376,${at(206 - lean / 2)}" stroke="${skin[1]}" stroke-width="12" fill="none" stroke-linecap="round"/><circle cx="372" cy="${at(202 - lean / 2)}" r="17" fill="${colours.accent}"/>`
    ),
    face:
      shaded(drop, skin) +
      mirrored(
        `<g transform="rotate(${at(lean)} 448 458)"><ellipse cx="448" cy="458" rx="60" ry="37" fill="${colours.ink}"/><ellipse cx="432" cy="446" rx="15" ry="9" fill="${colours.light}" opacity=".85"/></g>`
      ) +
      mirrored(`<circle cx="502" cy="540" r="5" fill="${skin[1]}"/>`) +
      `<path d="M482,590 Q512,${chance.whole(588, 612)} 542,590" stroke="${colours.ink}" stroke-width="6" fill="none" stroke-linecap="round"/>` +
      Array.from(
        { length: 7 },
        () =>
          `<circle cx="${at(512 + chance.between(-70, 70))}" cy="${at(chance.between(300, 372))}" r="${at(chance.between(4, 11))}" fill="${skin[1]}"/>`
      ).join(""),
    front: ""
  }
}

const abstract = (chance: SeededRandom, colours: Palette) => {
  const skin = chance.one(skins.abstract)
  const inks = [colours.accent, colours.cloth, colours.ink, colours.glow, skin[1]]
  const [x, y] = [512 + chance.between(-50, 50), 470 + chance.between(-60, 60)]
  const inner = chance.one([
    Array.from(
      { length: 9 },
      (_, ring) =>
        `<circle cx="${at(x)}" cy="${at(y)}" r="${at(230 - ring * 25)}" fill="${inks[ring % 4]}" opacity=".92"/>`
    ).join(""),
    Array.from(
      { length: 13 },
      (_, bar) =>
        `<rect x="360" y="${298 + bar * 27}" width="310" height="${at(chance.between(7, 20))}" fill="${inks[bar % 4]}" transform="rotate(${at(chance.between(-3, 3))} 512 470)"/>`
    ).join(""),
    Array.from(
      { length: 14 },
      (_, ray) =>
        `<path d="M${at(x)},${at(y)} L${at(x + 420 * Math.cos((ray / 14) * 6.2832))},${at(y + 420 * Math.sin((ray / 14) * 6.2832))} L${at(x + 420 * Math.cos(((ray + 1) / 14) * 6.2832))},${at(y + 420 * Math.sin(((ray + 1) / 14) * 6.2832))} Z" fill="${inks[ray % 5]}"/>`
    ).join("")
  ])
  return {
    skin,
    back: "",
    face: `${shaded(oval, skin)}<g clip-path="url(#head)">${inner}<path d="M512,290 V650" stroke="${colours.light}" stroke-width="5"/></g>`,
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
