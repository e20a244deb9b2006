import { writeFileSync } from "node:fs"
import { parseFile, selectCover } from "music-metadata"

/** A file whose tags are to be read, and where its cover goes. */
export interface TagTask {
  readonly file: string
  readonly cover: string
}

/** Texts that a file carries about itself. Claims of a stranger: shown to a reviewer, never trusted. */
export interface TagAnswer {
  readonly title: string | null
  readonly artist: string | null
  readonly genre: string | null
  readonly lyrics: string | null
  readonly language: string | null
  readonly bpm: number | null
  readonly musicalKey: string | null
  /** Type of the cover that was written. */
  readonly cover: string | null
}

const coverMaxBytes = 8 * 1_048_576
const plain = (text: unknown, charsMax: number): string | null => {
  if (typeof text !== "string") return null
  const tidied = text
    .normalize("NFC")
    .replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\p{Surrogate}\p{Noncharacter_Code_Point}]/gu, " ")
    .trim()
  return tidied === "" ? null : [...tidied].slice(0, charsMax).join("")
}

/** Runs confined, because the file comes from a stranger. Prints the answer as JSON. */
const { cover: coverPath, file } = JSON.parse(process.argv[2]!) as TagTask
const { common } = await parseFile(file, { duration: false })
const picture = selectCover(common.picture)
const isUsable =
  picture !== null && /^image\/(jpe?g|png|webp)$/.test(picture.format) && picture.data.length <= coverMaxBytes
if (isUsable) writeFileSync(coverPath, picture.data)
const answer: TagAnswer = {
  title: plain(common.title, 140),
  artist: plain(common.artist, 80),
  genre: plain(common.genre?.[0], 60),
  lyrics: plain(common.lyrics?.[0]?.text, 3_000),
  language: plain(common.language, 40),
  bpm: typeof common.bpm === "number" && common.bpm >= 60 && common.bpm <= 200 ? common.bpm : null,
  musicalKey: plain(common.key, 40),
  cover: isUsable ? picture.format.replace("jpg", "jpeg") : null
}
process.stdout.write(JSON.stringify(answer))
