import type { FunctionComponent } from "preact"
import type { OperatorRole } from "../../../schema/operations/Operator.ts"
import type { RoomProps } from "./desk/Place.ts"
import { Engine } from "./rooms/Engine.tsx"
import { Library } from "./rooms/Library.tsx"
import { OnAir } from "./rooms/OnAir.tsx"
import { People } from "./rooms/People.tsx"
import { Records } from "./rooms/Records.tsx"
import { Reviews } from "./rooms/Reviews.tsx"
import { Rundown } from "./rooms/Rundown.tsx"
import { Settings } from "./rooms/Settings.tsx"
import { Week } from "./rooms/Week.tsx"

/** A room of the console: `role` is the least that may enter it. */
export interface Room {
  readonly key: string
  readonly title: string
  readonly role: OperatorRole
  readonly Panel: FunctionComponent<RoomProps>
}

/** Rooms in the order of the menu. The first is the start page. */
export const rooms: ReadonlyArray<Room> = [
  { key: "", title: "On air", role: "viewer", Panel: OnAir },
  { key: "rundown", title: "Rundown", role: "viewer", Panel: Rundown },
  { key: "reviews", title: "Reviews", role: "reviewer", Panel: Reviews },
  { key: "week", title: "Week", role: "producer", Panel: Week },
  { key: "library", title: "Library", role: "reviewer", Panel: Library },
  { key: "people", title: "People", role: "viewer", Panel: People },
  { key: "engine", title: "Engine", role: "viewer", Panel: Engine },
  { key: "records", title: "Records", role: "viewer", Panel: Records },
  { key: "settings", title: "Settings", role: "viewer", Panel: Settings }
]
