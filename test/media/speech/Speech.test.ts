import { it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer } from "effect"
import * as fc from "fast-check"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { Speech, SpeechFailed } from "../../../engine/ports/Speech.ts"
import type { RawSound } from "../../../engine/ports/Speech.ts"
import { speechQueueMax, spokenCharsMax } from "../../../engine/rules/voices/limits.ts"
import { readingsOf } from "../../../media/speech/SpeechDelivery.ts"
import { EmbeddedSpeech, makeSpeech } from "../../../media/speech/Speech.ts"
import { makeEmbeddedEngine } from "../../../media/speech/EmbeddedEngine.ts"
import { type EspeakProcess, makeEspeakProcess } from "../../../media/speech/EspeakProcess.ts"
import { lineOf, sentencesOf } from "../../../media/speech/SpokenText.ts"
import { catalog, houseVoiceId } from "../../../media/speech/VoiceCatalog.ts"
import { Voice } from "../../../schema/voices/Voice.ts"
import { measureVoice } from "../../../bench/instruments/ears/VoiceMeasure.ts"

/** Speech engines that run for this process: their pids and scripts. */
const engines = () =>
  execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)], { encoding: "utf8" })
    .split("\n")
    .filter((line) => /(EspeakWorker|FaultyEngine)\.ts/.test(line))
const lengthMs = ({ channels, sampleRateHz }: RawSound) => (channels[0]!.length * 1000) / sampleRateHz
const rms = (pcm: Float32Array) => Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length)

describe("the text that is spoken", () => {
  const wordsOf = (script: string) => sentencesOf(script).flatMap(({ words }) => words.map(({ text }) => text))
  const said = (script: string) => sentencesOf(script).map(({ words }) => lineOf(words).text)

  it("leaves markup, phonemes and stage directions out", () => {
    expect(said("Good <emphasis level='strong'>evening</emphasis> [laughs softly] [[h@'loU]] all.")).toEqual([
      "Good evening all."
    ])
    expect(said("a < b & c > d")).toEqual(["a less than b and c greater than d"])
    expect(said("</speak><voice name='x'/>")).toEqual([])
  })

  it("splits at sentences, not at abbreviations, and marks their mood", () => {
    const sentences = sentencesOf("Dr. Oak met Mrs. Elm at 5 p.m. today. Why? Nobody knows!\n\nThe end")
    expect(sentences.map(({ mood }) => mood)).toEqual(["statement", "question", "exclamation", "statement"])
    expect(sentences.map(({ paragraphEnd }) => paragraphEnd)).toEqual([false, false, true, true])
  })

  it("takes pauses from the script, and bounds them", () => {
    expect(
      sentencesOf("One [pause 1.5s] two [pause 400ms] three [pause 90s] four.")
        .map(({ pauseMs }) => pauseMs)
        .slice(0, 3)
    ).toEqual([1500, 400, 3000])
    expect(sentencesOf("One [pause] two.")[0]!.pauseMs).toBe(800)
  })

  it("gives engines plain text in bounded sentences, and keeps every word", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 12 }), { maxLength: 120 }), (parts) => {
        const script = parts.join(" ")
        for (const sentence of sentencesOf(script)) {
          const { text, starts } = lineOf(sentence.words)
          expect(text).not.toMatch(/[<>&[\]\p{Cc}]/u)
          expect(text.length).toBeLessThanOrEqual(820)
          sentence.words.forEach(({ spoken }, i) =>
            expect(text.slice(starts[i]!, starts[i]! + spoken.length)).toBe(spoken)
          )
        }
      }),
      { numRuns: 300 }
    )
    expect(wordsOf("It's ten o'clock — in São Paulo, 42% sure.")).toEqual([
      "It's",
      "ten",
      "o'clock",
      "—",
      "in",
      "São",
      "Paulo,",
      "42%",
      "sure."
    ])
    expect(sentencesOf("word ".repeat(900)).length).toBeGreaterThan(10)
  })
})

