import { Layer } from "effect"
import { CoversLive } from "./pictures/Covers.ts"
import { IngestLive } from "./ingest/Ingest.ts"
import { ObjectsLive } from "./storage/Objects.ts"
import { PortraitsLive } from "./pictures/Portraits.ts"

/** Pictures and films of agents. Each library is loaded at its first use. */
export const PicturesLive = Layer.mergeAll(PortraitsLive, CoversLive, IngestLive).pipe(Layer.provideMerge(ObjectsLive))
