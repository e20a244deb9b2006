import { Layer } from "effect"
import { Dns, NetAddress } from "effect/net"
import { HttpOutbound } from "../../../engine/runtime/HttpOutbound.ts"

/** The way out, and the one name there is beside this machine's own: no name server is asked. */
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
