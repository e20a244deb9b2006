import { forms } from "./Style.ts"
import type { Style } from "./Style.ts"

/** Ambient: no beat, slow harmony, room. */
export const ambient: Style = {
  bpm: [60, 72],
  beatsPerBar: 4,
  swing: { unit: 1, amount: 0 },
  looseMs: 30,
  minorChance: 0.4,
  scale: { major: "lydian", minor: "dorian" },
  turns: {
    major: ["Imaj9 IVmaj9 Imaj9 VIm9", "Iadd9 V7sus4 IVmaj9 IVmaj9", "Imaj7 IIIm7 IVmaj9 VIm7"],
    minor: ["Im9 bVImaj7 IVm9 bIIImaj7", "Im9 Im9 bVIImaj7 IVm9"]
  },
  barsPerChord: 2,
  comps: [
    {
      patch: "glassPad",
      manner: "hold",
      steps: ["7..............."],
      lastsSteps: 18,
      compass: [50, 74],
      voices: 4,
      from: 1,
      level: 0.8,
      reverb: 0.55
    },
    {
      patch: "drone",
      manner: "hold",
      steps: ["6..............."],
      lastsSteps: 20,
      compass: [36, 52],
      voices: 1,
      from: 1,
      level: 1,
      reverb: 0.3
    },
    {
      patch: "felt",
      manner: "roll",
      steps: ["6.......4.......", "....5.....4.....", "5..............."],
      lastsSteps: 12,
      compass: [64, 84],
      voices: 4,
      from: 2,
      level: 0.6,
      reverb: 0.6,
      echo: 0.45
    },
    {
      patch: "bell",
      manner: "arp",
      steps: ["5.....4.....3...", "...4.......3...."],
      lastsSteps: 8,
      compass: [72, 91],
      voices: 4,
      from: 3,
      level: 0.55,
      pan: 0.3,
      reverb: 0.7,
      echo: 0.5
    }
  ],
  bass: null,
  lead: {
    patches: ["air", "flute", "solo"],
    rhythms: ["x---------------", "x-------x-------", "....x-----------", "x-----------x---"],
    compass: [67, 84],
    leap: 0.35,
    reverb: 0.6,
    echo: 0.4,
    level: 0.7
  },
  kit: "orchestral",
  drumSeat: { level: 0.4, reverb: 0.6 },
  grooves: { soft: [{}], full: [{ shaker: "2...1...2...1..." }, { kick: "3..............." }] },
  fills: false,
  form: forms.drift,
  duckRecoverySec: 0.3,
  room: { decaySec: 7, damping: 0.35 },
  echo: { steps: 6, feedback: 0.55 },
  dust: 0.05,
  swellDb: 6,
  tilt: { hz: 1_200, lowDb: 8, highDb: 11 }
}

