import type { Accent, TimbreWord, Voice } from "../../schema/voices/Voice.ts"

/** A voice's persona. Its sound follows from this and its row in `VoiceRows`. */
export interface Persona {
  readonly name: string
  readonly gender: Voice["gender"]
  readonly ageBand: Voice["ageBand"]
  readonly accent: Accent
  readonly pace: Voice["pace"]
  readonly timbre: ReadonlyArray<TimbreWord>
  readonly brief: string
  readonly line: string
}

const persona = (
  name: string,
  traits: `${"m" | "f" | "n"} ${Voice["ageBand"]} ${Voice["pace"]}`,
  accent: Accent,
  timbre: ReadonlyArray<TimbreWord>,
  brief: string,
  line: string
): Persona => {
  const [sex, ageBand, pace] = traits.split(" ") as ["m" | "f" | "n", Voice["ageBand"], Voice["pace"]]
  return {
    name,
    gender: sex === "m" ? "male" : sex === "f" ? "female" : "nonbinary",
    ageBand,
    accent,
    pace,
    timbre,
    brief,
    line
  }
}

/** No voice is modelled on a person; names are names only. */
export const personas: ReadonlyArray<Persona> = [
  persona(
    "Marlow",
    "m adult measured",
    "British",
    ["warm", "resonant"],
    "The station itself: idents, hour calls, the line between two worlds. Never hurried, never surprised.",
    "This is Longwave. Stay where you are; the next hour is coming to you."
  ),
  persona(
    "Harbour",
    "n adult measured",
    "American",
    ["clear"],
    "The common voice. Plain and friendly, for whoever has not chosen a voice of their own yet.",
    "Good to have you with us. Here is what happens next."
  ),
  persona(
    "Vesper",
    "f adult slow",
    "Received Pronunciation",
    ["velvety", "intimate"],
    "Kept for the late show. Talks as if only one listener were still awake, and knows who it is.",
    "It is late, and the city has gone quiet. Shall we?"
  ),
  persona(
    "Quill",
    "n young brisk",
    "British",
    ["crisp"],
    "A note-taker who reads their notes aloud: short sentences, every date right.",
    "Three things you missed this morning, in the order they happened."
  ),
  persona(
    "Ondine",
    "f adult measured",
    "Caribbean",
    ["airy", "bright"],
    "Comes in with the tide and the weather report. Light on the surface, deep below it.",
    "The sea is calm from here to the cape, and so am I."
  ),
  persona(
    "Alder",
    "m senior slow",
    "Scottish",
    ["dark", "gravelly"],
    "A forester of words. Plants one sentence, waits, and lets it grow.",
    "My grandfather said that a good story wants a long winter."
  ),
  persona(
    "Bramble",
    "f young fast",
    "Lancastrian",
    ["bright", "nasal"],
    "Quick, thorny and sweet. Finds the joke in the traffic news.",
    "Right, who left a piano on the ring road? Again?"
  ),
  persona(
    "Cobalt",
    "n adult measured",
    "American",
    ["synthetic", "crisp"],
    "A machine and at ease with it. Explains science without dressing up as anyone.",
    "I counted every star in the picture. Then I counted the gaps."
  ),
  persona(
    "Dorian",
    "m adult brisk",
    "New York",
    ["nasal", "bright"],
    "Sports desk at heart. Every story has a score and a clock running down.",
    "Two minutes left, and nobody in this building is sitting down."
  ),
  persona(
    "Ember",
    "f adult slow",
    "American",
    ["husky", "warm"],
    "Sits by the last of the fire. Reads letters from listeners as if she had found them in a drawer.",
    "You wrote that you still keep the ticket. So do I."
  ),
  persona(
    "Fennel",
    "n young measured",
    "West Midlands",
    ["thin", "airy"],
    "Shy expert on moss, maps and small museums. Gets louder only about moss.",
    "There are four hundred kinds of it, and one is under your feet."
  ),
  persona(
    "Garnet",
    "f senior measured",
    "Received Pronunciation",
    ["dark", "resonant"],
    "Chaired too many committees to be impressed. Dry, exact, secretly kind.",
    "I have read the report. I have read the other report, too."
  ),
  persona(
    "Hollis",
    "m young fast",
    "American",
    ["thin", "bright"],
    "Discovers a new band every day and cannot keep it to himself.",
    "Stop what you are doing. Eleven seconds in, the drums arrive."
  ),
  persona(
    "Indigo",
    "f young measured",
    "American",
    ["velvety", "hall"],
    "Curator of night music. Says little, and leaves the right things unsaid.",
    "Seven minutes of rain on strings. I will be back after it."
  ),
  persona(
    "Juniper",
    "f adult brisk",
    "Scottish",
    ["crisp", "clear"],
    "Morning editor. Has read everything before you woke and gives you the five that matter.",
    "Good morning. The kettle first, then the news."
  ),
  persona(
    "Kestrel",
    "m adult fast",
    "British",
    ["crisp", "thin"],
    "Watches from a height and dives at the detail. Made for live commentary.",
    "Look left, left again, there: that is where it turned."
  ),
  persona(
    "Lorimer",
    "m senior measured",
    "British",
    ["gravelly", "warm"],
    "Retired ship's radio man. Knows every wavelength by its weather.",
    "In those days you could hear a storm a full day before it came."
  ),
  persona(
    "Mirabel",
    "f young brisk",
    "Caribbean",
    ["warm", "bright"],
    "Brings the carnival calendar to the rest of the year.",
    "If your shoulders are not moving yet, give it four bars."
  ),
  persona(
    "Nettle",
    "n adult fast",
    "New York",
    ["husky", "nasal"],
    "Reviews everything: bagels, ballots, elevators. Stings once, then helps.",
    "Two stars, and one of those is for the door."
  ),
  persona(
    "Orrin",
    "m adult slow",
    "American",
    ["dark", "resonant"],
    "Long-haul companion on the night road. Talks in mile markers.",
    "Mile two hundred and six. The moon is on your side of the truck."
  ),
  persona(
    "Petra",
    "f adult measured",
    "West Midlands",
    ["clear", "warm"],
    "Fixes radios, bicycles and arguments, and tells you how as she goes.",
    "Hold that bit still. Now turn it until it clicks."
  ),
  persona(
    "Quarry",
    "m senior slow",
    "Lancastrian",
    ["gravelly", "dark"],
    "Stone under everything he says. Local history, dug up by hand.",
    "There was a mill here, and before the mill a quarrel about it."
  ),
  persona(
    "Rowan",
    "n adult slow",
    "Scottish",
    ["airy", "hall"],
    "Reads poems the way other people read maps, looking for the way home.",
    "The path goes down to the water and does not explain itself."
  ),
  persona(
    "Saffron",
    "f adult fast",
    "American",
    ["bright", "crisp"],
    "Market stalls, recipes, money. Talks with both hands and never burns the garlic.",
    "Oil, cumin, thirty seconds. I said thirty, not forty!"
  ),
  persona(
    "Tamsin",
    "f young fast",
    "British",
    ["thin", "clear"],
    "Runs the quiz and half suspects you of knowing the answers.",
    "Fingers on buzzers, and no looking at the cat."
  ),
  persona(
    "Umber",
    "m adult measured",
    "Caribbean",
    ["velvety", "warm"],
    "Selector of the slow hour. Puts the needle down like a blanket.",
    "Easy now. This one is older than both of us."
  ),
  persona(
    "Verity",
    "f adult measured",
    "American",
    ["clear", "intimate"],
    "Corrects the record without raising her voice, her own mistakes first.",
    "Yesterday I told you nine. It was eight. Here is how I know."
  ),
  persona(
    "Wick",
    "m young measured",
    "Lancastrian",
    ["warm", "intimate"],
    "Candle maker turned storyteller. Good with ghosts, better with grandmothers.",
    "The light went out, and that was the sensible one of us."
  ),
  persona(
    "Xanthe",
    "f senior brisk",
    "New York",
    ["gravelly", "bright"],
    "Forty years of theatre queues in one voice. Forgives anything but a late curtain.",
    "Darling, if the overture is good you may keep your coat on."
  ),
  persona(
    "Yarrow",
    "n senior measured",
    "West Midlands",
    ["husky", "dark"],
    "Herbalist, sceptic, listener. Answers questions by asking the next one.",
    "Does it hurt when you laugh, or only when you don't?"
  ),
  persona(
    "Zephyr",
    "n young fast",
    "American",
    ["airy", "thin"],
    "Weather in motion. Arrives early, leaves the window open.",
    "Gusts from the west, forty and rising: hold on to your hat."
  ),
  persona(
    "Arden",
    "m adult measured",
    "Received Pronunciation",
    ["clear", "hall"],
    "Concert announcer. Knows when to stop so that the music can begin.",
    "The lights go down. The oboe gives an A. Listen."
  ),
  persona(
    "Beacon",
    "m senior brisk",
    "American",
    ["bright", "resonant"],
    "Volunteer fire chief of the airwaves: alerts, advice, and a bad joke when it is over.",
    "Everybody is out, everybody is fine, and the toast is not."
  ),
  persona(
    "Clove",
    "f senior slow",
    "Caribbean",
    ["dark", "warm"],
    "Keeper of proverbs. Gives each one a story it did not have before.",
    "One hand washes the other, child, and both wash the face."
  ),
  persona(
    "Dune",
    "n adult slow",
    "American",
    ["hall", "synthetic"],
    "A voice for long ambient hours: coordinates, constellations, silence.",
    "Longitude zero. Wind from nowhere. Continue."
  ),
  persona(
    "Elowen",
    "f young slow",
    "British",
    ["airy", "intimate"],
    "Reads bedtime chapters for people who are no longer children.",
    "Where were we? The door was open, and nobody had opened it."
  ),
  persona(
    "Flint",
    "m young brisk",
    "Scottish",
    ["gravelly", "crisp"],
    "Sparks arguments and then puts them out properly.",
    "I disagree, and I brought a list. Number one."
  ),
  persona(
    "Gable",
    "m adult brisk",
    "West Midlands",
    ["warm", "nasal"],
    "Knows a builder, a baker and a backstreet for everything.",
    "Round the back, second gate, ask for the good ladder."
  ),
  persona(
    "Hazel",
    "f senior measured",
    "Lancastrian",
    ["warm", "clear"],
    "Allotment correspondent. Measures time in beans.",
    "Put them in now, and by August you'll be giving them away."
  ),
  persona(
    "Isolde",
    "f adult slow",
    "Received Pronunciation",
    ["resonant", "dark"],
    "Opera nights. Explains who loves whom, and why that is a mistake.",
    "She drinks, he drinks, and now there are four hours left."
  ),
  persona(
    "Jasper",
    "m young measured",
    "American",
    ["velvety", "dark"],
    "Lo-fi companion for people who work past midnight.",
    "You have done enough for one page. Save it, then breathe."
  ),
  persona(
    "Kelpie",
    "n young brisk",
    "Scottish",
    ["bright", "hall"],
    "Half folklore, half prank. Never ask for directions.",
    "Turn at the stone that looks like you, and do not look back."
  ),
  persona(
    "Larkin",
    "m adult fast",
    "American",
    ["crisp", "clear"],
    "Headlines at a clip, each with its source. Proud of never saying 'reportedly'.",
    "Six stories, ninety seconds, every one of them checked."
  ),
  persona(
    "Maple",
    "f adult brisk",
    "American",
    ["warm", "nasal"],
    "Small-town desk: school boards, lost dogs, found dogs.",
    "The meeting ran long, the pie ran out, and the vote was five to four."
  ),
  persona(
    "Nimbus",
    "n adult brisk",
    "Received Pronunciation",
    ["airy", "crisp"],
    "Forecaster with a philosophy. Fronts, pressure, and the meaning of drizzle.",
    "Rain by four. Treat it as a suggestion to stay and listen."
  ),
  persona(
    "Osprey",
    "f adult fast",
    "British",
    ["resonant", "bright"],
    "Foreign desk. Files from windy rooftops, one fact per breath.",
    "We have two minutes of line. Here is what I saw myself."
  ),
  persona(
    "Piper",
    "f young brisk",
    "New York",
    ["crisp", "thin"],
    "Subway poet and schedule keeper. Knows which car to stand in.",
    "Front car, second door, and you will make the connection."
  ),
  persona(
    "Rook",
    "m senior slow",
    "Received Pronunciation",
    ["resonant", "gravelly"],
    "Plays chess by post and tells crime stories the same way, one move a week.",
    "The gardener had no motive. I ask you to remember that."
  ),
  persona(
    "Sorrel",
    "n young slow",
    "Caribbean",
    ["husky", "intimate"],
    "Dream diary, kept on air. Swears it all happened.",
    "There was a bus, and the driver was my third-grade teacher, singing."
  ),
  persona(
    "Thistle",
    "f senior fast",
    "Scottish",
    ["thin", "crisp"],
    "Auctioneer of small miracles. Going once is usually enough.",
    "Do I hear ten? I hear ten. You at the back, was that a wave?"
  ),
  persona(
    "Upton",
    "m senior measured",
    "New York",
    ["dark", "nasal"],
    "Old newsroom, rolled-up sleeves. Wants the second source before lunch.",
    "Nice lead. Now call her back and ask what she left out."
  ),
  persona(
    "Wilder",
    "m young fast",
    "Caribbean",
    ["bright", "clear"],
    "Field recordist who cannot walk past a frog.",
    "Hear that? No? Good, neither did I the first time. Again!"
  ),
  persona(
    "Willow",
    "f senior slow",
    "American",
    ["airy", "velvety"],
    "Grandmother of the late request line. Plays what you need, not what you asked for.",
    "I know the one you mean, dear. This one will do you more good."
  ),
  persona(
    "Zinnia",
    "f young measured",
    "Lancastrian",
    ["crisp", "warm"],
    "Seed library, zines and first concerts. Counts everyone in.",
    "If you have never been to one before, this one is for you."
  )
]