it.layer(EmbeddedSpeech, { excludeTestServices: true })("the embedded engine", (it) => {
  const script =
    "Good evening. It's ten o'clock in São Paulo, and the well-known ferry has left — again! Who is on it? [whispers] Nobody.\n\nGood night."

  it.effect.each(["SPEED", "PRIMARY"] as const)("times every word (%s)", (role) =>
    Effect.gen(function* () {
      const sound = yield* (yield* Speech).speak({ text: script, voiceId: houseVoiceId, role })
      expect(sound.words.map(({ text }) => text)).toEqual(script.replace("[whispers] ", "").split(/\s+/))
      let before = 0
      for (const { startMs, endMs } of sound.words) {
        expect(startMs).toBeGreaterThanOrEqual(before)
        expect(endMs).toBeGreaterThanOrEqual(startMs)
        before = endMs
      }
      expect(before).toBeLessThanOrEqual(lengthMs(sound))
      // Words lie on sound and pauses between them: the pause after a paragraph is heard.
      const night = sound.words.at(-2)!
      expect(night.startMs - sound.words.at(-3)!.endMs).toBeGreaterThanOrEqual(550)
      const at = (ms: number) => Math.round((ms * sound.sampleRateHz) / 1000)
      expect(rms(sound.channels[0]!.subarray(at(sound.words.at(-3)!.endMs + 60), at(night.startMs - 20)))).toBeLessThan(
        0.003
      )
      expect(rms(sound.channels[0]!.subarray(at(night.startMs), at(night.endMs)))).toBeGreaterThan(0.02)
    })
  )

  it.effect("doesn't speak stage directions", () =>
    Effect.gen(function* () {
      const speech = yield* Speech
      const plain = yield* speech.speak({ text: "Hello everybody out there.", voiceId: houseVoiceId, role: "SPEED" })
      const directed = yield* speech.speak({
        text: "Hello [laughs for a long time, then coughs] everybody out there.",
        voiceId: houseVoiceId,
        role: "SPEED"
      })
      expect(Math.abs(lengthMs(plain) - lengthMs(directed))).toBeLessThan(30)
    })
  )

  it.effect("shapes sentences as PRIMARY, and gives the same sound for the same ask", () =>
    Effect.gen(function* () {
      const speech = yield* Speech
      const ask = { text: script, voiceId: houseVoiceId } as const
      const primary = yield* speech.speak({ ...ask, role: "PRIMARY" })
      const speed = yield* speech.speak({ ...ask, role: "SPEED" })
      expect(primary.channels[0]).not.toEqual(speed.channels[0])
      const { recipe } = catalog[0]!
      const readings = (role: "PRIMARY" | "SPEED") => readingsOf(sentencesOf(script), recipe, role)
      expect(new Set(readings("SPEED").map((reading) => JSON.stringify(reading))).size).toBe(1)
      const [, , question, nobody, goodNight] = readings("PRIMARY")
      expect(question!.pitch).toBeGreaterThan(nobody!.pitch)
      expect(goodNight!.wordsPerMin).toBeLessThan(nobody!.wordsPerMin)
      expect((yield* speech.speak({ ...ask, role: "PRIMARY" })).channels[0]).toEqual(primary.channels[0])
    })
  )

  it.effect("says what it can't read", () =>
    Effect.gen(function* () {
      const speech = yield* Speech
      const reasonOf = (text: string, voiceId: string, role: "PRIMARY" | "SPEED" = "PRIMARY") =>
        speech.speak({ text, voiceId, role }).pipe(
          Effect.flip,
          Effect.map(({ reason }) => reason)
        )
      expect(yield* reasonOf("Hello.", "voice_nobody")).toBe("unknown_voice")
      expect(yield* reasonOf("… [laughs] <br/> — !", houseVoiceId)).toBe("unreadable")
      expect(yield* reasonOf("a ".repeat(spokenCharsMax), houseVoiceId)).toBe("unreadable")
    })
  )

  it.effect("speaks with voices that operators described", () =>
    Effect.gen(function* () {
      const speech = yield* Speech
      const made = Voice.make({
        voiceId: "voice_tern",
        name: "Tern",
        provider: "SPEED",
        gender: "female",
        ageBand: "adult",
        accent: "Scottish",
        pace: "measured",
        timbre: ["clear"],
        personaBrief: "",
        sampleLine: "",
        hasTensor: true,
        hasDeployedVoice: true,
        claimable: true,
        reserved: false,
        engines: ["PRIMARY", "SPEED"],
        sound: { pitchHz: 240, tractPct: 112, secondPct: 99, wordsPerMin: 170 }
      })
      const low = Voice.make({
        ...made,
        voiceId: "voice_gannet",
        sound: { pitchHz: 85, tractPct: 90, secondPct: 99, wordsPerMin: 120 }
      })
      const text = "Light icing, good, occasionally poor, and then the sea was quiet again."
      const pitchOf = (voice: Voice) =>
        Effect.map(
          speech.speak({ text, voiceId: voice.voiceId, role: "SPEED", made: voice }),
          (sound) => measureVoice(sound).pitchHz
        )
      expect(yield* pitchOf(made)).toBeGreaterThan((yield* pitchOf(low)) * 1.8)
      expect(
        (yield* Effect.flip(speech.speak({ text: "Said by nobody.", voiceId: "voice_tern", role: "SPEED" }))).reason
      ).toBe("unknown_voice")
    })
  )

  it.effect("survives what scripts contain", () =>
    Effect.gen(function* () {
      const speech = yield* Speech
      for (const text of [
        "日本語のニュース",
        "🎉 Party 🎉 time",
        "x".repeat(3000),
        "\u202Ehidden\u0000 text\u200b",
        "1234567890123456789 €5 50% #1",
        "-v de --help"
      ]) {
        const sound = yield* speech.speak({ text, voiceId: houseVoiceId, role: "SPEED" })
        expect(lengthMs(sound)).toBeGreaterThan(100)
      }
    })
  )
})

