import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { sealOf } from "../../../actors/air/AsRunAudit.ts"
import { AsRunKey } from "../../../engine/runtime/AsRunKey.ts"
import { sampleOf } from "../../../schema/time/Samples.ts"
import { Assets } from "../../../engine/store/sound/Assets.ts"
import { AsRunWriter } from "../../../engine/store/air/AsRun.ts"
import { ListenerCreditsWriter } from "../../../engine/store/air/ListenerCredits.ts"
import { Fences } from "../../../engine/store/air/Fences.ts"
import { AirLayer } from "../../../schema/air/Air.ts"
import type { AsRunEntry } from "../../../schema/air/AsRun.ts"
import { Asset } from "../../../schema/Sound.ts"
import { AgentHttp } from "../../support/http/AgentHttp.ts"
import { airable, testId } from "../../support/air/Airables.ts"
import { arriveGranted } from "../../support/scenes/Scene.ts"
import { call } from "../../support/http/SegmentHttp.ts"
import { assetOf } from "../../support/air/StudioDouble.ts"

const history = "/api/station/history"
const beginMs = Date.UTC(2027, 0, 1, 12)
const at = (sec: number) => new Date(beginMs + sec * 1_000).toISOString()
const heard = (n: number, fromSec: number, sec: number, more: Partial<AsRunEntry> = {}): AsRunEntry => ({
  itemId: testId("itm", n),
  kind: "music",
  role: "music",
  title: `Song ${n}`,
  artist: "The Band",
  segmentId: null,
  trackId: null,
  agentId: null,
  assetId: null,
  firstSample: sampleOf(beginMs + fromSec * 1_000),
  lastSample: sampleOf(beginMs + (fromSec + sec) * 1_000) - 1,
  outcome: "complete",
  layers: [],
  trace: [],
  pcmSha256: null,
  ...more
})
const logged = Effect.fnUntraced(function* (...entries: ReadonlyArray<AsRunEntry>) {
  yield* (yield* AsRunWriter).append(yield* (yield* Fences).stationId, entries, sealOf(yield* AsRunKey, 1))
})
const read = (query = "") =>
  Effect.map(
    call("GET", `${history}${query}`),
    ({ body }) => body.items as ReadonlyArray<{ id: string; asRunId: string; startedAt: string }>
  )
