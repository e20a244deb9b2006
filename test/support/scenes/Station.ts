import { call } from "../SegmentHttp.ts"
import type { Scenes } from "./Scene.ts"

/** 4.8: the public face. */
export const station: Scenes = {
  "GET /api/station": {},
  "GET /api/station/now-playing": { "500": call("GET", "/api/station/now-playing") },
  "GET /api/now-playing": { "500": call("GET", "/api/now-playing") },
  "GET /api/station/history": { STATION_NOT_FOUND: call("GET", "/api/station/history?stationSlug=otherwave") },
  "GET /api/station/queue": {},
  "GET /api/station/stream-health": {},
  "GET /api/station/listen": {},
  "GET /api/station/playback-sources": {}
}
