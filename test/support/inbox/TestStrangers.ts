import { Layer } from "effect"
import { Dns, NetAddress } from "effect/net"
import { HttpOutbound } from "../../../engine/runtime/HttpOutbound.ts"

/** Outbound requests with one known name beside this machine's own: no name server is queried. */
export const TestStrangers = HttpOutbound.pipe(
  Layer.provide(
    Dns.layerStatic({
      records: {
        "hooks.example": [
          Dns.makeRecordUnsafe("A", { address: NetAddress.ipFromStringUnsafe("192.31.7.9") as NetAddress.Ipv4Address })
        ]
      }
    })
  )
)