layer(AgentHttp(), { excludeTestServices: true })("GET /api/station/history", (it) => {
  it.effect("lists aired items with their authors and requesters", () =>
    Effect.gen(function* () {
      const { handle, id: agentId, key } = yield* arriveGranted()
      const {
        body: { segment }
      } = yield* call("POST", "/api/segments", {
        key,
        body: {
          stationSlug: "longwave",
          category: "story",
          title: "The lighthouse",
          scriptText: "[wind] The lamp went out at four."
        }
      })
      const [voice, bed] = [airable("segment", 1, 30), airable("bed", 2, 30)]
      const spoken = {
        digitalSourceType: "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia",
        generator: "A model",
        disclosure: "AI voice. Spoken."
      } as const
      const composed = {
        digitalSourceType: "http://cv.iptc.org/newscodes/digitalsourcetype/algorithmicMedia",
        generator: "A composer",
        disclosure: "Composed by the station."
      } as const
      yield* Effect.forEach(
        [
          [voice, spoken],
          [bed, composed]
        ] as const,
        ([of, synthetic]) => Effect.flatMap(Assets, (assets) => assets.save(new Asset({ ...assetOf(of), synthetic })))
      )
      const layer = { layer: "bed", assetId: bed.assetId, gainDb: -18, firstSample: 0, lastSample: 1 } as const
      yield* logged(
        heard(1, 0, 60, { assetId: bed.assetId }),
        heard(2, 60, 30, {
          assetId: voice.assetId,
          layers: [new AirLayer(layer)],
          kind: "segment",
          role: "segment",
          title: "The lighthouse",
          artist: null,
          segmentId: segment.id,
          agentId: agentId as never,
          outcome: "cut"
        }),
        heard(3, 90, 10, { itemId: null, kind: "filler", role: null, outcome: "emergency" }),
        heard(4, 100, 60)
      )
      const credits = yield* ListenerCreditsWriter
      yield* credits.give({ subjectId: testId("itm", 4), label: "Mo", sourceId: testId("sreq", 1), humanId: null })
      const { body, headers, status } = yield* call("GET", history)
      expect([status, headers.get("cache-control"), headers.get("access-control-allow-origin")]).toEqual([
        200,
        "public, max-age=5",
        "*"
      ])
      expect(body.items).toEqual([
        {
          id: testId("itm", 4),
          kind: "music",
          title: "Song 4",
          owner: null,
          show: null,
          track: { id: null, title: "Song 4", artist: "The Band", madeByStation: false },
          copy: "Song 4",
          copyKind: "title",
          startedAt: at(100),
          endedAt: at(160),
          airedAt: at(100),
          durationSec: 60,
          airedCompletely: true,
          factualMode: null,
          performanceDisclaimer: null,
          listenerLabel: "Mo",
          synthetic: null,
          segmentId: null,
          asRunId: "asr_4"
        },
        {
          id: testId("itm", 2),
          kind: "segment",
          title: "The lighthouse",
          owner: { handle, displayName: "A stranger", avatarUrl: null },
          show: null,
          track: null,
          copy: "The lamp went out at four.",
          copyKind: "script",
          startedAt: at(60),
          endedAt: at(90),
          airedAt: at(60),
          durationSec: 30,
          airedCompletely: false,
          factualMode: "fiction",
          performanceDisclaimer: "A performance: made up, and spoken by an AI agent.",
          listenerLabel: "a listener",
          segmentId: segment.id,
          synthetic: {
            digitalSourceType: "http://cv.iptc.org/newscodes/digitalsourcetype/compositeSynthetic",
            generator: "A model, A composer",
            disclosure: "AI voice. Spoken. Composed by the station."
          },
          asRunId: "asr_2"
        },
        {
          id: testId("itm", 1),
          kind: "music",
          title: "Song 1",
          owner: null,
          show: null,
          track: { id: null, title: "Song 1", artist: "The Band", madeByStation: false },
          copy: "Song 1",
          copyKind: "title",
          startedAt: at(0),
          endedAt: at(60),
          airedAt: at(0),
          durationSec: 60,
          airedCompletely: true,
          factualMode: null,
          performanceDisclaimer: null,
          listenerLabel: "a listener",
          synthetic: composed,
          segmentId: null,
          asRunId: "asr_1"
        }
      ])
      // The words of a call are its transcript.
      const sql = yield* SqlClient.SqlClient
      const [call1, interaction] = [testId("seg", 77), testId("int", 77)]
      yield* sql`INSERT INTO interactions (id, type, content, visibility, moderation_status, flags, listener_label, source, created_at) VALUES (${interaction}, 'call_in', 'I am on the pier.', 'on_air', 'aired', '[]', 'Jo', 'web', now())`
      yield* sql`INSERT INTO call_ins (interaction_id, segment_id, duration_sec, transcript_status, next_at) VALUES (${interaction}, ${call1}, 10, 'ready', now())`
      yield* credits.give({ subjectId: call1, label: "Jo", sourceId: interaction, humanId: null })
      yield* logged(
        heard(5, 160, 10, {
          kind: "segment",
          role: "segment",
          title: "A call",
          artist: null,
          segmentId: call1 as never
        })
      )
      expect((yield* read("?limit=1"))[0]).toMatchObject({
        copy: "I am on the pier.",
        copyKind: "transcript",
        listenerLabel: "Jo",
        owner: null,
        factualMode: null,
        performanceDisclaimer: null
      })
      expect((yield* read("?types=segment")).map(({ id }) => id)).toEqual([testId("itm", 5), testId("itm", 2)])
      expect(yield* read("?types=station_id")).toEqual([])
    })
  )

  it.effect("is read completely in pages while more airs, by items, rows and times alike", () =>
    Effect.gen(function* () {
      yield* logged(
        ...Array.from({ length: 9 }, (_, n) =>
          heard(100 + n, 200 + n * 10, 10, n === 4 ? { itemId: testId("itm", 103), outcome: "cut" } : {})
        )
      )
      const whole = (yield* read("?limit=100")).map(({ asRunId }) => asRunId)
      let next = 300
      for (const cursor of ["asRunId", "startedAt"] as const) {
        const pages: Array<string> = []
        for (let before = ""; ;) {
          const page = yield* read(`?limit=2${before}`)
          pages.push(...page.map(({ asRunId }) => asRunId))
          if (page.length < 2) break
          before = `&before=${page.at(-1)![cursor]}`
          yield* logged(heard(++next, next * 10, 10))
        }
        expect(pages.filter((id) => whole.includes(id))).toEqual(whole)
        expect(new Set(pages).size).toBe(pages.length)
      }
      const [, second] = yield* read("?limit=2")
      expect((yield* read(`?limit=1&before=${second!.id}`))[0]!.startedAt < second!.startedAt).toBe(true)
      for (const wrong of [
        "before=nonsense",
        `before=${testId("itm", 9_999)}`,
        "types=songs",
        "types=music,songs",
        "limit=0",
        "limit=101"
      ]) {
        expect([wrong, (yield* call("GET", `${history}?${wrong}`)).body.code]).toEqual([wrong, "INVALID_FIELD"])
      }
      expect((yield* call("GET", `${history}?stationSlug=otherwave`)).body.code).toBe("STATION_NOT_FOUND")
    })
  )
})
