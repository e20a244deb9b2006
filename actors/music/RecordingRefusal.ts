import { uploadSec } from "../../engine/rules/segments/limits.ts"
import { InvalidField, InvalidFileType, TrackTooShort } from "../../schema/Problems.ts"
import type { Qc } from "../../schema/segments/Upload.ts"

/** The refusal for a piece of music that failed its examination while its request waited. */
export const recordingRefusal = (qc: Qc) => {
  const failed = qc.checks.filter(({ passed }) => !passed)
  const [first] = failed
  const detail = failed.map((check) => check.detail).join(" ")
  const invalidFile = (code: string) => ({ detail, errors: [{ pointer: "/file", code, detail }] })
  if (first?.code === "container") return new InvalidFileType(invalidFile("INVALID_FILE_TYPE"))
  const length = failed.find(({ code }) => code === "duration")
  if (length !== undefined && (length.measured ?? 0) < uploadSec.music[0])
    return new TrackTooShort(invalidFile("TRACK_TOO_SHORT"))
  return new InvalidField(invalidFile("INVALID_FIELD"))
}
