import { coverFetchMaxBytes, submissionFieldsMaxBytes, trackFieldsMaxBytes } from "../../engine/rules/music/limits.ts"
import { mp3MaxBytes, wavMaxBytes } from "../../engine/rules/segments/limits.ts"
import { remember } from "./remember.ts"
import { HttpApi, type HttpApiGroup } from "effect/http-api"

/** Methods of a path; empty for unknown paths. */
export type MethodsOf = (path: string) => ReadonlyArray<string>
/** A part of an address that is a parameter. */
const anything = null
/** From the declarations: a parameter matches any text without a slash. */
export const methodsOfApi = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): MethodsOf => {
  // Runs for every request, so it compares only paths with the same number of segments.
  const known = new Map<
    number,
    Array<{ readonly parts: ReadonlyArray<string | typeof anything>; readonly method: string }>
  >()
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      const parts = endpoint.path.split("/").map((part) => (part.startsWith(":") ? anything : part))
      const alike = known.get(parts.length) ?? []
      alike.push({ parts, method: endpoint.method })
      known.set(parts.length, alike)
    }
  })
  return (path) => {
    const asked = path.split("/")
    const alike = known.get(asked.length) ?? []
    const matching = alike.filter(({ parts }) =>
      parts.every((part, i) => (part === anything ? asked[i] !== "" : part === asked[i]))
    )
    // `register` is a route of its own, and no handle: the path that is spelled out says what it knows.
    const parameters = ({ parts }: (typeof alike)[number]) => parts.filter((part) => part === anything).length
    const fewest = Math.min(...matching.map(parameters))
    return [...new Set(matching.flatMap((each) => (parameters(each) === fewest ? [each.method] : [])))]
  }
}
/** Read-only routes outside the declared APIs. */
export const readOnly =
  (paths: ReadonlyArray<RegExp>): MethodsOf =>
  (path) =>
    paths.some((pattern) => pattern.test(path)) ? ["GET"] : []
export const anyOf = (all: ReadonlyArray<MethodsOf>): MethodsOf =>
  remember((path) => [...new Set(all.flatMap((methodsOf) => methodsOf(path)))])
/** File uploads: bounded separately and streamed. */
export const isUpload = (path: string): boolean =>
  path === "/api/ops/playout/live" || /^\/media\/uploads\/[^/]+$|^\/api\/v1\/media\/uploads\/[^/]+\/blob$/.test(path)

/** Forms with a recording: bounded separately and streamed. */
export const isCall = (path: string): boolean =>
  path === "/api/station/call-in" || /^\/api\/shows\/[^/]+\/call-in$/.test(path)

/** A form with a piece of music: bounded separately and streamed. One of the paths also takes JSON, which isn't. */
export const isTrackForm = (path: string, type: string | undefined): boolean =>
  type !== undefined &&
  /^multipart\/form-data\s*;/i.test(type) &&
  (path === "/api/v1/tracks" || isSubmission(path) || isLibraryForm(path))

/** A person's recording for the adoption board, by the interface or from the account's page. */
export const isSubmission = (path: string): boolean =>
  path === "/api/account/music-submissions" || path === "/account/music"

const coverPath = /^\/api\/ops\/tracks\/[^/]+\/cover$/
/** An operator's recording or cover for the library. */
export const isLibraryForm = (path: string): boolean => path === "/api/ops/tracks" || coverPath.test(path)

/** The most bytes that the form of a path may have. */
export const trackFormMaxBytes = (path: string): number =>
  coverPath.test(path)
    ? coverFetchMaxBytes + trackFieldsMaxBytes
    : isSubmission(path)
      ? wavMaxBytes + submissionFieldsMaxBytes
      : mp3MaxBytes + trackFieldsMaxBytes
