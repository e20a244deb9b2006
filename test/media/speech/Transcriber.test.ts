import { it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { NodeServices } from "@effect/platform-node"
import { TestClock } from "effect/testing"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect } from "vitest"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { transcriberTimeoutMs } from "../../../engine/rules/voices/limits.ts"
import { ObjectStore } from "../../../engine/ports/ObjectStore.ts"
import { Transcriber } from "../../../engine/ports/Transcriber.ts"
import { Ffmpeg, ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { ObjectsLive } from "../../../media/storage/Objects.ts"
import { makeNeuralProcess } from "../../../media/speech/NeuralProcess.ts"
import { sherpaListener } from "../../../media/speech/SherpaTranscriber.ts"
import { TranscriberLive } from "../../../media/speech/Transcriber.ts"
import { makeRecording } from "../../support/listeners/Messages.ts"
import {
  writeTinyLetterVoice,
  writeTinySenseVoice,
  writeTinyTransducer,
  writeTinyWhisper
} from "../../support/media/TinyModels.ts"
import { transcriberDouble } from "../../support/media/TranscriberDouble.ts"

const folder = mkdtempSync(join(tmpdir(), "longwave-transcriber-"))
afterAll(() => rmSync(folder, { recursive: true }))

const world = (given: Record<string, string>) =>
  TranscriberLive.pipe(
    Layer.provideMerge(ObjectsLive),
    Layer.provide(ffmpegLayer(null)),
    Layer.provideMerge(StationConfig.fromEnvironment({ DATA_DIR: folder, ...given })),
    Layer.provide(NodeServices.layer)
  )
const flac = Effect.gen(function* () {
  const { bytes } = yield* makeRecording("wav", 1.5, ["-c:a", "flac", "-f", "flac"])
  yield* (yield* ObjectStore).put("calls/one.flac", { bytes }, "audio/flac")
  return bytes
})
const transcribed = Effect.flatMap(Transcriber, ({ transcribe }) => transcribe("calls/one.flac"))
const failure = Effect.map(Effect.flip(transcribed), ({ again, detail }) => [again, detail])

describe("what was said, in words", () => {
  it.effect("is asked for as the interface has it, and is text and nothing else", () =>
    Effect.gen(function* () {
      const double = yield* transcriberDouble
      yield* Effect.gen(function* () {
        const bytes = yield* flac
        double.answer.body = JSON.stringify({ text: "  Hello,\n this is <b>Ada</b>. " })
        expect([(yield* Transcriber).engine, yield* transcribed]).toEqual(["127.0.0.1", "Hello, this is <b>Ada</b>."])
        const [asked] = double.asked
        expect([
          asked!.method,
          asked!.path,
          asked!.authorization,
          asked!.fields,
          asked!.file?.name,
          asked!.file?.type,
          asked!.file?.bytes.equals(bytes)
        ]).toEqual([
          "POST",
          "/v1/audio/transcriptions",
          "Bearer a key",
          { model: "large", response_format: "json" },
          "call.flac",
          "audio/flac",
          true
        ])
      }).pipe(Effect.provide(world({ STT_URL: double.url, STT_KEY: "a key", STT_MODEL: "large" })))
    })
  )

  it.effect("is asked for again where that may help, and only there", () =>
    Effect.gen(function* () {
      const double = yield* transcriberDouble
      yield* Effect.gen(function* () {
        yield* flac
        for (const [status, again] of [
          [503, true],
          [429, true],
          [400, false],
          [401, false]
        ] as const) {
          double.answer.status = status
          expect(yield* failure).toEqual([again, `The transcription service answered ${status}.`])
        }
        double.answer.status = 200
        for (const body of ["no JSON", "{}", `{"text":7}`]) {
          double.answer.body = body
          expect(yield* failure).toEqual([false, "The transcription service's answer holds no text."])
        }
        double.answer.body = JSON.stringify({ text: "x".repeat(300_000) })
        expect(yield* failure).toEqual([false, "The transcription service sent more than a transcript."])
        double.answer.body = JSON.stringify({ text: "ab ".repeat(5_000) })
        expect((yield* transcribed).length).toBe(4_000)
        double.answer.hangs = true
        const hanging = yield* Effect.forkChild(failure)
        while (double.asked.length < 10) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        yield* TestClock.adjust(transcriberTimeoutMs)
        expect(yield* Fiber.join(hanging)).toEqual([true, "The transcription service took longer than 120 s."])
        yield* (yield* ObjectStore).remove(["calls/one.flac"])
        expect(yield* failure).toEqual([false, "The recording is gone."])
      }).pipe(Effect.provide(world({ STT_URL: double.url })))
      yield* Effect.provide(
        Effect.andThen(
          flac,
          Effect.map(failure, (why) => expect(why).toEqual([true, "The transcription service can't be reached."]))
        ),
        world({ STT_URL: "http://127.0.0.1:1/v1" })
      )
    })
  )

  it.live.each([
    ["SenseVoice", writeTinySenseVoice],
    ["a transducer", writeTinyTransducer],
    ["Whisper", writeTinyWhisper]
  ] as const)("is had from the real library with %s that the test builds", ([, build]) =>
    Effect.gen(function* () {
      const [voice, model] = [join(folder, "voice"), join(folder, `ear-${build.name}`)]
      writeTinyLetterVoice(voice)
      build(model)
      const child = yield* makeNeuralProcess(new URL("../../../media/speech/NeuralWorker.ts", import.meta.url), {
        modelDir: voice,
        threads: 1
      })
      const { pcm, sampleRateHz } = yield* child.speak(
        { text: "the tide is high at seven", speaker: 0, speed: 1, timbre: null },
        60_000
      )
      const listen = sherpaListener({ modelDir: model, tools: yield* Ffmpeg, workDir: join(folder, "work") })
      expect((yield* listen({ channels: [pcm], sampleRateHz, words: [] }))?.trim()).toBe("the tide is high at seven")
    }).pipe(Effect.scoped, Effect.provide(ffmpegLayer(null)))
  )

  it.effect("waits for a person where nobody writes", () =>
    Effect.gen(function* () {
      expect((yield* Transcriber).engine).toBe(null)
      expect(yield* failure).toEqual([false, "No speech recogniser is configured. Set STT_MODEL_DIR or STT_URL."])
    }).pipe(Effect.provide(world({})))
  )

  it.live(
    "is not had from a model that is missing, unknown or damaged, and only the child falls",
    () =>
      Effect.gen(function* () {
        const model = join(folder, "model")
        const said = Effect.andThen(flac, failure).pipe(
          Effect.provide(world({ STT_MODEL_DIR: model, STT_URL: "http://127.0.0.1:1/" }))
        )
        expect(yield* said).toEqual([false, "STT_MODEL_DIR can't be used: There is no such folder."])
        mkdirSync(model)
        writeFileSync(join(model, "tokens.txt"), "<blk> 0\na 1\n")
        expect((yield* said)[1]).toMatch(/^STT_MODEL_DIR can't be used: It holds no model that is known/)
        for (const part of ["encoder", "decoder", "joiner"])
          writeFileSync(join(model, `${part}.onnx`), "this is no model")
        expect(yield* said).toEqual([
          false,
          "The recogniser fell: the model is damaged, or none for it, or the library has no build for this machine."
        ])
        // What it worked with is gone.
        expect(readdirSync(join(folder, "media", ".calls"))).toEqual([])
      }),
    300_000
  )
})
