import { layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { AgentActors } from "../../../actors/Actors.ts"
import { cleanupJobs } from "../../../actors/operations/CleanupWorker.ts"
import { runJobs } from "../../support/runtime/RunJobs.ts"
import { callJobs, messagePurges } from "../../../actors/listeners/CallWorker.ts"
import { TranscribeCall } from "../../../actors/listeners/protocol/Jobs.ts"
import { workDue } from "../../../actors/runtime/JobWorker.ts"
import { endLease, leaveJobBehind } from "../../support/runtime/WorkedOff.ts"
import { Audience } from "../../../actors/listeners/protocol/Audience.ts"
import { Message } from "../../../actors/listeners/protocol/Message.ts"
import { callKeyOf } from "../../../engine/ports/CallSound.ts"
import { ObjectStore } from "../../../engine/ports/ObjectStore.ts"
import { Calls } from "../../../engine/store/listeners/Calls.ts"
import { Interactions } from "../../../engine/store/listeners/Messages.ts"
import { Reviews } from "../../../engine/store/moderation/Reviews.ts"
import type { HumanId, InteractionId, ReviewId } from "../../../schema/Ids.ts"
import { consent, makeRecording } from "../../support/listeners/Messages.ts"
import { OnboardingWorld } from "../../support/agents/OnboardingWorld.ts"
import { transcriberDouble } from "../../support/media/TranscriberDouble.ts"

class Service extends Context.Service<Service, Effect.Success<typeof transcriberDouble>>()(
  "test/TranscriptionService"
) {}

const World = Layer.unwrap(
  Effect.map(transcriberDouble, (double) =>
    OnboardingWorld({ STT_URL: double.url }, AgentActors).pipe(Layer.provideMerge(Layer.succeed(Service, double)))
  )
)

let sent = 0
const guest = { listenerId: null, human: null }
const about = { trackId: null, to: null, showSlug: null, asked: { source: "web" as const, consent, attribution: null } }
const messageOf = (id: string) => Effect.map(Message.client, (message) => message(id))
const audienceOf = (key: string) => Effect.map(Audience.client, (audience) => audience(key))

const written = Effect.fnUntraced(function* (
  content: string,
  from: {
    readonly listenerId: null
    readonly human: { readonly id: HumanId; readonly displayName: string } | null
  } = guest
) {
  const audience = yield* audienceOf(from.human?.id ?? `guest_${++sent}`)
  return (yield* audience.WriteIn({
    from,
    draft: { content, kind: "write_in", ...about }
  })).interaction.id
})

const called = Effect.gen(function* () {
  const uploadKey = `calls/incoming/${++sent}`
  yield* (yield* ObjectStore).put(uploadKey, { bytes: (yield* makeRecording("wav", 1.5)).bytes }, "audio/wav")
  return (yield* (yield* audienceOf(`guest_${sent}`)).CallIn({
    from: guest,
    draft: { uploadKey, contentType: null, ...about }
  })).interaction.id
})

const approved = Effect.fnUntraced(function* (id: InteractionId, type: "write_in" | "call_in") {
  const review = (yield* (yield* Reviews).openFor(type, id))!
  yield* (yield* messageOf(id)).Decide({
    reviewId: review.id as ReviewId,
    decision: "approve",
    note: null,
    actor: "a reviewer",
    reason: null
  })
  return review.id
})
const find = (id: string) => Effect.flatMap(Interactions, ({ find }) => find(id))
const sizeOf = (id: InteractionId) => Effect.flatMap(ObjectStore, ({ size }) => size(callKeyOf(id)))
const statusOf = (id: string) =>
  Effect.flatMap(Calls, (calls) => Effect.map(calls.find(id), (call) => call?.transcriptStatus))

const minuteMs = 60_000
const dayMs = 86_400_000
/** A round at a later time; the actors' many short timers until then are not run. */
const at = <A, E, R>(atMs: number, round: Effect.Effect<A, E, R>) =>
  Effect.andThen(TestClock.setTime(atMs), round).pipe(Effect.provide(TestClock.layer()))

layer(World)("messages of listeners", (it) => {
  it.effect("are transcribed by a machine, retried after an outage, and by a person if the machine stays away", () =>
    Effect.gen(function* () {
      const { answer, asked } = yield* Service
      answer.body = JSON.stringify({ text: "Mail me at ada@example.org." })
      const heard = yield* called
      yield* at(0, workDue(callJobs))
      expect([
        (yield* find(heard))!.content,
        (yield* find(heard))!.flags.map(({ code }) => code),
        yield* statusOf(heard)
      ]).toEqual(["Mail me at ada@example.org.", ["personal_data"], "ready"])
      expect(yield* (yield* Reviews).openFor("call_in", heard)).toMatchObject({
        scriptText: "Mail me at ada@example.org.",
        status: "open"
      })
      answer.status = 503
      const before = asked.length
      const unheard = yield* called
      for (const minute of [0, 0.5, 1.2, 4, 10, 24, 60]) yield* at(minute * minuteMs, workDue(callJobs))
      expect([asked.length - before, yield* statusOf(unheard), (yield* find(unheard))!.content]).toEqual([
        5,
        "awaiting",
        null
      ])
      answer.status = 200
      // After the lease of a dead process ends, the next process resumes its work.
      const lost = yield* called
      yield* leaveJobBehind(TranscribeCall, lost, { interactionId: lost })
      yield* at(minuteMs, workDue(callJobs))
      expect(yield* statusOf(lost)).toBe("queued")
      yield* endLease(lost)
      yield* at(Date.now(), workDue(callJobs))
      expect(yield* statusOf(lost)).toBe("ready")
      // A person's transcript takes precedence over the machine's, whichever comes first.
      yield* (yield* messageOf(lost)).SettleTranscript({ interactionId: lost, transcript: "something else" })
      expect((yield* find(lost))!.content).toBe("Mail me at ada@example.org.")
    })
  )

  it.effect("are deleted after their retention unless aired", () =>
    Effect.gen(function* () {
      const { answer } = yield* Service
      answer.body = JSON.stringify({ text: "Good evening." })
      const sql = yield* SqlClient.SqlClient
      const [clean, held, read] = [
        yield* written("Good night."),
        yield* written("Mail me at ada@example.org."),
        yield* written("Good morning.")
      ]
      const [call, aired] = [yield* called, yield* called]
      yield* at(minuteMs, workDue(callJobs))
      const reviewId = yield* approved(call, "call_in")
      yield* approved(aired, "call_in")
      yield* at(minuteMs, workDue(callJobs))
      yield* sql`UPDATE interactions SET moderation_status = 'aired', visibility = 'on_air' WHERE id IN (${read}, ${aired})`
      yield* sql`UPDATE airings SET state = 'aired' WHERE subject_id = ${aired}`
      const meters = sql<{ count: number }>`SELECT count(*)::int AS count FROM meters WHERE name LIKE '%:guest\\_%'`
      expect([(yield* meters)[0]!.count > 0, (yield* sizeOf(call)) !== null, (yield* sizeOf(aired)) !== null]).toEqual([
        true,
        true,
        true
      ])
      yield* at(2 * dayMs + minuteMs, runJobs([...messagePurges, ...cleanupJobs]))
      expect([(yield* meters)[0]!.count, (yield* find(clean)) !== null]).toEqual([0, true])
      yield* at(30 * dayMs, runJobs([...messagePurges, ...cleanupJobs]))
      expect((yield* find(call)) !== null).toBe(true)
      yield* at(30 * dayMs + minuteMs, runJobs([...messagePurges, ...cleanupJobs]))
      expect([
        yield* find(call),
        yield* sizeOf(call),
        (yield* find(aired))!.content,
        yield* sizeOf(aired),
        (yield* (yield* Reviews).find(reviewId))!.scriptText
      ]).toEqual([null, null, "Good evening.", null, null])
      expect([(yield* find(clean)) !== null, (yield* find(held)) !== null]).toEqual([true, true])
      const review = (yield* (yield* Reviews).openFor("write_in", held))!
      yield* at(90 * dayMs + minuteMs, runJobs([...messagePurges, ...cleanupJobs]))
      expect([yield* find(clean), yield* find(held), (yield* find(read))!.content]).toEqual([
        null,
        null,
        "Good morning."
      ])
      expect(yield* (yield* Reviews).find(review.id)).toMatchObject({
        status: "withdrawn",
        scriptText: null,
        flags: []
      })
    })
  )

  it.effect("goes with the account it was sent from; what aired is a listener's from then on", () =>
    Effect.gen(function* () {
      const human = { id: "usr_01hzzzzzzzzzzzzzzzzzzzzzz0" as HumanId, displayName: "Ada" }
      const sql = yield* SqlClient.SqlClient
      const [waits, aired] = [
        yield* written("One.", { listenerId: null, human }),
        yield* Effect.andThen(TestClock.adjust("1 hour"), written("Two.", { listenerId: null, human }))
      ]
      yield* sql`UPDATE interactions SET moderation_status = 'aired', listener_label = 'Ada' WHERE id = ${aired}`
      yield* (yield* audienceOf(human.id)).ForgetMessages({ humanId: human.id })
      expect([yield* find(waits), yield* find(aired)]).toEqual([
        null,
        expect.objectContaining({ content: "Two.", listenerLabel: "a listener", humanId: null, listenerId: null })
      ])
    })
  )
})
