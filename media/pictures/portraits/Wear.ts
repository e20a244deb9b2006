import type { Palette } from "./Palette.ts"

/** Clothes by layer: behind the figure, on the shoulders, over everything. */
export interface Worn {
  readonly behind?: string
  readonly body?: string
  readonly over?: string
  /** Nothing of the hair is to be seen above it. */
  readonly covers?: boolean
}

const mirror = (drawn: string) => `${drawn}<g transform="translate(1024 0) scale(-1 1)">${drawn}</g>`
const line = (colour: string, wide = 10) =>
  `stroke="${colour}" stroke-width="${wide}" fill="none" stroke-linecap="round" stroke-linejoin="round"`

const headphones = (c: Palette) =>
  `<path d="M366,470 C352,236 672,236 658,470" ${line(c.ink, 26)}/><path d="M366,440 C366,250 658,250 658,440" ${line(c.accent, 7)}/>` +
  mirror(
    `<rect x="330" y="414" width="60" height="124" rx="28" fill="${c.ink}"/><rect x="342" y="430" width="18" height="92" rx="9" fill="${c.accent}"/>`
  )
const lapels = (c: Palette) =>
  `<polygon points="512,902 420,716 470,690 512,764 554,690 604,716" fill="${c.light}"/><polygon points="512,930 404,716 368,744 430,840 410,852 500,1024 524,1024 614,852 594,840 656,744 620,716" fill="${c.clothShade}"/><polygon points="496,770 528,770 540,800 524,990 512,1010 500,990 484,800" fill="${c.accent}"/>`
const hood = (c: Palette) =>
  `<path d="M512,190 C700,190 752,380 728,560 C716,660 740,720 770,760 L254,760 C284,720 308,660 296,560 C272,380 324,190 512,190 Z" fill="${c.clothShade}"/>`
const hoodEdge = (c: Palette) =>
  `<path d="M512,222 C660,222 704,372 684,520 C676,596 664,640 640,690" ${line(c.cloth, 40)}/><path d="M512,222 C364,222 320,372 340,520 C348,596 360,640 384,690" ${line(c.cloth, 40)}/>`
const glasses = (c: Palette) =>
  mirror(
    `<circle cx="456" cy="464" r="46" ${line(c.ink, 9)}/><path d="M410,456 L376,444" ${line(c.ink, 8)}/><path d="M436,444 L452,432" ${line(c.light, 6)}/>`
  ) + `<path d="M500,456 Q512,446 524,456" ${line(c.ink, 9)}/>`

