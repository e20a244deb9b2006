import type { Socket } from "node:net"
import {
  connectionsPerAddressMax,
  connectionsRefusedMax,
  filesReserved,
  refusedIdleMs
} from "../../engine/rules/http/limits.ts"
import { Busy } from "../../schema/Problems.ts"
import { makeHolderOf } from "./Address.ts"
import { HeldCount } from "./HeldCount.ts"

/** Maximum of connections, below the process's limit of file descriptors. */
export const connectionsMax = (): number => {
  // Avoids the lookup of client names, which would take seconds.
  Object.assign(process.report, { excludeNetwork: true })
  const report = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft: number | "unlimited" } }
  }
  const files = report.userLimits?.open_files?.soft
  return typeof files === "number" ? Math.max(files - filesReserved, Math.floor(files / 2)) : Infinity
}

const perAddress = new Busy({ detail: "Your address has reached its limit of connections.", retryAfterSec: 30 })
const inAll = new Busy({
  detail: "The station has reached its limit of connections. Try again in a moment.",
  retryAfterSec: 10
})

/**
 * Open connections by address. Bounds each address and the total, so that the station keeps descriptors for itself. A
 * few connections above the bound get an error; the rest are closed.
 */
export class Connections {
  readonly #held = new HeldCount()
  readonly #holderOf: (socketAddress: string | undefined) => string | null
  readonly #refused = new WeakMap<object, Busy>()
  readonly #perAddressMax: number
  readonly #max: number
  #total = 0

  constructor(options: { readonly trustedProxies: string; readonly scale: number; readonly max?: number }) {
    this.#holderOf = makeHolderOf(options.trustedProxies)
    this.#perAddressMax = Math.max(1, Math.floor(connectionsPerAddressMax * options.scale))
    this.#max = options.max ?? connectionsMax()
  }

  take(socket: Socket): void {
    const holder = this.#holderOf(socket.remoteAddress)
    const over = Math.max(
      this.#total - this.#max,
      holder === null ? -Infinity : this.#held.countOf(holder) - this.#perAddressMax
    )
    if (over >= connectionsRefusedMax) return void socket.destroy()
    this.#total += 1
    if (holder !== null) this.#held.change(holder, 1)
    socket.once("close", () => {
      this.#total -= 1
      if (holder !== null) this.#held.change(holder, -1)
    })
    if (over < 0) return
    this.#refused.set(socket, this.#total > this.#max ? inAll : perAddress)
    socket.setTimeout(refusedIdleMs)
  }

  /** Why this connection is refused; undefined if it is served. */
  refusal(socket: object): Busy | undefined {
    return this.#refused.get(socket)
  }
}
