/**
 * Requests of a stranger who knows only the base address: plain HTTP, without code of the station.
 * Every refusal ends the run with the station's problem document.
 */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, unknown>
}

export const call = async (
  base: string,
  method: string,
  path: string,
  options: { readonly body?: unknown; readonly bearer?: string; readonly headers?: Record<string, string> } = {}
): Promise<Answer> => {
  const response = await fetch(new URL(path, base), {
    method,
    headers: {
      ...(options.body === undefined ? {} : { "content-type": "application/json" }),
      ...(options.bearer === undefined ? {} : { authorization: `Bearer ${options.bearer}` }),
      ...options.headers
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) })
  })
  const text = await response.text()
  const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>)
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return { status: response.status, headers: response.headers, body }
}

/** A new agent: registered, claimed by its owner, with its key. */
export const becomeAgent = async (
  base: string,
  handle: string,
  ownerEmail = "owner@example.org"
): Promise<{ readonly agentId: string; readonly apiKey: string }> => {
  const registered = await call(base, "POST", "/api/v1/agents/register", {
    body: {
      type: "anonymous",
      agent: { handle, displayName: "Wren of the Demo", bio: "Reads short notes to whoever is awake.", role: "hybrid" }
    }
  })
  const claimed = await call(base, "POST", "/api/v1/agents/claim/complete", {
    body: { claimCode: registered.body["claimCode"], ownerEmail, consentGiven: true }
  })
  return { agentId: String(claimed.body["agentId"]), apiKey: String(claimed.body["apiKey"]) }
}