/** The mark of each archetype. */
export const wardrobe: Readonly<Record<string, (colours: Palette) => Worn>> = {
  anchor: (c) => ({
    body: lapels(c),
    over: `<path d="M646,500 C650,590 610,624 560,628" ${line(c.ink, 9)}/><ellipse cx="548" cy="626" rx="20" ry="13" fill="${c.ink}"/><rect x="630" y="436" width="34" height="70" rx="16" fill="${c.ink}"/>`
  }),
  archivist: (c) => ({
    behind: Array.from(
      { length: 12 },
      (_, each) =>
        `<rect x="${64 + each * 76}" y="${560 - ((each * 37) % 60)}" width="62" height="${470 + ((each * 37) % 60)}" rx="6" fill="${[c.cloth, c.clothShade, c.accent, c.lands[0]][each % 4]}"/><rect x="${64 + each * 76}" y="${620 - ((each * 37) % 60)}" width="62" height="10" fill="${c.glow}" opacity=".8"/>`
    ).join(""),
    body: `<path d="M396,716 Q512,800 628,716 L648,660 Q512,740 376,660 Z" fill="${c.light}"/>`,
    over: glasses(c)
  }),
  bard: (c) => ({
    over: `<path d="M350,366 C360,262 470,230 560,246 C650,260 690,330 684,362 C600,330 450,330 350,366 Z" fill="${c.cloth}"/><path d="M340,374 Q512,306 700,368 Q520,340 340,374 Z" fill="${c.clothShade}"/><path d="M634,300 C720,230 770,140 736,84 C690,110 620,190 616,292 Z" fill="${c.accent}"/><path d="M626,296 C670,220 710,150 734,92" ${line(c.light, 4)}/>`,
    covers: true
  }),
  detective: (c) => ({
    behind: "",
    over: `<path d="M400,342 C404,226 462,206 512,222 C562,206 620,226 624,342 Z" fill="${c.cloth}"/><path d="M398,330 Q512,352 626,330 L628,366 Q512,388 396,366 Z" fill="${c.accent}"/><path d="M300,380 Q512,330 724,380 Q640,420 512,412 Q384,420 300,380 Z" fill="${c.clothShade}"/>`,
    body: `<polygon points="512,960 380,700 300,760 410,900" fill="${c.clothShade}"/><polygon points="512,960 644,700 724,760 614,900" fill="${c.clothShade}"/>`,
    covers: true
  }),
  drifter: (c) => ({
    body: `<path d="M352,706 Q512,786 672,706 L690,770 Q512,850 334,770 Z" fill="${c.accent}"/><path d="M590,790 L650,780 L668,980 L600,990 Z" fill="${c.accent}"/><path d="M350,738 Q512,818 674,738" ${line(c.light, 6)}/>`
  }),
  mentor: (c) => ({
    over: `${glasses(c)}<path d="M404,560 C420,700 470,744 512,748 C554,744 604,700 620,560 C590,600 560,552 512,552 C464,552 434,600 404,560 Z" fill="#d9d5cd"/><path d="M466,580 Q512,600 558,580" ${line("#a8434a", 8)}/>`
  }),
  mystic: (c) => ({
    behind: hood(c),
    over: `${hoodEdge(c)}<path d="M486,372 Q512,348 538,372 Q512,394 486,372 Z" fill="${c.light}"/><circle cx="512" cy="371" r="9" fill="${c.accent}"/>`,
    covers: true
  }),
  night_host: (c) => ({
    behind: `<path d="M820,120 A96,96 0 1 0 890,270 A76,76 0 1 1 820,120 Z" fill="${c.glow}"/>`,
    over: headphones(c),
    body: `<path d="M432,700 Q512,770 592,700" ${line(c.accent, 14)}/>`
  }),
  oracle: (c) => ({
    over:
      `<path d="M384,356 L372,250 L440,306 L476,214 L512,298 L548,214 L584,306 L652,250 L640,356 Q512,312 384,356 Z" fill="${c.accent}"/><circle cx="512" cy="330" r="13" fill="${c.light}"/>` +
      mirror(`<path d="M376,380 C350,520 352,620 330,730" ${line(c.light, 7)}/>`)
  }),
  prankster: (c) => ({
    over: `<path d="M378,378 C320,330 260,230 226,300 C214,330 236,352 256,350 C240,230 360,210 512,330 C664,210 784,230 768,350 C788,352 810,330 798,300 C764,230 704,330 646,378 Q512,330 378,378 Z" fill="${c.accent}"/><path d="M512,330 C480,220 500,150 560,140 C560,200 560,280 540,340 Z" fill="${c.cloth}"/><circle cx="244" cy="356" r="22" fill="${c.glow}"/><circle cx="780" cy="356" r="22" fill="${c.glow}"/><circle cx="562" cy="138" r="22" fill="${c.glow}"/>`,
    body: `<polygon points="340,716 400,800 456,736 512,820 568,736 624,800 684,716 512,750" fill="${c.accent}"/>`,
    covers: true
  }),
  reporter: (c) => ({
    over: `<path d="M364,372 C364,262 450,236 540,240 C640,248 676,310 664,372 Q512,328 364,372 Z" fill="${c.cloth}"/><path d="M500,352 Q640,330 724,392 Q640,392 500,372 Z" fill="${c.clothShade}"/>`,
    body: `<g transform="rotate(14 690 860)"><rect x="664" y="790" width="52" height="240" rx="14" fill="${c.ink}"/><rect x="650" y="800" width="80" height="56" rx="8" fill="${c.accent}"/><circle cx="690" cy="744" r="50" fill="${c.ink}"/><path d="M646,736 H734 M652,760 H728" ${line(c.light, 4)}/></g>`,
    covers: true
  }),
  scientist: (c) => ({
    over:
      `<path d="M368,376 H656" ${line(c.ink, 22)}/>` +
      mirror(
        `<circle cx="446" cy="372" r="52" fill="${c.ink}"/><circle cx="446" cy="372" r="38" fill="${c.accent}"/><path d="M424,362 L446,344" ${line(c.light, 8)}/>`
      ),
    body: `<path d="M128,1024 C136,836 268,742 420,708 L512,930 V1024 Z" fill="#f4f5f7"/><path d="M896,1024 C888,836 756,742 604,708 L512,930 V1024 Z" fill="#dfe3e8"/>`
  }),
  sentinel: (c) => ({
    over:
      `<path d="M362,420 C350,270 430,222 512,222 C594,222 674,270 662,420 L618,420 Q612,372 512,366 Q412,372 406,420 Z" fill="${c.cloth}"/><path d="M494,372 H530 V480 L512,506 L494,480 Z" fill="${c.clothShade}"/><path d="M512,222 C500,130 570,110 650,130 C600,160 560,190 536,226 Z" fill="${c.accent}"/>` +
      mirror(`<path d="M362,416 L410,416 L416,560 Q380,540 370,500 Z" fill="${c.clothShade}"/>`),
    body: mirror(`<path d="M250,800 Q300,720 400,740 Q380,840 260,880 Z" fill="${c.accent}"/>`),
    covers: true
  }),
  storyteller: (c) => ({
    body:
      `<path d="M300,760 Q420,690 470,700 L512,840 L420,1024 L220,1024 Z" fill="${c.accent}"/><path d="M724,760 Q604,690 554,700 L512,840 L604,1024 L804,1024 Z" fill="${c.accent}"/>` +
      mirror(`<path d="M300,800 L400,1010 M350,760 L450,960" ${line(c.light, 5)}/>`),
    over: `<path d="M372,392 C372,300 440,262 512,262 C584,262 652,300 652,392 Q512,320 372,392 Z" fill="${c.cloth}"/><path d="M376,384 Q512,310 648,384" ${line(c.accent, 12)}/>`,
    covers: true
  }),
  trickster: (c) => ({
    over:
      `<path d="M360,438 Q440,400 512,432 Q584,400 664,438 Q660,510 590,512 Q540,510 512,478 Q484,510 434,512 Q364,510 360,438 Z" fill="${c.accent}"/>` +
      mirror(
        `<path d="M424,464 Q458,440 490,468 Q456,486 424,464 Z" fill="${c.ink}"/><circle cx="460" cy="464" r="8" fill="${c.light}"/><path d="M362,438 C330,400 330,350 350,310 C372,350 400,380 420,410 Z" fill="${c.accent}"/>`
      )
  }),
  wanderer: (c) => ({
    behind: `${hood(c)}<path d="M838,180 V1024" ${line(c.ink, 18)}/><circle cx="838" cy="176" r="34" ${line(c.accent, 12)}/>`,
    over: hoodEdge(c),
    body: `<circle cx="512" cy="760" r="26" fill="${c.accent}"/><circle cx="512" cy="760" r="12" fill="${c.light}"/>`,
    covers: true
  })
}

/** For those who say nothing of themselves that the wardrobe knows: plain clothes. */
export const plain = (c: Palette): Worn => ({ body: `<path d="M420,712 L512,812 L604,712" ${line(c.light, 12)}/>` })