/** The port on eSpeak NG processes. */
const embeddedSpeech = (processes: ReadonlyArray<EspeakProcess>) =>
  Effect.flatMap(makeEmbeddedEngine(processes), (engine) => makeSpeech({ PRIMARY: [engine], SPEED: [engine] }))

describe("an engine that fails (F10)", () => {
  /** Only an engine that hangs is given little time: every other fault shows by itself, however late. */
  const faulty = (fault: string, extra: object = {}) =>
    makeEspeakProcess(
      new URL("../../support/media/FaultyEngine.ts", import.meta.url),
      { fault, ...extra },
      fault === "hangs" ? 400 : 300_000
    )
  const say = { text: "Hello out there.", voiceId: houseVoiceId, role: "SPEED" } as const

  it.live.each([
    ["hangs", "timeout"],
    ["crashes", "crashed"],
    ["exits", "crashed"],
    ["silent", "silent"],
    ["not-a-number", "crashed"]
  ] as const)("fails with a code when the engine %s", ([fault, reason]) =>
    Effect.gen(function* () {
      const speech = yield* embeddedSpeech([yield* faulty(fault)])
      const failure = yield* Effect.flip(speech.speak(say))
      expect(failure).toBeInstanceOf(SpeechFailed)
      expect(failure.reason).toBe(reason)
      // And so does the next one: nothing is left hanging by the first.
      expect((yield* Effect.flip(speech.speak(say))).reason).toBe(reason)
    }).pipe(Effect.scoped)
  )

  it.live("gives up a text that would be spoken for an hour", () =>
    Effect.gen(function* () {
      const speech = yield* embeddedSpeech([yield* faulty("rambles")])
      expect(yield* Effect.flip(speech.speak({ ...say, text: "Eight. ".repeat(60) }))).toMatchObject({
        reason: "unreadable"
      })
    }).pipe(Effect.scoped)
  )

  it.live("goes on with a fresh engine after a crash", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "longwave-engine-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const speech = yield* embeddedSpeech([yield* faulty("crashes-once", { marker: join(folder, "crashed") })])
      expect((yield* Effect.flip(speech.speak(say))).reason).toBe("crashed")
      expect(lengthMs(yield* speech.speak(say))).toBeGreaterThan(400)
    }).pipe(Effect.scoped)
  )

  it.live(
    "speaks with the second engine, in every accent, and doesn't wait for the first again",
    () =>
      Effect.gen(function* () {
        const script = new URL("../../../media/speech/EspeakWorker.ts", import.meta.url)
        const speech = yield* embeddedSpeech([
          yield* faulty("hangs"),
          yield* makeEspeakProcess(script, { engine: "command-line" })
        ])
        const oneOfEach = new Map(
          catalog
            .filter(({ voice }) => voice.hasDeployedVoice)
            .map((entry) => [entry.recipe.accentFile, entry.voice.voiceId])
        )
        for (const voiceId of oneOfEach.values()) {
          const sound = yield* speech.speak({ ...say, text: "Good evening, this is the other one.", voiceId })
          expect(lengthMs(sound)).toBeGreaterThan(1000)
          expect(sound.words.map(({ text }) => text)).toEqual([
            "Good",
            "evening,",
            "this",
            "is",
            "the",
            "other",
            "one."
          ])
          expect(
            sound.words.every(({ startMs, endMs }, i) => endMs > startMs && startMs >= (sound.words[i - 1]?.endMs ?? 0))
          ).toBe(true)
        }
      }).pipe(Effect.scoped),
    300_000
  )

  it.live("refuses more than it can hold, and lets go of those who leave", () =>
    Effect.gen(function* () {
      const speech = yield* embeddedSpeech([yield* faulty("hangs")])
      const asks = yield* Effect.forEach(
        Array.from({ length: speechQueueMax }, (_, i) => i),
        (i) => Effect.forkChild(speech.speak({ ...say, text: `Number ${i}.` }))
      )
      yield* Effect.yieldNow
      expect((yield* Effect.flip(speech.speak(say))).reason).toBe("busy")
      yield* Effect.forEach(asks, Fiber.interrupt)
      const after = yield* Effect.exit(speech.speak(say))
      expect(Exit.isFailure(after) && JSON.stringify(after.cause)).toContain("timeout")
    }).pipe(Effect.scoped)
  )

  it.live("kills an engine whose listener is gone", () =>
    Effect.gen(function* () {
      const engine = yield* faulty("hangs")
      const speech = yield* embeddedSpeech([engine])
      const ask = yield* Effect.forkChild(speech.speak(say))
      yield* Effect.sleep(150)
      yield* Fiber.interrupt(ask)
      expect((yield* Effect.flip(speech.speak(say))).reason).toBe("timeout")
    }).pipe(Effect.scoped)
  )
})

