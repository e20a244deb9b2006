import { createHash } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer } from "effect"
import { MediaStoreUnavailable, Prepare, Unairable } from "../../../engine/ports/Prepare.ts"
import { OwnKeySpeech } from "../../../engine/ports/OwnKeySpeech.ts"
import { Speech, SpeechFailed } from "../../../engine/ports/Speech.ts"
import { Asset } from "../../../schema/Sound.ts"
import type { SpeechEngineState } from "../../../schema/voices/Speech.ts"
import { Voice } from "../../../schema/voices/Voice.ts"

export type Fault = "none" | "hangs" | "crashes" | "dies" | "silent" | "busy" | "disk_full" | "fails_once"

/** What the scripted engine is to do next, and what it was asked. */
export class SpeechScript extends Context.Service<
  SpeechScript,
  {
    fault: Fault
    asked: Array<{ text: string; voiceId: string; role: string }>
    /** Names of the paid engines. */
    readonly paid: Array<string>
    discarded: Array<string>
    seconds: number
  }
>()("test/SpeechScript") {
  static readonly layer = Layer.sync(SpeechScript, () =>
    SpeechScript.of({ fault: "none", asked: [], paid: [], discarded: [], seconds: 4 })
  )
}

export const voice = (name: string, over: Partial<typeof Voice.Type> = {}) =>
  Voice.make({
    voiceId: `voice_${name}`,
    name,
    provider: "PRIMARY",
    gender: "female",
    ageBand: "adult",
    accent: "en-GB",
    pace: "measured",
    timbre: ["warm"],
    personaBrief: `${name} speaks.`,
    sampleLine: `This is ${name}.`,
    hasTensor: true,
    hasDeployedVoice: true,
    claimable: true,
    reserved: false,
    engines: ["PRIMARY", "SPEED"],
    ...over
  })

export const voices: ReadonlyArray<Voice> = [
  voice("house", { reserved: true, claimable: false }),
  voice("shared", { claimable: false, hasDeployedVoice: false, engines: ["PRIMARY"] }),
  voice("ada"),
  voice("bo"),
  voice("cleo", { pace: "fast" })
]

/** An engine in working order. */
export const readyEngine: SpeechEngineState = {
  name: "scripted",
  generator: "Scripted engine",
  trained: true,
  roles: ["PRIMARY", "SPEED"],
  state: "ready",
  lastFailure: null,
  scripts: 0,
  failures: 0,
  characters: 0,
  pricePer1000Chars: 0
}

export const ScriptedSpeech = Layer.effect(
  Speech,
  Effect.gen(function* () {
    const script = yield* SpeechScript
    const by = { name: "Scripted engine", trained: true }
    return Speech.of({
      voices,
      engines: Effect.succeed([readyEngine]),
      paidEngines: script.paid,
      speak: (ask) =>
        Effect.suspend(() => {
          script.asked.push(ask)
          const fault = script.fault
          if (fault === "fails_once") script.fault = "none"
          if (fault === "hangs") return Effect.never
          if (fault === "dies") return Effect.die(new Error("segmentation fault"))
          if (fault === "crashes" || fault === "fails_once")
            return Effect.fail(new SpeechFailed({ reason: "crashed", detail: "exit 139" }))
          if (fault === "busy") return Effect.fail(new SpeechFailed({ reason: "busy", detail: "queue full" }))
          return Effect.succeed({ sampleRateHz: 22_050, channels: [new Float32Array(16)], words: [], by })
        })
    })
  })
)

/** Providers with the keys of agents' owners, which do as they are told. */
export const ScriptedOwnKeys = Layer.effect(
  OwnKeySpeech,
  Effect.gen(function* () {
    const script = yield* SpeechScript
    return OwnKeySpeech.of({
      speak: ({ key, provider, text, voiceId }) =>
        Effect.suspend(() => {
          script.asked.push({ text, voiceId, role: `${provider} with ${key}` })
          const reason = { crashes: "crashed", silent: "silent", busy: "limited" }[script.fault as string]
          if (key.includes("expired"))
            return Effect.fail(new SpeechFailed({ reason: "refused", detail: "It refuses the key." }))
          if (reason !== undefined)
            return Effect.fail(new SpeechFailed({ reason: reason as "crashed", detail: "The provider failed." }))
          const by = { name: `${provider} model`, trained: true }
          return Effect.succeed({ sampleRateHz: 22_050, channels: [new Float32Array(16)], words: [], by })
        })
    })
  })
)

export const ScriptedPrepare = Layer.effect(
  Prepare,
  Effect.gen(function* () {
    const script = yield* SpeechScript
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "longwave-copy-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const copy = join(folder, "copy.mp3")
    writeFileSync(copy, "abcdefghij")
    const makePrepared = (id: string, kind: Asset["kind"], synthetic: Asset["synthetic"]) =>
      Asset.make({
        id,
        kind,
        lengthSamples: script.seconds * 48_000,
        pcmSha256: createHash("sha256").update(id).digest("hex"),
        loudness: { integratedLufs: -16, truePeakDbtp: -1.5, rangeLu: 3 },
        cue: { cueIn: 0, introEnd: 0, segue: script.seconds * 48_000, cueOut: script.seconds * 48_000 },
        envelope: new Uint8Array([1, 2, 3]),
        peaks: [],
        words: [],
        synthetic
      })
    return Prepare.of({
      prepare: (ask) =>
        Effect.suspend((): Effect.Effect<Asset, Unairable | MediaStoreUnavailable> => {
          if (script.fault === "silent") return Effect.fail(new Unairable({ code: "silent", detail: "no sound in it" }))
          if (script.fault === "disk_full") return Effect.fail(new MediaStoreUnavailable({ detail: "ENOSPC" }))
          return Effect.succeed(makePrepared(ask.id, ask.kind, ask.synthetic))
        }),
      mark: () => Effect.void,
      discard: (id) => Effect.sync(() => void script.discarded.push(id)),
      stage: () => Effect.die("not staged here"),
      stagedAs: () => {
        throw new Error("not staged here")
      },
      listeningCopyOf: () => copy,
      purgeStaged: () => Effect.succeed(0)
    })
  })
)
