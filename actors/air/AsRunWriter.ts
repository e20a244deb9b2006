import { Effect, FileSystem, Queue, Ref, Schema } from "effect"
import { AsRunBody, type AsRunEntry } from "../../schema/air/AsRun.ts"
import { RundownItem } from "../../schema/air/Rundown.ts"
import type { ItemId } from "../../schema/Ids.ts"
import { asRunSpoolMax, factRetryMs, factTriesMax } from "../../engine/rules/air/limits.ts"
import { airingsOf } from "../../engine/rules/air/Airing.ts"
import { byEnd } from "../../schema/air/AsRunOrder.ts"
import { kindOf } from "../../engine/rules/air/Rundown.ts"
import { msOf } from "../../schema/time/Samples.ts"
import { lengthOf } from "../../engine/rules/air/Timing.ts"
import { AiringsWriter } from "../../engine/store/air/Airings.ts"
import { AsRunWriter, type AsRunSeal, OpenItem } from "../../engine/store/air/AsRun.ts"

/** A fact about the air, stored for good. */
export const Fact = Schema.Union([
  Schema.TaggedStruct("Opened", OpenItem.fields),
  /** The item began and ended before any sample of it was heard. */
  Schema.TaggedStruct("Unheard", { item: RundownItem, atSample: Schema.Int }),
  /** `sinceSample` is the item's first sample. `goesOn`: the item may continue after this stretch. */
  Schema.TaggedStruct("Heard", {
    body: AsRunBody,
    item: Schema.NullOr(RundownItem),
    sinceSample: Schema.Int,
    goesOn: Schema.Boolean
  }),
  /** The item ended without another stretch. */
  Schema.TaggedStruct("Ended", { item: RundownItem, sinceSample: Schema.Int, lastSample: Schema.Int })
])
export type Fact = typeof Fact.Type
const FactLine = Schema.fromJsonString(Fact)
const encode = Schema.encodeEffect(FactLine)
const decode = Schema.decodeUnknownEffect(FactLine)
/** Entry for an item that the mixer can no longer report. */
const unreported = (
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
 * Writes facts to the store in order. During a store outage they wait in memory and in a spool file, so an outage or a crash loses none.
 * Writing a fact twice has no further effect.
 */
export const makeAsRunWriter = Effect.fnUntraced(function* (options: {
  readonly stationId: string
  readonly spoolPath: string
  readonly seal: AsRunSeal
}) {
  const { seal, spoolPath, stationId } = options
  const asRun = yield* AsRunWriter
  const airings = yield* AiringsWriter
  const files = yield* FileSystem.FileSystem
  const queue = yield* Queue.dropping<Fact>(asRunSpoolMax)
  const spooled = yield* Ref.make(0)
  /** Number of facts not yet stored. */
  const open = yield* Ref.make(0)

  const spooling = <A, E>(what: string, effect: Effect.Effect<A, E>, otherwise: A): Effect.Effect<A> =>
    Effect.catch(effect, (error) =>
      Effect.as(Effect.logWarning(`as-run: ${what} failed, facts are kept in memory only`, error), otherwise)
    )

  const write = Effect.fnUntraced(function* (fact: Fact) {
    if (fact._tag === "Opened") {
      const { _tag, ...open } = fact
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

  const persist = (fact: Fact, tries: number): ReturnType<typeof write> =>
    write(fact).pipe(
      Effect.catchDefect((defect) =>
        Effect.gen(function* () {
          const answers = yield* asRun.opened(stationId).pipe(
            Effect.as(true),
            Effect.catchDefect(() => Effect.succeed(false))
          )
          if (answers && tries >= factTriesMax)
            return yield* Effect.logError("as-run: a fact can't be written and is left out", defect)
          if (tries === 1) yield* Effect.logWarning("as-run: the store is away, facts wait", defect)
          yield* Effect.sleep(factRetryMs)
          return yield* persist(fact, answers ? tries + 1 : Math.max(tries, 2))
        })
      )
    )

  const spool = Effect.fnUntraced(function* (fact: Fact) {
    const line = yield* Effect.orDie(encode(fact))
    yield* spooling("the spool", files.writeFileString(spoolPath, `${line}\n`, { flag: "a" }), undefined)
    yield* Ref.update(spooled, (n) => n + 1)
  })

  return {
    /** Queues the fact and appends it to the spool file. Doesn't wait for the store. */
    note: (fact: Fact) =>
      Effect.gen(function* () {
        // Queued before spooled: the file is emptied only when the queue is empty, so no line is lost before its fact is stored.
        if (yield* Queue.offer(queue, fact)) yield* Ref.update(open, (n) => n + 1)
        else yield* Effect.logError("as-run: too many facts wait, one was lost")
        yield* spool(fact)
      }),
    /** Records how far a sounding item was heard. A crash cuts the item there. */
    heartbeat: (heard: OpenItem) =>
      Effect.flatMap(Ref.get(open), (behind) =>
        behind > 0
          ? // The store is behind: the spool file keeps the order.
            spool({ _tag: "Opened", ...heard })
          : Effect.catchDefect(asRun.open(stationId, heard, seal.fence), () => spool({ _tag: "Opened", ...heard }))
      ),
    /**
     * Stores the spooled facts of an earlier run and closes its open items. Items in `sounding` still sound and are returned as `goOn`.
     * `sentBefore` is the first sample that the earlier process had not sent.
     */
    recover: Effect.fnUntraced(function* (sounding: ReadonlyArray<ItemId>, sentBefore: number | null) {
      const text = yield* spooling(
        "the spool",
        Effect.catchTag(files.readFileString(spoolPath), "PlatformError", () => Effect.succeed("")),
        ""
      )
      for (const line of text.split("\n").filter((line) => line !== "")) {
        const fact = yield* Effect.option(decode(line))
        // The last line is incomplete if the station died while writing it.
        if (fact._tag === "Some") yield* persist(fact.value, 1)
      }
      yield* spooling("the spool", files.writeFileString(spoolPath, ""), undefined)
      const opened = yield* asRun.opened(stationId)
      const logged = (yield* asRun.end(stationId)).last.lastSample
      const ended = opened
        .filter(({ item }) => !sounding.includes(item.id))
        .map(({ asOfSample, firstSample, item, sinceSample = firstSample }) => {
          // Rows are ordered by their ends, so the item was heard at least to the last logged and the last sent sample.
          const heardTo = Math.max(asOfSample, logged ?? asOfSample, (sentBefore ?? asOfSample) - 1)
          const endSample = sinceSample + lengthOf(item.airable) - 1
          return {
            item,
            sinceSample,
            firstSample,
            lastSample: Math.max(firstSample, Math.min(heardTo, endSample)),
            // The station stopped after its last sample and before its row.
            isComplete: heardTo >= endSample
          }
        })
      for (const { firstSample, isComplete, item, lastSample, sinceSample, stillSoundingFromSample } of byEnd(ended)) {
        const body = new AsRunBody({
          ...unreported(
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
        yield* persist({ _tag: "Heard", body, item, sinceSample, goesOn: false }, 1)
        yield* Effect.logWarning(
          `as-run: ${item.airable.title} was on the air when the station stopped, and is logged as ${body.outcome}`
        )
      }
      return {
        goOn: opened.filter(({ item }) => sounding.includes(item.id)),
        loggedTo: (yield* asRun.end(stationId)).last.lastSample ?? Number.NEGATIVE_INFINITY
      }
    }),
    /** True when all noted facts are stored. */
    isWritten: Effect.map(Ref.get(open), (n) => n === 0),
    /** Writes the queued facts. */
    serve: Effect.forever(
      Effect.gen(function* () {
        const fact = yield* Queue.take(queue)
        yield* Effect.ensuring(
          persist(fact, 1),
          Ref.update(open, (n) => n - 1)
        )
        if ((yield* Queue.size(queue)) === 0 && (yield* Ref.getAndSet(spooled, 0)) > 0) {
          yield* spooling("the spool", files.writeFileString(spoolPath, ""), undefined)
        }
      })
    )
  }
})
export type FactWriter = Effect.Success<ReturnType<typeof makeAsRunWriter>>
