import { Layer } from "effect"
import { CoversLive } from "./Covers.ts"
import { IngestLive } from "./Ingest.ts"
import { ObjectsLive } from "./Objects.ts"
import { PortraitsLive } from "./Portraits.ts"

/** All that has to do with pictures and films of agents. None of its libraries is loaded before something is drawn or sent. */
export const PicturesLive = Layer.mergeAll(PortraitsLive, CoversLive, IngestLive).pipe(Layer.provideMerge(ObjectsLive))
