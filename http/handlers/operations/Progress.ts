import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { BackupRecords } from "../../../engine/store/operations/BackupRecords.ts"
import { Simulations } from "../../../engine/store/operations/Simulations.ts"
import type { Progress } from "../../../schema/operations/Progress.ts"
import { OpsApi } from "../../api/OpsApi.ts"

export const ProgressHandlers = HttpApiBuilder.group(OpsApi, "progress", (handlers) =>
  handlers.handleAll({
    progress: Effect.fnUntraced(function* () {
      const bus = yield* EventBus
      const house = yield* bus.get("houseProgress")
      const underWay = yield* bus.get("underWay")
      const backup = yield* (yield* BackupRecords).underWay
      const simulation = yield* (yield* Simulations).underWay
      const percentOf = (
        kind: "backup" | "simulation",
        found: { readonly id: string; readonly progress: number } | null
      ): ReadonlyArray<Progress> =>
        found === null ? [] : [{ kind, subject: found.id, done: found.progress, total: 100 }]
      return {
        progress: [
          ...(house === null || house.done >= house.total
            ? []
            : [{ kind: "house_programme" as const, subject: house.name, done: house.done, total: house.total }]),
          ...percentOf("backup", backup),
          ...percentOf("simulation", simulation),
          ...(underWay ?? new Map<number, Progress>()).values()
        ]
      }
    })
  })
)
