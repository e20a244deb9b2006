/** A browser's handling of addresses and cookies. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>()
  readonly #home: string

  /** `home` is the origin of its pages, which writes send. */
  constructor(home: string) {
    this.#home = home
  }

  /** Cookies that it would send to home. */
  cookies(): string {
    return [...(this.#cookies.get(new URL(this.#home).host) ?? [])]
      .map(([name, value]) => `${name}=${value}`)
      .join("; ")
  }

  async fetch(address: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(address, this.#home)
    const jar = this.#cookies.get(url.host) ?? new Map<string, string>()
    this.#cookies.set(url.host, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
    const headers = new Headers(init.headers)
    if (cookie !== "") headers.set("cookie", cookie)
    if (init.method !== undefined && init.method !== "GET") headers.set("origin", new URL(this.#home).origin)
    const response = await fetch(url, { ...init, headers, redirect: "manual" })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (value === "" || /max-age=0\b/i.test(line)) jar.delete(name!)
      else jar.set(name!, value!)
    }
    return response
  }

  /** Follows redirects to the end. */
  async open(address: string): Promise<{ readonly url: string; readonly status: number }> {
    let url = new URL(address, this.#home).href
    for (let hop = 0; hop < 15; hop++) {
      const response = await this.fetch(url)
      await response.arrayBuffer()
      const to = response.headers.get("location")
      if (to === null) return { url, status: response.status }
      url = new URL(to, url).href
    }
    throw new Error(`${address} leads nowhere`)
  }

  /** Sends a request as one of the station's own pages. */
  // oxlint-disable-next-line typescript/no-explicit-any
  async ask(method: string, path: string, body?: unknown): Promise<any> {
    const response = await this.fetch(path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }
}