it.live("ends an engine that nobody asks for, and starts it again for whoever does", () =>
  Effect.gen(function* () {
    const script = new URL("../../support/media/FaultyEngine.ts", import.meta.url)
    const engine = yield* makeEspeakProcess(script, { fault: "none" }, 300_000, 20)
    const line = {
      text: "Hello.",
      accentFile: "",
      variantName: "",
      variantFile: "",
      wordsPerMin: 150,
      pitch: 50,
      range: 50,
      timbre: catalog[0]!.recipe.timbre
    }
    const ended = Effect.repeat(Effect.sleep(5), { until: () => engines().length === 0 })
    yield* engine.speak(line)
    yield* ended
    expect((yield* engine.speak(line)).pcm.length).toBe(11_025)
    yield* ended
    // One that may rest for longer than this test is still there for the next line.
    const rested = yield* makeEspeakProcess(script, { fault: "none" }, 300_000, 600_000)
    yield* rested.speak(line)
    const before = engines()
    yield* rested.speak(line)
    expect([before.length, engines()]).toEqual([1, before])
  }).pipe(Effect.scoped)
)

it.live("listens to an engine for no longer than it waits for an answer", () =>
  Effect.gen(function* () {
    const warned: Array<string> = []
    const note = ({ message }: Error) => void warned.push(message)
    process.on("warning", note)
    const engine = yield* makeEspeakProcess(
      new URL("../../support/media/FaultyEngine.ts", import.meta.url),
      { fault: "none" },
      300_000
    )
    const line = {
      text: "Hello.",
      accentFile: "",
      variantName: "",
      variantFile: "",
      wordsPerMin: 150,
      pitch: 50,
      range: 50,
      timbre: catalog[0]!.recipe.timbre
    }
    yield* Effect.repeat(engine.speak(line), { times: 12 })
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    process.off("warning", note)
    expect(warned).toEqual([])
  }).pipe(Effect.scoped)
)

it.live("ends its processes with its scope", () =>
  Effect.gen(function* () {
    yield* Effect.flatMap(Speech, ({ speak }) => speak({ text: "Hello.", voiceId: houseVoiceId, role: "SPEED" })).pipe(
      Effect.tap(() => Effect.sync(() => expect(engines().length).toBe(1))),
      Effect.provide(Layer.fresh(EmbeddedSpeech))
    )
    expect(engines()).toEqual([])
  })
)
