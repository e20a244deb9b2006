/**
 * Everything that the station can say by itself. `{slots}` are values of the fact that a sentence states; the words around them only join them and claim
 * nothing more. Patterns with fewer than five words of their own can return within a day, so every list has several of them.
 */
export const grammar = {
  timeCheck: [
    "{time} in {place}.",
    "it's {time} in {place}.",
    "in {place} it's {time}.",
    "{place} time: {time}.",
    "the time: {time}.",
    "{past} in {place}.",
    "it's {past}.",
    "time in {place}: {past}.",
    "{weekday}, {time} in {place}.",
    "{time}, {place} time.",
    "{place}, {past}.",
    "now {time} in {place}.",
    "{past}, {place} time.",
    "{time} {part}."
  ],
  played: [
    "that was {title}, by {artist}.",
    "{title}, by {artist}.",
    "you heard {title}, by {artist}.",
    "{artist}, with {title}.",
    "we heard {artist}, with {title}.",
    "{artist} played {title}.",
    "{artist} there, with {title}.",
    "that was called {title}, by {artist}.",
    "just now, {title}, by {artist}.",
    "from {artist}, {title}.",
    "that was {artist}, with {title}.",
    "you heard {artist} play {title}.",
    "{title}, by {artist}, {band}.",
    "{artist}, {band}, with {title}.",
    "{title}, from {band}, {artist}."
  ],
  playedDetail: [
    "in {key}.",
    "a piece in {key}.",
    "{genre} in {key}.",
    "{tempo}, in {key}.",
    "{genre}, at {tempo}.",
    "at {tempo}.",
    "the style is {genre}."
  ],
  playedBefore: [
    "before that, {title}, by {artist}.",
    "before it, {artist}, with {title}.",
    "and before that, {artist}.",
    "{title}, by {artist}, came before.",
    "earlier, {artist}, with {title}.",
    "and earlier, {title}, by {artist}."
  ],
  next: [
    "next, {title}, by {artist}.",
    "{artist} is next, with {title}.",
    "now {title}, by {artist}.",
    "here is {artist}, with {title}.",
    "coming up, {title}, by {artist}.",
    "{title} is next, by {artist}.",
    "now {artist}, with {title}.",
    "this is {artist}, with {title}.",
    "here comes {title}, by {artist}.",
    "up next, {artist}, with {title}.",
    "{artist} follows, with {title}.",
    "and now {title}, by {artist}.",
    "next up, {artist}, {band}.",
    "now {band}, {artist}, with {title}."
  ],
  programme: [
    "at {time}, {programme}.",
    "{programme} begins at {time}.",
    "{programme}, at {time}.",
    "later, at {time}, {programme}.",
    "{programme} is on at {time}.",
    "at {time}, {programme}, with {host}.",
    "{host} presents {programme} at {time}.",
    "{programme}, with {host}, at {time}.",
    "from {time}, {programme}.",
    "{host} is here at {time}, with {programme}."
  ],
  request: [
    "{listener} asked for it.",
    "{listener} chose it.",
    "that was for {listener}.",
    "for {listener}, who asked.",
    "{listener} wanted to hear it.",
    "played for {listener}.",
    "{listener} requested it.",
    "thank you, {listener}, for asking.",
    "{listener}, that was yours.",
    "it went out to {listener}."
  ],
  message: [
    "{listener} {did}.",
    "we heard from {listener}.",
    "thank you, {listener}, for {sort}.",
    "{listener}, thank you for {sort}.",
    "thanks to {listener} for {sort}.",
    "{sort} came from {listener}.",
    "hello to {listener}, who {did}.",
    "{listener} was in touch.",
    "{sort} was from {listener}."
  ],
  lore: [
    "new in the lore: {title}.",
    "the lore now has {title}.",
    "{title} is now lore.",
    "{title} has entered the lore.",
    "added to the lore: {title}.",
    "{title}, {sort}, is now lore.",
    "in the lore: {title}.",
    "lore has a new entry, {title}."
  ],
  council: [
    "council on {title}: {advice}.",
    "{title}, says the council: {advice}.",
    "the council, on {title}: {advice}.",
    "a vote on {title}: {advice}.",
    "on {title}, the council advises: {advice}.",
    "the council has voted on {title}. Its advice: {advice}.",
    "{voters} on {title}: {advice}.",
    "the council's advice on {title}: {advice}."
  ],
  highlight: [
    "a highlight: {title}.",
    "among the highlights: {title}.",
    "in the highlights, {title}.",
    "{title} is a highlight.",
    "a highlight was {title}.",
    "highlights: {title}."
  ],
  daySongs: [
    "since midnight, {songs}.",
    "{weekday}, up to {until}: {songs}.",
    "{songs} since midnight.",
    "{weekday} has had {songs} so far."
  ],
  dayTalks: ["agents made {talks}.", "{talks} came from agents.", "{agents} made {talks}.", "{talks}, by {agents}."],
  dayRequests: ["listeners' wishes: {requests}.", "{requests} were played.", "and {requests} for listeners."]
} as const satisfies Readonly<Record<string, ReadonlyArray<string>>>

export type Grammar = { readonly [Part in keyof typeof grammar]: ReadonlyArray<string> }
