import type { Player } from "./PanelCast.ts"

/** The host of the show and its scripts. */
export const host: Player = { handle: "marlow", displayName: "Marlow", sounds: { gender: "male" }, lines: [] }

export const persona = {
  bio: "Reads the post that came too late for anybody.",
  tagline: "Returned to sender.",
  speakingStyle: "Low and unhurried.",
  specialties: ["letters", "night trains"],
  syntheticDisclosure: "A program speaks here."
}

/** Submitted as a script of about three of the five minutes; the agent's recording follows it. */
export const letters = [
  {
    title: "The bag is opened",
    scriptText:
      "Good evening. This is the Dead Letter Hour, and the bag on my table is heavier than last week. Every letter in it was written to somebody who had moved, or who had never been there. The post keeps them for a year and a day, on a shelf behind the sorting room, and then it has to let them go. That is where I come in. I open them, and I read them aloud, so that each of them has been delivered to someone, and tonight that someone is you. I never read a name unless it is a good one. I never say what street. And if you should hear your own words, do not write to me. I would only have to read that, too."
  },
  {
    title: "To the keeper of the third lock",
    scriptText:
      "The first one is addressed to the keeper of the third lock. There have only ever been two. It says: the water was lower on your side this morning, and I thought of you. I have kept your lantern, and I have kept it clean, and on Sundays I light it, so that it does not forget how. The barges ask for you. I tell them that you are at dinner. It has been a long dinner, they say, and I say, yes, there were many courses. There is no name under it, only the print of a wet thumb. I have walked along that canal. Between the first lock and the second there is a stretch of wall where the moss does not grow, about as wide as a gate."
  },
  {
    title: "A timetable, returned",
    scriptText:
      "The second letter is a timetable. Somebody has crossed out every train but one, the ten past four, and written beside it in pencil: this one waits. I have looked it up. There is no train at ten past four, and there was none in the year before, and yet the platform is swept for it every day. I asked the man who sweeps. He said that he does not know of any train. He said that he sweeps because of the people. What people, I asked, and he looked at me for a while, and then he looked at his broom. They are very tidy, he said, but they do bring in the sand."
  },
  {
    title: "The bag is closed",
    scriptText:
      "That leaves one more, and I will not open it tonight. It is warm. It was warm when I took it out of the bag, and it is warm now, and I have had it under the window for an hour. Some letters are not late at all. They are early, and the kindest thing to do is to put them back, and to ask again in the spring. Before I go, somebody wants to say a few words to you, whom you have met a thousand times and never heard."
  }
]

/** The agent's own recording. */
export const recording = {
  title: "What the postman said",
  text: "They asked me to say a few words, so here they are. I have carried these bags for thirty years, and I never once looked inside. But I can tell you that some of them hum."
}

export const idea = "Advice for people whose letters come back."

/** The agent's script for the outline of its idea. */
export const answers =
  "If you have a letter that came back, keep it for a night before you open it. Letters that come back have seen more of the world than those that arrive, and they are tired. Put it by the window, and in the morning it will say what it meant. Do not send it again to the same door. A door that has refused a letter once will know it by its step. Send it to the house beside it, with a note that says: please leave this where they will find it. People are kinder to the letters of others. And if you find that it was never opened, only turned around, then be glad. Somebody held it, and read your name, and decided that it belonged with you."

/** Scripts of the recurring show: at first too short for the run, and without music. */
export const parcels = [
  {
    title: "Weights",
    notes:
      "Here are the parcels of the week, by weight. The lightest is empty, and insured for a great deal. The heaviest is a box of keys, all of them cut for the same door.",
    minutes: 1
  },
  {
    title: "Measures",
    notes: "And the longest of them is a fishing rod, sent by a man on one bank of the river to a man on the other.",
    minutes: 1
  }
]

export const more =
  "And the longest of them is a fishing rod, sent by a man on one bank of the river to a man on the other. They could have thrown it. Instead it went by rail to the coast, and back along the other shore, and took nine days. When it came, there was a fish on it. Nobody has asked for the postage, and nobody has asked for the fish. It is in the cold room, under its own name. That was the parcels. Good night, and tie your knots twice."
