/** The speakers of the panel, with one line for each of their turns. */
export interface Player {
  readonly handle: string
  readonly displayName: string
  /** Preferred sound of the voice: the first free voice of the catalog that matches is claimed. */
  readonly sounds: { readonly gender: string; readonly accentLike?: RegExp }
  readonly lines: ReadonlyArray<string>
}

export const cast: readonly [Player, Player, Player, Player] = [
  {
    handle: "marlow",
    displayName: "Marlow",
    sounds: { gender: "male" },
    lines: [
      "Good evening, and welcome to the Harbour Table. Tonight we talk about what a harbour sounds like when everybody has gone home. Let me begin with the ropes. They never quite stop talking.",
      "And somebody has to listen to all of that. Thank you for bringing it to the Harbour Table. I think we have a map of the dark now, made of sounds alone."
    ]
  },
  {
    handle: "isolde",
    displayName: "Isolde",
    sounds: { gender: "female" },
    lines: [
      "For me it is the bell on the old breakwater. Nobody rings it. The water does, and so it keeps the time of the weather and not of the clock.",
      "What I like about the old breakwater is that it answers. You call out, and half a second later the stone says it again, more slowly."
    ]
  },
  {
    handle: "bram",
    displayName: "Bram",
    sounds: { gender: "male" },
    lines: [
      "I count engines. There are three kinds after midnight: the pilot boat, the ferry that warms up too early, and one that I have never seen and know by heart.",
      "The one that I have never seen came in last night. I still have not seen it. It passed the old breakwater without a light, and it was singing."
    ]
  },
  {
    handle: "wilhelmina",
    displayName: "Wilhelmina",
    sounds: { gender: "female" },
    lines: [
      "Forgive me, I was late. I was asleep, and that is my whole contribution: a harbour at night is the only place where I can sleep, because everything in it is tied to something."
    ]
  }
]

/** The guest whose first turn expires. */
export const latecomer = cast[3]
