export interface Told {
  readonly id: string | null
  readonly event: string
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any
}

const parseEvent = (block: string): Told | null => {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? null
  const event = field("event")
  return event === null ? null : { id: field("id"), event, data: JSON.parse(field("data") ?? "null") }
}

/** Follows an event stream; `leave` ends it. */
export const follow = async (url: string, headers: Record<string, string> = {}) => {
  const gone = new AbortController()
  const response = await fetch(url, { headers, signal: gone.signal })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  const told: Array<Told> = []
  const reading = (async () => {
    let text = ""
    for await (const bytes of response.body!.pipeThrough(new TextDecoderStream())) {
      text += bytes
      const blocks = text.split("\n\n")
      text = blocks.pop()!
      told.push(...blocks.map(parseEvent).filter((each) => each !== null))
    }
  })().catch(() => undefined)
  return { told: (): ReadonlyArray<Told> => told, leave: () => (gone.abort(), reading) }
}
