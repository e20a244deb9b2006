import { isSecret, sha256 } from "../../engine/runtime/Secrets.ts"
import { edgeHeader, edgeReportIn } from "../../schema/air/EdgeReport.ts"
import type { Exchange } from "../fastpath/Exchange.ts"
import type { ListenerCount } from "./ListenerCount.ts"

/**
 * Whether a request comes from an edge that proves itself with the secret. Its requests are no listeners; those that it reports with each of
 * them are counted instead. Without a secret there are no edges.
 */
export const makeEdgeGuard = (secret: string | null, listeners: ListenerCount, nowMs: () => number) => {
  const kept = secret === null ? null : sha256(secret)
  return (exchange: Exchange): boolean => {
    const text = exchange.header(edgeHeader)
    if (text === "" || kept === null) return false
    const report = edgeReportIn(text)
    if (report === null || !isSecret(exchange.header("authorization").replace(/^Bearer /i, ""), kept)) return false
    listeners.recordEdge(report, nowMs())
    return true
  }
}