/** Lofi: a tired sampler, good chords, a needle that has seen better days. */
export const lofi: Style = {
  bpm: [72, 86],
  beatsPerBar: 4,
  swing: { unit: 1, amount: 0.3 },
  looseMs: 12,
  minorChance: 0.4,
  scale: { major: "major", minor: "dorian" },
  turns: {
    major: ["IIm9 V13 Imaj9 VI7b9", "Imaj9 VIm9 IIm9 V7sus4", "IVmaj9 IIIm7 VI7 IIm9", "Imaj7 III7 VIm9 IVm6"],
    minor: ["Im9 IVm9 bVImaj7 V7b9", "Im9 bVIImaj7 bVImaj7 Vm7", "IVm9 bVII13 bIIImaj9 bVImaj7"]
  },
  barsPerChord: 1,
  comps: [
    {
      patch: "tines",
      manner: "hold",
      steps: ["7......5........", "6.........5.....", "7.....4...6....."],
      lastsSteps: 6,
      compass: [52, 72],
      voices: 4,
      from: 1,
      level: 0.95,
      reverb: 0.22
    },
    {
      patch: "nylon",
      manner: "roll",
      steps: ["..........5.....", "......4.......4."],
      lastsSteps: 5,
      compass: [60, 78],
      voices: 3,
      from: 3,
      level: 0.75,
      pan: 0.4,
      reverb: 0.3,
      echo: 0.2
    },
    {
      patch: "warmPad",
      manner: "hold",
      steps: ["5..............."],
      lastsSteps: 16,
      compass: [55, 70],
      voices: 3,
      from: 3,
      level: 0.6,
      reverb: 0.3,
      duck: 0.4
    }
  ],
  bass: {
    patch: "roundBass",
    steps: ["R-----..R-...5a-", "R---....R-R---a-", "R--.....5-----R-"],
    floor: 31,
    from: 2,
    level: 0.85,
    duck: 0.2
  },
  lead: {
    patches: ["felt", "vibes", "muted"],
    rhythms: ["..x-x-x---......", "x---..x-x-x-....", "......x-x---x---", "x-x-x-----......"],
    compass: [64, 81],
    leap: 0.35,
    reverb: 0.3,
    echo: 0.25,
    level: 0.8
  },
  kit: "dusty",
  drumSeat: { level: 0.85, reverb: 0.08 },
  grooves: {
    soft: [{ hat: "5.4.5.4.5.4.5.42", rim: "....5.......5..." }],
    full: [
      { kick: "9......6..8.....", snare: "....8.......8..2", hat: "5.4.5.4.5.4.5.43" },
      { kick: "9.......7.8.....", snare: "....8.......8...", hat: "6.4.5.4.6.4.5.4.", open: "..............3." },
      { kick: "9..6....8......5", snare: "....8..2....8...", shaker: "4.4.4.4.4.4.4.4." }
    ]
  },
  fills: false,
  form: forms.song,
  duckRecoverySec: 0.2,
  room: { decaySec: 1.1, damping: 0.65 },
  echo: { steps: 4, feedback: 0.28 },
  dust: 0.6,
  tilt: { hz: 900, lowDb: 2, highDb: 4 }
}

/** Jazz: a trio and someone who came in with an idea. */
export const jazz: Style = {
  bpm: [108, 152],
  beatsPerBar: 4,
  swing: { unit: 2, amount: 0.32 },
  looseMs: 9,
  minorChance: 0.4,
  scale: { major: "major", minor: "melodic minor" },
  turns: {
    major: [
      "IIm9 V13 Imaj9 VI7b9",
      "Imaj7 VI7b9 IIm7 V7b9 IIIm7 VI7 IIm9 V13",
      "Imaj9 IVm6 IIIm7 VI7 IIm9 V13 Imaj9 V13",
      "Imaj7 II7 IIm9 V13"
    ],
    minor: ["IIm7b5 V7b9 Im9 Im6", "Im9 IVm9 IIm7b5 V7b9", "IVm7 bVII13 bIIImaj9 bVImaj7 IIm7b5 V7b9 Im6 V7b9"]
  },
  barsPerChord: 1,
  comps: [
    {
      patch: "piano",
      manner: "hold",
      steps: ["..7...5.........", "7.....6.........", "......7.....5...", "5........6......"],
      lastsSteps: 2.5,
      compass: [53, 72],
      voices: 4,
      from: 1,
      level: 0.8,
      pan: -0.2,
      reverb: 0.2
    }
  ],
  bass: { patch: "upright", steps: "walk", floor: 30, from: 1, level: 1 },
  lead: {
    patches: ["muted", "vibes", "guitar", "flute"],
    rhythms: ["x-x-x-x-x---....", "..x-x-x-x-x-x-x-", "x---x-x-x-----..", "....x-x-x-x-x---", "x-x-x---..x-x-x-"],
    compass: [62, 82],
    leap: 0.5,
    reverb: 0.25,
    level: 0.95
  },
  kit: "acoustic",
  drumSeat: { level: 1.15, reverb: 0.12 },
  grooves: {
    soft: [
      { ride: "7...6.5.7...6.5.", hat: "....6.......6..." },
      { brush: "6...5.4.6...5.4.", hat: "....5.......5..." }
    ],
    full: [
      { ride: "7...7.5.7...7.5.", hat: "....6.......6...", snare: "......2.......3.", kick: "3...2...3...2..." },
      { ride: "7...7.5.7...7.5.", hat: "....6.......6...", snare: "..2.......4.....", kick: "4.........3....." }
    ]
  },
  fills: true,
  form: forms.standard,
  duckRecoverySec: 0.2,
  room: { decaySec: 1.3, damping: 0.5 },
  echo: { steps: 3, feedback: 0.2 },
  dust: 0,
  swellDb: 7
}

