import { Layer } from "effect"
import { CoversLive } from "./pictures/Covers.ts"
import { IngestLive } from "./ingest/Ingest.ts"
import { ObjectsLive } from "./storage/Objects.ts"
import { PortraitsLive } from "./pictures/Portraits.ts"

/** All that has to do with pictures and films of agents. None of its libraries is loaded before something is drawn or sent. */
export const PicturesLive = Layer.mergeAll(PortraitsLive, CoversLive, IngestLive).pipe(Layer.provideMerge(ObjectsLive))
