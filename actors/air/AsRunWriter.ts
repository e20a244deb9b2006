import { Effect, FileSystem, Queue, Ref, Schema, Semaphore, Stream } from "effect"
import type { AirStatus } from "../../schema/air/Air.ts"
import { AsRunBody, type AsRunEntry } from "../../schema/air/AsRun.ts"
import { RundownItem } from "../../schema/air/Rundown.ts"
import { asRunQueuedMax, asRunSealMs, factRetryMs, factTriesMax } from "../../engine/rules/air/limits.ts"
import { airingsOf } from "../../engine/rules/air/Airing.ts"
import { sortByEnd } from "../../schema/air/AsRunOrder.ts"
import { kindOf } from "../../engine/rules/air/Rundown.ts"
import { msOf } from "../../schema/time/Samples.ts"
import { lengthOf } from "../../engine/rules/air/ItemSequence.ts"
import { AiringsWriter } from "../../engine/store/air/Airings.ts"
import { AsRunWriter, type AsRunSeal, OpenItem } from "../../engine/store/air/AsRun.ts"

/** Token of the incarnation that wrote the fact into its journal. */
const noted = { notedUnder: Schema.optionalKey(Schema.Int) }
/** A fact about the air, stored for good. */
export const Fact = Schema.Union([
  Schema.TaggedStruct("Opened", { ...OpenItem.fields, ...noted }),
  /** The item began and ended before any sample of it was heard. */
  Schema.TaggedStruct("Unheard", { item: RundownItem, atSample: Schema.Int, ...noted }),
  /** `sinceSample` is the item's first sample. `goesOn`: the item may continue after this stretch. */
  Schema.TaggedStruct("Heard", {
    body: AsRunBody,
    item: Schema.NullOr(RundownItem),
    sinceSample: Schema.Int,
    goesOn: Schema.Boolean,
    ...noted
  }),
  /** The item ended without another stretch. */
  Schema.TaggedStruct("Ended", { item: RundownItem, sinceSample: Schema.Int, lastSample: Schema.Int, ...noted })
])
export type Fact = typeof Fact.Type
const FactLine = Schema.fromJsonString(Fact)
const encode = Schema.encodeEffect(FactLine)
const decode = Schema.decodeUnknownEffect(FactLine)
/** Entry for an item that the mixer can no longer report. */
const unreportedEntryOf = (
  item: RundownItem,
  firstSample: number,
  lastSample: number,
  { outcome, why }: Pick<AsRunEntry, "outcome"> & { readonly why: string }
): AsRunEntry => ({
  itemId: item.id,
  kind: kindOf(item),
  role: item.airable.role,
  title: item.airable.title,
  artist: item.airable.artist,
  segmentId: item.airable.segmentId,
  trackId: item.airable.trackId,
  agentId: item.airable.agentId,
  assetId: item.airable.assetId,
  firstSample,
  lastSample,
  outcome,
  layers: [],
  trace: [...item.trace, why],
  pcmSha256: null,
  ...(item.songRequestIds === undefined ? {} : { songRequestIds: item.songRequestIds })
})
/**
 * Writes facts to the store in order. Until the store has taken a fact, it waits in memory and in a journal on disk, so neither an outage nor a
 * crash loses one. With too many for the memory, the journal alone keeps the rest. Writing a fact twice has no further effect.
 */