/** An orchestra in a large hall, with a piano in it. */
export const orchestra: Style = {
  bpm: [66, 84],
  beatsPerBar: 4,
  swing: { unit: 1, amount: 0 },
  looseMs: 16,
  minorChance: 0.55,
  scale: { major: "major", minor: "harmonic minor" },
  turns: {
    minor: ["Im bVI bIII V7", "Im IVm V7 Im", "Im bVII bVI V7", "Im bVI IVm V7sus4"],
    major: ["I VIm IV V", "I IIIm IV IVm", "I V VIm IIIm IV I IIm V7", "I bVI bVII I"]
  },
  barsPerChord: 1,
  comps: [
    {
      patch: "strings",
      manner: "hold",
      steps: ["7..............."],
      lastsSteps: 16.5,
      compass: [52, 76],
      voices: 4,
      from: 2,
      level: 1,
      reverb: 0.45
    },
    {
      patch: "piano",
      manner: "arp",
      steps: ["6.4.5.4.6.4.5.4.", "6...4...5...4...", "6.434.436.434.43"],
      lastsSteps: 5,
      compass: [55, 79],
      voices: 3,
      from: 1,
      level: 0.6,
      pan: -0.15,
      reverb: 0.4
    },
    {
      patch: "horn",
      manner: "hold",
      steps: ["7..............."],
      lastsSteps: 15,
      compass: [48, 64],
      voices: 3,
      from: 4,
      level: 0.7,
      pan: 0.3,
      reverb: 0.5
    },
    {
      patch: "harp",
      manner: "roll",
      steps: ["5...............", "........5......."],
      lastsSteps: 12,
      compass: [60, 86],
      voices: 4,
      from: 3,
      level: 0.5,
      pan: 0.4,
      reverb: 0.45
    }
  ],
  bass: {
    patch: "cello",
    steps: ["R---------------", "R-------5-------", "R-----------a---"],
    floor: 36,
    from: 1,
    level: 0.9,
    reverb: 0.35
  },
  lead: {
    patches: ["solo", "flute", "horn"],
    rhythms: ["x-------x---x---", "x-----x-x-------", "x---x---x-------", "x-----------x-x-"],
    compass: [65, 86],
    leap: 0.55,
    reverb: 0.45,
    level: 1
  },
  kit: "orchestral",
  drumSeat: { level: 0.7, reverb: 0.4 },
  grooves: {
    soft: [{}],
    full: [
      { kick: "6.......3.......", snare: "............2.22" },
      { kick: "7...............", tom: "........5...4.4." }
    ]
  },
  fills: false,
  form: forms.scene,
  duckRecoverySec: 0.3,
  room: { decaySec: 3.6, damping: 0.4 },
  echo: { steps: 4, feedback: 0.1 },
  dust: 0,
  swellDb: 6,
  tilt: { hz: 1_000, lowDb: 4, highDb: 6 }
}

