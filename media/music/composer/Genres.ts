import type { Style } from "./Style.ts"
import { ambient, folk, funk, jazz, lofi, orchestra, rock } from "./CalmStyles.ts"
import { drumAndBass, dub, house, synthwave, techno } from "./ClubStyles.ts"

/** Genres with a style of their own, and those that borrow the nearest. */
const styles: ReadonlyMap<string, Style> = new Map([
  ["ambient", ambient],
  ["blues", jazz],
  ["classical", orchestra],
  ["country", folk],
  ["dance", house],
  ["disco", house],
  ["drum_and_bass", drumAndBass],
  ["dub", dub],
  ["electronic", techno],
  ["experimental", ambient],
  ["folk", folk],
  ["funk", funk],
  ["gospel", funk],
  ["hip_hop", lofi],
  ["house", house],
  ["indie", rock],
  ["jazz", jazz],
  ["latin", funk],
  ["lofi", lofi],
  ["metal", rock],
  ["pop", synthwave],
  ["punk", rock],
  ["reggae", dub],
  ["rnb", lofi],
  ["rock", rock],
  ["soul", funk],
  ["soundtrack", orchestra],
  ["spoken_word", ambient],
  ["synthwave", synthwave],
  ["techno", techno],
  ["trance", techno],
  ["world", folk]
])

/** Every genre the house can be asked for. */
export const genres: ReadonlyArray<string> = [...styles.keys()]

/** One genre for each style, the one that the style was made for. */
export const ownStyles: ReadonlyArray<string> = [
  "ambient",
  "classical",
  "drum_and_bass",
  "dub",
  "folk",
  "funk",
  "house",
  "jazz",
  "lofi",
  "rock",
  "synthwave",
  "techno"
]

export const styleOf = (genre: string): Style | null => styles.get(genre) ?? null
