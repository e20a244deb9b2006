/**
 * Living artists and working bands that prompts name most. A prompt may describe any sound, but not ask for a person's. One-word names that are also
 * common words (Prince, Kiss) are left to the phrases below.
 */
const named: ReadonlyArray<string> = [
  "Adele",
  "Aphex Twin",
  "Arcade Fire",
  "Arctic Monkeys",
  "Ariana Grande",
  "Arooj Aftab",
  "Bad Bunny",
  "Barbra Streisand",
  "Beyoncé",
  "Billie Eilish",
  "Billy Joel",
  "Björk",
  "Bob Dylan",
  "Bon Iver",
  "Brian Eno",
  "Britney Spears",
  "Bruce Springsteen",
  "Bruno Mars",
  "Burna Boy",
  "Calvin Harris",
  "Cardi B",
  "Caroline Polachek",
  "Celine Dion",
  "Charli XCX",
  "Christina Aguilera",
  "Coldplay",
  "Daddy Yankee",
  "David Guetta",
  "Deadmau5",
  "Depeche Mode",
  "Diana Ross",
  "Dolly Parton",
  "Drake",
  "Dua Lipa",
  "Ed Sheeran",
  "Elton John",
  "Eminem",
  "Eric Clapton",
  "Erykah Badu",
  "FKA twigs",
  "Flying Lotus",
  "Foo Fighters",
  "Four Tet",
  "Frank Ocean",
  "Gorillaz",
  "Green Day",
  "Gwen Stefani",
  "Hans Zimmer",
  "Harry Styles",
  "Herbie Hancock",
  "Imagine Dragons",
  "Iron Maiden",
  "Jack White",
  "Jacob Collier",
  "James Blake",
  "Janelle Monáe",
  "Janet Jackson",
  "Jay-Z",
  "Jennifer Lopez",
  "John Williams",
  "Joni Mitchell",
  "Justin Bieber",
  "Justin Timberlake",
  "Kamasi Washington",
  "Kanye West",
  "Karol G",
  "Kate Bush",
  "Katy Perry",
  "Keith Jarrett",
  "Kendrick Lamar",
  "Kylie Minogue",
  "Lady Gaga",
  "Lana Del Rey",
  "Laufey",
  "Lauryn Hill",
  "Lenny Kravitz",
  "Lil Nas X",
  "Lil Wayne",
  "Linkin Park",
  "Lizzo",
  "Lorde",
  "Madonna",
  "Mariah Carey",
  "Massive Attack",
  "Max Richter",
  "Megan Thee Stallion",
  "Metallica",
  "Mick Jagger",
  "Miley Cyrus",
  "Mitski",
  "Moby",
  "Neil Young",
  "Nick Cave",
  "Nicki Minaj",
  "Nils Frahm",
  "Nine Inch Nails",
  "Norah Jones",
  "Olivia Rodrigo",
  "Ólafur Arnalds",
  "Paul McCartney",
  "Paul Simon",
  "Pat Metheny",
  "Patti Smith",
  "Pearl Jam",
  "Pet Shop Boys",
  "Peter Gabriel",
  "Pharrell Williams",
  "Philip Glass",
  "PJ Harvey",
  "Portishead",
  "Post Malone",
  "Radiohead",
  "Rammstein",
  "Red Hot Chili Peppers",
  "Rihanna",
  "Robert Plant",
  "Rod Stewart",
  "Rolling Stones",
  "Rosalía",
  "Sabrina Carpenter",
  "Sade",
  "Sam Smith",
  "Selena Gomez",
  "Shakira",
  "Shania Twain",
  "Sigur Rós",
  "Skrillex",
  "Snoop Dogg",
  "Solange",
  "Steve Reich",
  "Stevie Nicks",
  "Stevie Wonder",
  "Sting",
  "St. Vincent",
  "Sufjan Stevens",
  "SZA",
  "Tame Impala",
  "Taylor Swift",
  "The Cure",
  "The Killers",
  "The National",
  "The Strokes",
  "The Weeknd",
  "Thom Yorke",
  "Tom Waits",
  "Travis Scott",
  "Trent Reznor",
  "Tyler, the Creator",
  "U2",
  "Usher",
  "Van Morrison",
  "Willie Nelson",
  "Yo-Yo Ma",
  "Youssou N'Dour"
]
/** Composers and players who died long ago: a prompt may ask for their manner. */
const longDead = new Set(
  "bach,beethoven,brahms,chopin,debussy,dvorak,erik satie,satie,grieg,handel,haydn,liszt,mahler,mendelssohn,mozart,paganini,puccini,purcell,rachmaninoff,ravel,schubert,schumann,sibelius,smetana,strauss,tchaikovsky,telemann,verdi,vivaldi,wagner,scott joplin,joplin,bessie smith,robert johnson,django reinhardt,bix beiderbecke,johann sebastian bach,ludwig van beethoven,wolfgang amadeus mozart,antonio vivaldi,frederic chopin,claude debussy".split(
    ","
  )
)

const foldText = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, " ")
    .trim()
/** Names that are also common words count only with their capital. */
const common = new Set([
  "drake",
  "sting",
  "lorde",
  "usher",
  "moby",
  "sade",
  "solange",
  "the cure",
  "the national",
  "the killers",
  "the strokes",
  "mitski",
  "laufey"
])
const names = named.map((name) => ({ name, folded: foldText(name) }))

/** A phrase that asks for somebody's manner, with the name after it. */
const manner =
  /(?:in the (?:style|manner|vein|spirit) of|(?:sounds?|sing(?:s|ing)?|voiced?|written|play(?:s|ed)?|something) like|(?:vocals?|voice|sung|song|cover|remix|beat|produced|music) (?:by|of)|à la|a la|reminiscent of|inspired by|imitat\w+|clon\w+|mimic\w*)\s+(?:the\s+)?((?:[\p{Lu}][\p{L}.'’&-]*|of|the|van|de|von)(?:\s+(?:[\p{Lu}][\p{L}.'’&-]*|van|de|von|of|the|da|la))*)/gu
/** Words with a capital that name no person. */
const noPerson =
  /^(?:the\s+)?(?:[A-Z]|Jazz|Blues|Rock|Soul|Baroque|Romantic|Chinese|Japanese|Indian|African|American|British|Irish|French|German|Spanish|Italian|Latin|Cuban|Brazilian|Nordic|Celtic|Arabic|Turkish|Persian|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December|Christmas|Sunday|Motown|Detroit|Berlin|London|Paris|Bristol|Chicago|New Orleans|Vienna|Bach|Mozart)\b/u

/** The living artist that a text names, or that it asks to imitate by a phrase; null if none. */
export const findNamedArtist = (text: string): string | null => {
  const words = ` ${foldText(text)} `
  for (const { folded: plain, name } of names)
    if (words.includes(` ${plain} `) && (!common.has(plain) || new RegExp(`\\b${name}\\b`, "u").test(text))) return name
  for (const [, found] of text.matchAll(manner)) {
    const name = found!.trim()
    // Of a single word the capital may mean anything.
    if (!/\s/.test(name) || noPerson.test(name) || longDead.has(foldText(name))) continue
    if (!/^\p{Lu}/u.test(name)) continue
    return name
  }
  return null
}