/** Folk: strings, a porch, three in a bar. */
export const folk: Style = {
  bpm: [92, 126],
  beatsPerBar: 3,
  swing: { unit: 1, amount: 0 },
  looseMs: 10,
  minorChance: 0.3,
  scale: { major: "major", minor: "dorian" },
  turns: {
    major: ["I I IV I VIm IV V V", "I V VIm IV", "I IV I V I IV V I", "IV I V VIm"],
    minor: ["Im bVII bVI bVII", "Im Im bVII Im IVm Im bVII Im", "Im bIII bVII IVm"]
  },
  barsPerChord: 1,
  comps: [
    {
      patch: "guitar",
      manner: "pick",
      steps: ["7.5.5.5.5.5.", "7...5.5.5...", "7.4.6.4.6.4."],
      lastsSteps: 7,
      compass: [48, 69],
      voices: 4,
      from: 1,
      level: 0.95,
      pan: -0.25,
      reverb: 0.18
    },
    {
      patch: "nylon",
      manner: "roll",
      steps: ["....6...6...", "6...4...4..."],
      lastsSteps: 3.5,
      compass: [60, 76],
      voices: 3,
      from: 3,
      level: 0.6,
      pan: 0.4,
      reverb: 0.2
    },
    {
      patch: "reed",
      manner: "hold",
      steps: ["5..........."],
      lastsSteps: 11.5,
      compass: [55, 69],
      voices: 3,
      from: 4,
      level: 0.4,
      reverb: 0.25
    }
  ],
  bass: { patch: "upright", steps: ["R-------5---", "R---....a---", "R-----------"], floor: 31, from: 2, level: 0.9 },
  lead: {
    patches: ["flute", "solo", "banjo"],
    rhythms: ["x---x-x-x---", "x-----x-x-x-", "x-------x---", "x-x-x---x---"],
    compass: [67, 84],
    leap: 0.3,
    reverb: 0.25,
    level: 0.9
  },
  kit: "acoustic",
  drumSeat: { level: 0.8, reverb: 0.12 },
  grooves: {
    soft: [{}, { shaker: "5...3...3..." }],
    full: [
      { kick: "6...........", brush: "....5...5...", shaker: "4.2.3.2.3.2." },
      { kick: "7...........", rim: "....4...4...", shaker: "4.2.3.2.3.2." }
    ]
  },
  fills: false,
  form: forms.song,
  duckRecoverySec: 0.2,
  room: { decaySec: 1.4, damping: 0.5 },
  echo: { steps: 4, feedback: 0.15 },
  dust: 0,
  swellDb: 7
}

/** Funk and soul: the one, ghost notes, an organ in the corner. */
export const funk: Style = {
  bpm: [94, 112],
  beatsPerBar: 4,
  swing: { unit: 1, amount: 0.16 },
  looseMs: 5,
  minorChance: 0.6,
  scale: { major: "mixolydian", minor: "dorian" },
  turns: {
    minor: ["Im9 IV9 Im9 IV9", "Im7 Im7 IV13 IV13", "Im9 bIIImaj7 IV9 IV9"],
    major: ["I9 I9 IV9 I9", "Imaj9 IIm9 IIIm7 IIm9", "I9 bVII9 IV9 I9"]
  },
  barsPerChord: 1,
  comps: [
    {
      patch: "guitar",
      manner: "hold",
      steps: ["..7.37..7.3.7.3.", "7.37..7.3.7.37..", "..73.7.3..73.7.3"],
      lastsSteps: 0.6,
      compass: [60, 76],
      voices: 3,
      from: 1,
      level: 0.6,
      pan: 0.45,
      reverb: 0.08
    },
    {
      patch: "organ",
      manner: "hold",
      steps: ["7.....5.........", "7..............."],
      lastsSteps: 7,
      compass: [55, 72],
      voices: 4,
      from: 3,
      level: 0.6,
      pan: -0.3,
      reverb: 0.2
    },
    {
      patch: "tines",
      manner: "hold",
      steps: ["6..5......5.....", "..6...5...6....."],
      lastsSteps: 2,
      compass: [53, 70],
      voices: 4,
      from: 2,
      level: 0.7,
      reverb: 0.12
    }
  ],
  bass: {
    patch: "roundBass",
    steps: ["R-.R..8-..5-R.a-", "R..RR.5-8...5-a-", "R-..8.R-..R-5-a-"],
    floor: 31,
    from: 2,
    level: 1
  },
  lead: {
    patches: ["horn", "reed", "muted"],
    rhythms: ["x-..x-x-........", "..x-x-..x-x-x-..", "x-x---..x---....", "......x-x-x-x---"],
    compass: [62, 79],
    leap: 0.4,
    reverb: 0.2,
    level: 0.95
  },
  kit: "acoustic",
  drumSeat: { level: 0.95, reverb: 0.07 },
  grooves: {
    soft: [{ kick: "9.....7...8.....", hat: "6.5.6.5.6.5.6.5." }],
    full: [
      { kick: "9.7....7..8..7..", snare: "....9..2.2..9..2", hat: "6454645464546454" },
      { kick: "9..7..7...8..7..", snare: "....9.2..2..9.2.", hat: "6.546.546.546.5.", open: "..............6." }
    ]
  },
  fills: true,
  form: forms.band,
  duckRecoverySec: 0.15,
  room: { decaySec: 1, damping: 0.5 },
  echo: { steps: 3, feedback: 0.2 },
  dust: 0,
  swellDb: 6
}

