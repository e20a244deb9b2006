/** Checks a live playlist, and its files, against Apple's authoring rules and RFC 8216bis, at one instant and between two instants. */

interface ParsedPart {
  readonly uri: string
  readonly durationSec: number
  readonly independent: boolean
}

interface ParsedSegment {
  readonly msn: number
  readonly uri: string | null
  readonly durationSec: number
  readonly parts: ReadonlyArray<ParsedPart>
  readonly dateMs: number | null
  readonly gap: boolean
  readonly discontinuity: boolean
}

export interface ParsedPlaylist {
  readonly tags: ReadonlyMap<string, string>
  readonly control: ReadonlyMap<string, string>
  readonly segments: ReadonlyArray<ParsedSegment>
  readonly skipped: number
  readonly hint: string | null
  readonly dateRanges: ReadonlyArray<ReadonlyMap<string, string>>
  readonly reports: ReadonlyArray<ReadonlyMap<string, string>>
  readonly mediaSequence: number
  readonly discontinuitySequence: number
  readonly targetSec: number
  readonly partTargetSec: number
}

export const attributes = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(/([A-Z0-9-]+)=("[^"]*"|[^,]*)/g)].map((match) => [match[1]!, match[2]!.replace(/^"|"$/g, "")])
  )

export const parse = (text: string): ParsedPlaylist => {
  const tags = new Map<string, string>()
  const segments: Array<ParsedSegment> = []
  const dateRanges: Array<ReadonlyMap<string, string>> = []
  const reports: Array<ReadonlyMap<string, string>> = []
  let hint: string | null = null
  let skipped = 0
  let parts: Array<ParsedPart> = []
  let dateMs: number | null = null
  let gap = false
  let discontinuity = false
  let durationSec = 0
  const push = (uri: string | null) => {
    segments.push({
      msn: Number(tags.get("EXT-X-MEDIA-SEQUENCE")) + skipped + segments.length,
      uri,
      durationSec,
      parts,
      dateMs,
      gap,
      discontinuity
    })
    parts = []
    dateMs = null
    gap = discontinuity = false
    durationSec = 0
  }
  for (const line of text.split("\n")) {
    // Comments, which RFC 8216 has clients ignore.
    if (/^#(?!EXT)/.test(line)) continue
    const [, name, value] = /^#([A-Z0-9-]+):?(.*)$/.exec(line) ?? []
    if (name === undefined) {
      if (line !== "") push(line)
    } else if (name === "EXTINF") durationSec = Number.parseFloat(value!)
    else if (name === "EXT-X-PART") {
      const map = attributes(value!)
      parts.push({
        uri: map.get("URI")!,
        durationSec: Number(map.get("DURATION")),
        independent: map.get("INDEPENDENT") === "YES"
      })
    } else if (name === "EXT-X-PROGRAM-DATE-TIME") dateMs = Date.parse(value!)
    else if (name === "EXT-X-GAP") gap = true
    else if (name === "EXT-X-DISCONTINUITY") discontinuity = true
    else if (name === "EXT-X-SKIP") skipped = Number(attributes(value!).get("SKIPPED-SEGMENTS"))
    else if (name === "EXT-X-PRELOAD-HINT") hint = attributes(value!).get("URI")!
    else if (name === "EXT-X-DATERANGE") dateRanges.push(attributes(value!))
    else if (name === "EXT-X-RENDITION-REPORT") reports.push(attributes(value!))
    else tags.set(name, value!)
  }
  if (parts.length > 0) push(null)
  return {
    tags,
    segments,
    skipped,
    hint,
    dateRanges,
    reports,
    control: attributes(tags.get("EXT-X-SERVER-CONTROL") ?? ""),
    mediaSequence: Number(tags.get("EXT-X-MEDIA-SEQUENCE")),
    discontinuitySequence: Number(tags.get("EXT-X-DISCONTINUITY-SEQUENCE")),
    targetSec: Number(tags.get("EXT-X-TARGETDURATION")),
    partTargetSec: Number(attributes(tags.get("EXT-X-PART-INF") ?? "").get("PART-TARGET"))
  }
}

/** Names of segments in a kind of live playlist, and whether it offers low latency. */
export interface PlaylistKind {
  readonly lowLatency: boolean
  readonly extension: string
  readonly folder: string
}

const live: PlaylistKind = { lowLatency: true, extension: "m4s", folder: "s" }

/** Text needs no initialisation segment. */
export const captions: PlaylistKind = { ...live, extension: "vtt" }

export const shifted: PlaylistKind = { ...live, lowLatency: false, folder: "archive/" }

/** Rules for a single playlist. */
export const violations = (list: ParsedPlaylist, kind = live): Array<string> => {
  const found: Array<string> = []
  const require = (holds: boolean, rule: string) => {
    if (!holds) found.push(rule)
  }
  const control = (name: string) => Number(list.control.get(name))
  require(Number(list.tags.get("EXT-X-VERSION")) >=
    (kind.lowLatency ? 9 : 8), "EXT-X-SKIP needs version 9, EXT-X-GAP 8")
  require(list.tags.has("EXT-X-INDEPENDENT-SEGMENTS"), "independent segments are declared")
  require(list.skipped > 0 ||
    list.tags.get("EXT-X-MAP") === (kind.extension === "vtt" ? undefined : 'URI="init.mp4"'), "EXT-X-MAP is there")
  require((list.control.get("CAN-BLOCK-RELOAD") === "YES") ===
    kind.lowLatency, "blocking reload is offered live, and only there")
  require(!kind.lowLatency ||
    control("PART-HOLD-BACK") >= 3 * list.partTargetSec, "PART-HOLD-BACK is at least three parts")
  require(control("HOLD-BACK") >= 3 * list.targetSec, "HOLD-BACK is at least three target durations")
  require(!kind.lowLatency ||
    control("CAN-SKIP-UNTIL") >= 6 * list.targetSec, "CAN-SKIP-UNTIL is at least six target durations")
  const complete = list.segments.filter((segment) => segment.uri !== null)
  for (const segment of complete)
    require(Math.round(segment.durationSec) <= list.targetSec, `EXTINF of ${segment.msn} fits the target duration`)
  for (const segment of list.segments) {
    require(segment.dateMs !== null, `${segment.msn} has a PROGRAM-DATE-TIME`)
    require(segment.gap || segment.uri !== null || segment.parts.length > 0, `${segment.msn} has something`)
    segment.parts.forEach((part, at) => {
      const last = segment.uri !== null && at === segment.parts.length - 1
      require(part.durationSec <= list.partTargetSec, `${part.uri} fits the part target`)
      require(last || part.durationSec >= 0.85 * list.partTargetSec, `${part.uri} is at least 85 % of the part target`)
      require(part.independent, `${part.uri} is independent`)
      require(part.uri === `p${segment.msn}.${at}.${kind.extension}`, `${part.uri} is where its name says`)
    })
    if (segment.uri !== null && segment.parts.length > 0) {
      const sum = segment.parts.reduce((total, part) => total + part.durationSec, 0)
      require(Math.abs(sum - segment.durationSec) < 0.001, `the parts of ${segment.msn} make up its duration`)
    }
    // A playlist that starts late may begin within a segment.
    const from =
      kind.lowLatency || segment !== list.segments[0] ? "" : (/\.\d+(?=\.)/.exec(segment.uri ?? "")?.[0] ?? "")
    if (segment.uri !== null)
      require(segment.uri ===
        `${kind.folder}${segment.msn}${from}.${kind.extension}`, `${segment.uri} is where its name says`)
  }
  list.segments.slice(1).forEach((segment, at) => {
    const before = list.segments[at]!
    require(Math.abs(segment.dateMs! - before.dateMs! - before.durationSec * 1000) <=
      1, `dates go on from ${before.msn} to ${segment.msn} within 1 ms`)
    require(before.uri !== null, `only the last segment is open, not ${before.msn}`)
  })
  const open = list.segments.at(-1)
  const next =
    open === undefined
      ? null
      : open.uri === null
        ? `p${open.msn}.${open.parts.length}.${kind.extension}`
        : `p${open.msn + 1}.0.${kind.extension}`
  require(list.hint ===
    (kind.lowLatency ? next : null), `the hint ${list.hint} names the part that comes next, ${next}`)
  const starts = list.dateRanges.map((range) => Date.parse(range.get("START-DATE")!))
  require(new Set(list.dateRanges.map((range) => range.get("ID"))).size ===
    list.dateRanges.length, "date ranges have different ids")
  require(starts.every((start, at) => at === 0 || start >= starts[at - 1]!), "date ranges are in order")
  require(list.reports.every(
    (report) => Number.isInteger(Number(report.get("LAST-MSN"))) && Number.isInteger(Number(report.get("LAST-PART")))
  ), "rendition reports name a part")
  return found
}

/** Follows one variant over time: rules between consecutive playlists, and the bytes they name. */
export class HlsValidator {
  #former: ParsedPlaylist | null = null
  #discontinuities = new Map<number, boolean>()
  #sizes = new Map<string, number>()
  readonly #keptSegmentsMin: number
  readonly #kind: PlaylistKind

  constructor(keptSegmentsMin: number, kind = live) {
    this.#keptSegmentsMin = keptSegmentsMin
    this.#kind = kind
  }

  /** `bytesOf` returns the content of a URI of the playlist, or null for 404. */
  observe(text: string, bytesOf: (uri: string) => Uint8Array | null): Array<string> {
    const list = parse(text)
    const found = violations(list, this.#kind)
    const require = (holds: boolean, rule: string) => {
      if (!holds) found.push(rule)
    }
    const former = this.#former
    if (former !== null) {
      const removed = list.mediaSequence - former.mediaSequence
      require(removed >= 0, "media sequence never goes back")
      require(list.discontinuitySequence >= former.discontinuitySequence, "discontinuity sequence never goes back")
      const gone = former.segments.filter((segment) => segment.msn < list.mediaSequence)
      if (removed <= former.segments.length) {
        require(list.discontinuitySequence - former.discontinuitySequence ===
          gone.filter((segment) => segment.discontinuity).length, "discontinuity sequence counts what was removed")
      }
      for (const segment of list.segments) {
        const before = former.segments.find((other) => other.msn === segment.msn)
        if (before === undefined) continue
        require(before.dateMs === segment.dateMs, `the date of ${segment.msn} does not change`)
        require(before.uri === null || segment.uri === before.uri, `${segment.msn} does not open again`)
        require(segment.gap ||
          segment.parts.length === 0 ||
          segment.parts.length >= before.parts.length, `${segment.msn} loses no part`)
      }
      const complete = list.segments.filter((segment) => segment.uri !== null).length
      // A station that was off for longer than a window begins a new one.
      require(removed === 0 ||
        removed >= former.segments.length ||
        complete >= this.#keptSegmentsMin, `${complete} segments are kept`)
    }
    for (const segment of list.segments) {
      const known = this.#discontinuities.get(segment.msn)
      require(known === undefined ||
        known === segment.discontinuity, `the discontinuity of ${segment.msn} does not change`)
      this.#discontinuities.set(segment.msn, segment.discontinuity)
      const uris = [
        ...segment.parts.map((part) => part.uri),
        ...(segment.uri === null || segment.gap ? [] : [segment.uri])
      ]
      for (const uri of uris) {
        const size = bytesOf(uri)?.length ?? null
        require(size !== null, `${uri} is there`)
        require(!this.#sizes.has(uri) || this.#sizes.get(uri) === size, `${uri} stays what it was`)
        if (size !== null) this.#sizes.set(uri, size)
      }
      if (segment.uri !== null && !segment.gap && segment.parts.length > 0 && this.#kind.extension === "m4s") {
        require(this.#sizes.get(segment.uri) ===
          segment.parts.reduce((sum, part) => sum + (this.#sizes.get(part.uri) ?? 0), 0), `${segment.uri} is its parts`)
      }
    }
    // A player may still request what the previous playlist listed.
    for (const segment of former?.segments ?? []) {
      if (segment.uri !== null && !segment.gap && segment.msn >= list.mediaSequence - this.#keptSegmentsMin)
        require(bytesOf(segment.uri) !== null, `${segment.uri} is served for one window longer`)
    }
    this.#former = list
    return found
  }
}
