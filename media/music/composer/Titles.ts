import type { SeededRandom } from "./SeededRandom.ts"

const hours = [
  "Midnight",
  "Evening",
  "Early",
  "Late",
  "Sunday",
  "Winter",
  "April",
  "Autumn",
  "Small-Hours",
  "Noon",
  "Twilight",
  "Harvest",
  "Northern",
  "Southbound",
  "Offshore",
  "Inland"
]
const kinds = [
  "Quiet",
  "Copper",
  "Paper",
  "Velvet",
  "Hollow",
  "Silver",
  "Borrowed",
  "Salt",
  "Distant",
  "Slow",
  "Glass",
  "Amber",
  "Plain",
  "Wooden",
  "Restless",
  "Tidal",
  "Faded",
  "Patient",
  "Electric",
  "Blue"
]
const things = [
  "Lantern",
  "Harbour",
  "Signal",
  "Ferry",
  "Orchard",
  "Window",
  "Meridian",
  "Telegram",
  "Lighthouse",
  "Platform",
  "Garden",
  "Antenna",
  "Staircase",
  "Compass",
  "Rooftop",
  "Reservoir",
  "Turnstile",
  "Carousel",
  "Estuary",
  "Kitchen",
  "Alphabet",
  "Causeway",
  "Balcony",
  "Pendulum"
]
const places = [
  "over the Bay",
  "on Long Wave",
  "without a Map",
  "in the Rain",
  "by Heart",
  "at Low Tide",
  "for Two",
  "after Hours",
  "under the Pylons",
  "from Memory",
  "in a Minor Town",
  "past the Last Stop"
]

/** A name for a piece, from its seed. */
export const titleOf = (chance: SeededRandom): string => {
  const thing = chance.pick(things)
  switch (chance.drawBelow(5)) {
    case 0:
      return `${chance.pick(kinds)} ${thing}`
    case 1:
      return `${chance.pick(hours)} ${thing}`
    case 2:
      return `${thing} ${chance.pick(places)}`
    case 3:
      return `${chance.pick(kinds)} ${chance.pick(hours)}`
    default:
      return `The ${chance.pick(kinds)} ${thing}`
  }
}