/** Rock: crunch, drive, four bars to a thought. */
export const rock: Style = {
  bpm: [112, 144],
  beatsPerBar: 4,
  swing: { unit: 2, amount: 0 },
  looseMs: 6,
  minorChance: 0.55,
  scale: { major: "mixolydian", minor: "minor pentatonic" },
  turns: {
    minor: ["Im bVII bVI bVII", "Im bIII IV bVI", "Im bVI bIII bVII"],
    major: ["I bVII IV I", "I IV V IV", "I V VIm IV"]
  },
  barsPerChord: 1,
  comps: [
    {
      patch: "crunch",
      manner: "hold",
      steps: ["8.6.8.6.8.6.8.6.", "8..8..8.8..8..8.", "8...8.8.8...8.8."],
      lastsSteps: 1.8,
      compass: [45, 62],
      voices: 3,
      from: 2,
      level: 0.85,
      reverb: 0.12
    },
    {
      patch: "guitar",
      manner: "arp",
      steps: ["7.6.7.6.7.6.7.6."],
      lastsSteps: 4,
      compass: [57, 76],
      voices: 3,
      from: 1,
      level: 0.6,
      pan: 0.4,
      reverb: 0.25
    }
  ],
  bass: { patch: "sawBass", steps: ["R.R.R.R.R.R.R.R.", "R..R..R.R..R..a."], floor: 28, from: 2, level: 0.95 },
  lead: {
    patches: ["solo", "crunch"],
    rhythms: ["x-----x-x-x-x---", "x---x-x-x-------", "x-x-x---x---x---", "..x-x-x-x-----.."],
    compass: [64, 83],
    leap: 0.45,
    reverb: 0.25,
    echo: 0.2,
    level: 0.9
  },
  kit: "acoustic",
  drumSeat: { level: 1.1, reverb: 0.12 },
  grooves: {
    soft: [{ kick: "9.......9.......", hat: "7.5.7.5.7.5.7.5." }],
    full: [
      { kick: "9.....7.9.......", snare: "....9.......9...", hat: "7.6.7.6.7.6.7.6." },
      { kick: "9..7....9.7.....", snare: "....9.......9..3", ride: "7...7...7...7...", crash: "5..............." }
    ]
  },
  fills: true,
  form: forms.band,
  duckRecoverySec: 0.15,
  room: { decaySec: 1.6, damping: 0.4 },
  echo: { steps: 4, feedback: 0.2 },
  dust: 0,
  swellDb: 6
}
