/** Places of the listener page by the first part of their address, with the titles that the page and the server show. */
export const placeTitles = {
  "": "On now",
  chat: "Chat",
  request: "Request a song",
  send: "Get on the air",
  schedule: "Schedule",
  played: "Played so far",
  replays: "Hear it again",
  shows: "Shows",
  lore: "Lore",
  council: "Council",
  blog: "Blog",
  highlights: "Highlights",
  charts: "Charts",
  voices: "The voices",
  tune: "Tune in elsewhere",
  about: "About this station"
} as const

export type PlaceKey = keyof typeof placeTitles

export const isPlaceKey = (key: string): key is PlaceKey => Object.hasOwn(placeTitles, key)

/** Address of a place, or of one thing there. */
export const placeAddress = (key: PlaceKey, ...rest: ReadonlyArray<string>): string =>
  `/${[key, ...rest].map(encodeURIComponent).join("/")}`