export const makeAsRunWriter = Effect.fnUntraced(function* (options: {
  readonly stationId: string
  readonly journalPath: string
  readonly seal: AsRunSeal
  /**
   * First token since which no other process has had the air; null if none had it. What this process noted before, while it was cut off from the store
   * and still sounded, is no part of the log: the other process was on the air by then, and has accounted for all that was heard.
   */
  readonly heldSince: number | null
  /** Tells the operators. */
  readonly alert: (detail: string) => Effect.Effect<void>
}) {
  const { alert, heldSince, journalPath, seal, stationId } = options
  /** Facts that are read from here come before those in the journal. */
  const earlierPath = `${journalPath}.1`
  const asRun = yield* AsRunWriter
  const airings = yield* AiringsWriter
  const files = yield* FileSystem.FileSystem
  const queue = yield* Queue.dropping<Fact>(asRunQueuedMax)
  /** One change of the journal at a time: a line must not be added while it is emptied. */
  const turn = yield* Semaphore.make(1)
  const journaled = yield* Ref.make(0)
  /** True while the journal holds facts that the queue doesn't. */
  const overflown = yield* Ref.make(false)
  /** The queue's facts come after those that are being read from the disk. */
  const reading = yield* Ref.make(false)
  const isBehind = Effect.gen(function* () {
    return (yield* Queue.size(queue)) > 0 || (yield* Ref.get(overflown)) || (yield* Ref.get(reading))
  })

  const tryOnDisk = <A, E>(what: string, effect: Effect.Effect<A, E>, otherwise: A): Effect.Effect<A> =>
    Effect.catch(effect, (error) =>
      Effect.as(Effect.logWarning(`as-run: ${what} failed, facts are kept in memory only`, error), otherwise)
    )

  const write = Effect.fnUntraced(function* (fact: Fact) {
    if (fact._tag === "Opened") {
      const { _tag, notedUnder: _, ...open } = fact
      const { firstSample, item } = open
      yield* asRun.open(stationId, open, seal.fence)
      const atMs = msOf(firstSample)
      yield* airings.move(airingsOf(item), { _tag: "Place", placement: item.id, expectedAtMs: atMs, atMs }, seal.fence)
      yield* airings.move(airingsOf(item), { _tag: "Begin", atMs }, seal.fence)
      return
    }
    if (fact._tag === "Unheard") {
      const atMs = msOf(fact.atSample)
      yield* asRun.close(stationId, fact.item.id, seal.fence)
      yield* airings.move(airingsOf(fact.item), { _tag: "Displace", reason: "DISPLACED", atMs }, seal.fence)
      return
    }
    const { item, sinceSample } = fact
    const { lastSample } = fact._tag === "Heard" ? fact.body : fact
    if (fact._tag === "Heard") yield* asRun.append(stationId, [fact.body], seal)
    else yield* asRun.close(stationId, item!.id, seal.fence)
    if (item === null || (fact._tag === "Heard" && fact.goesOn)) return
    const heard = {
      sinceMs: msOf(sinceSample),
      endedAtMs: msOf(lastSample + 1),
      heardMs: (lastSample + 1 - sinceSample) / 48,
      lengthMs: lengthOf(item.airable) / 48,
      complete: fact._tag === "Heard" && fact.body.outcome === "complete"
    }
    yield* airings.move(airingsOf(item), { _tag: "End", heard, atMs: heard.endedAtMs }, seal.fence)
  })

  /** Tries until the store has taken the fact. */
  const persist = Effect.fnUntraced(function* (fact: Fact) {
    let refusals = 0
    for (let tries = 1; ; tries++) {
      const defect = yield* write(fact).pipe(
        Effect.as(null),
        Effect.catchDefect((cause) => Effect.succeed({ cause }))
      )
      if (defect === null) return
      if (tries === 1) yield* Effect.logWarning("as-run: a fact can't be stored yet, facts wait on disk", defect.cause)
      const answers = yield* asRun.listOpen(stationId).pipe(
        Effect.as(true),
        Effect.catchDefect(() => Effect.succeed(false))
      )
      if (answers && ++refusals === factTriesMax) {
        yield* Effect.logError("as-run: the store refuses a fact", defect.cause)
        yield* alert("The store answers, but refuses an entry of the as-run log. It and all later ones wait on disk.")
      }
      yield* Effect.sleep(factRetryMs)
    }
  })

  const journal = Effect.fnUntraced(function* (fact: Fact) {
    const line = yield* Effect.orDie(encode({ ...fact, notedUnder: seal.fence }))
    // The first line feed ends a line that a full disk or a crash has cut off.
    yield* tryOnDisk("the journal", files.writeFileString(journalPath, `\n${line}\n`, { flag: "a" }), undefined)
    yield* Ref.update(journaled, (n) => n + 1)
  })

  const empty = Effect.andThen(
    tryOnDisk("the journal", files.writeFileString(journalPath, ""), undefined),
    Ref.set(journaled, 0)
  )

  const isOurs = (fact: Fact) =>
    heldSince === null ||
    (fact.notedUnder ?? (fact._tag === "Heard" ? fact.body.fence : Number.NEGATIVE_INFINITY)) >= heldSince
  /** Keeps a line beside the file it stood in. */
  const putAside = (path: string, line: string, why: string, suffix: string) =>
    Effect.andThen(
      Effect.logWarning(`as-run: a line of the journal ${why}, ${path}.${suffix} keeps it`),
      tryOnDisk("the journal", files.writeFileString(`${path}.${suffix}`, `${line}\n`, { flag: "a" }), undefined)
    )

  /** Stores the facts of a file in order, then removes it. A file that can't be read is kept. */
  const store = Effect.fnUntraced(function* (path: string, after: Effect.Effect<void>) {
    if (!(yield* tryOnDisk("the journal", files.exists(path), false))) return
    yield* files.stream(path).pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.filter((line) => line !== ""),
      Stream.mapEffect((line) => Effect.map(Effect.option(decode(line)), (fact) => ({ fact, line }))),
      Stream.runForEach(({ fact, line }) =>
        // A line that was cut off, or one of another version of the station.
        fact._tag === "None"
          ? putAside(path, line, "can't be read", "unread")
          : isOurs(fact.value)
            ? persist(fact.value)
            : putAside(path, line, "is from before another process had the air", "superseded")
      ),
      Effect.andThen(after),
      Effect.catchTag("PlatformError", (error) => Effect.logError(`as-run: ${path} can't be read and is kept`, error))
    )
  })
  const storeEarlier = store(
    earlierPath,
    Effect.suspend(() => tryOnDisk("the journal", files.remove(earlierPath), undefined))
  )

  /** Once the queue is empty: reads what the journal alone has kept, or empties it. */
  const settle = Effect.gen(function* () {
    const isOverflown = yield* turn.withPermits(1)(
      Effect.gen(function* () {
        if ((yield* Queue.size(queue)) > 0) return false
        if (!(yield* Ref.get(overflown))) {
          if ((yield* Ref.get(journaled)) > 0) yield* empty
          return false
        }
        // Later facts go to a new journal, behind these.
        const moved = yield* tryOnDisk("the journal", Effect.as(files.rename(journalPath, earlierPath), true), false)
        if (moved) {
          yield* Ref.set(reading, true)
          yield* Ref.set(overflown, false)
          yield* Ref.set(journaled, 0)
        }
        return moved
      })
    )
    if (isOverflown) yield* Effect.ensuring(storeEarlier, Ref.set(reading, false))
  })

  return {
    /** Queues the fact and adds it to the journal. Doesn't wait for the store. */
    note: (fact: Fact) =>
      turn.withPermits(1)(
        Effect.gen(function* () {
          yield* journal(fact)
          // A fact queued while the journal holds earlier ones would be stored too early.
          if ((yield* Ref.get(overflown)) || !(yield* Queue.offer(queue, fact))) yield* Ref.set(overflown, true)
        })
      ),
    /** Records how far a sounding item was heard. A crash cuts the item there. */
    heartbeat: (heard: OpenItem) => {
      const wait = turn.withPermits(1)(journal({ _tag: "Opened", ...heard }))
      return Effect.flatMap(isBehind, (behind) =>
        // When the store is behind, the journal keeps the order.
        behind ? wait : Effect.catchDefect(asRun.open(stationId, heard, seal.fence), () => wait)
      )
    },
    /**
     * Stores the journal of an earlier run, and closes items of an earlier process that have ended. Those that still sound, by the status of this
     * process's mixer, are returned as `goOn`, each from its first unlogged sample.
     */
    recover: Effect.fnUntraced(function* ({
      followedFrom = null,
      sentBefore = null,
      sounding = []
    }: Pick<AirStatus, "followedFrom" | "sentBefore" | "sounding">) {
      yield* storeEarlier
      yield* store(journalPath, empty)
      const opened = yield* asRun.listOpen(stationId)
      const logged = (yield* asRun.end(stationId)).last.lastSample
      // A standby that began after the former owner's last sign of life: nobody sent what lies between them.
      const isBroken = followedFrom !== null && sentBefore !== null && sentBefore < followedFrom
      const stretches = opened.map((open) => {
        const { asOfSample, firstSample, item, sinceSample = firstSample } = open
        const sounds = sounding.includes(item.id)
        // Rows are ordered by their ends, so the item was heard at least to the last logged and the last sent sample.
        const heardTo = Math.max(asOfSample, logged ?? asOfSample, (sentBefore ?? asOfSample) - 1)
        const endSample = sinceSample + lengthOf(item.airable) - 1
        const goesOn: OpenItem | null = !sounds
          ? null
          : isBroken
            ? { ...open, sinceSample, firstSample: Math.max(firstSample, followedFrom) }
            : open
        return {
          item,
          sinceSample,
          firstSample,
          /** Infinite: its row follows when it ends. */
          lastSample: goesOn === open ? Number.POSITIVE_INFINITY : Math.max(firstSample, Math.min(heardTo, endSample)),
          // The station stopped after its last sample and before its row.
          isComplete: heardTo >= endSample,
          goesOn
        }
      })
      for (const stretch of sortByEnd(stretches)) {
        const { firstSample, goesOn, isComplete, item, lastSample, sinceSample, stillSoundingFromSample } = stretch
        if (lastSample === Number.POSITIVE_INFINITY) continue
        const body = new AsRunBody({
          ...unreportedEntryOf(
            item,
            firstSample,
            lastSample,
            isComplete
              ? { outcome: "complete", why: "complete: logged after a restart" }
              : { outcome: "cut", why: "cut: the station stopped" }
          ),
          seq: 0,
          stationId,
          fence: seal.fence,
          ...(stillSoundingFromSample === undefined ? {} : { stillSoundingFromSample })
        })
        yield* persist({ _tag: "Heard", body, item, sinceSample, goesOn: goesOn !== null })
        yield* Effect.logWarning(
          `as-run: ${item.airable.title} was on the air when the station stopped, and is logged as ${body.outcome}`
        )
      }
      return {
        goOn: stretches.flatMap(({ goesOn }) => goesOn ?? []),
        loggedTo: (yield* asRun.end(stationId)).last.lastSample ?? Number.NEGATIVE_INFINITY,
        /** First sample of a standby's mixer that continues, without a gap, what the former owner had sent. */
        continuesFrom: isBroken ? null : followedFrom
      }
    }),
    /** True when all noted facts are stored. */
    isWritten: Effect.map(isBehind, (behind) => !behind),
    /** Writes the queued facts. One stays in the queue until it is stored. */
    serve: Effect.andThen(
      // The file that was being read when this child restarted.
      storeEarlier,
      Effect.forever(
        Effect.gen(function* () {
          yield* persist(yield* Queue.peek(queue))
          yield* Queue.take(queue)
          if ((yield* Queue.size(queue)) === 0) yield* settle
        })
      )
    ),
    /** Seals ended hours apart from the facts: a slow or failed seal delays none. */
    seals: Effect.forever(
      Effect.andThen(
        asRun.seal(stationId, seal).pipe(
          Effect.repeat({ while: (sealed) => sealed }),
          Effect.catchDefect((cause) => Effect.logWarning("as-run: an hour could not be sealed yet", cause))
        ),
        Effect.sleep(asRunSealMs)
      )
    )
  }
})
export type FactWriter = Effect.Success<ReturnType<typeof makeAsRunWriter>>
