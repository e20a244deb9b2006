import { describe, expect, it } from "@effect/vitest"
import {
  connectionsFirstMaxMs,
  startsTogether,
  startTurnMs,
  startWaitMaxMs
} from "../../../engine/rules/http/limits.ts"
import { StartQueue } from "../../../http/server/StartQueue.ts"

/** A queue whose clock and turns are the test's, and which notes what it does. A start takes `startMs`. */
const makeQueue = ({ startMs = 1 }: { readonly startMs?: number } = {}) => {
  let nowMs = 0
  const turns: Array<() => void> = []
  const done: Array<string> = []
  const left = new Set<string>()
  const queue = new StartQueue(
    () => nowMs,
    (run) => void turns.push(run)
  )
  return {
    queue,
    done,
    /** The client of this request is gone. */
    leave: (name: string) => void left.add(name),
    add: (address: string, name = address) =>
      queue.add(address, {
        isAwaited: () => !left.has(name),
        start: () => {
          nowMs += startMs
          done.push(name)
        },
        refuse: () => void done.push(`refused ${name}`)
      }),
    pass: (ms: number) => {
      nowMs += ms
    },
    /** Ends the turn, and returns what started since the last one. */
    endTurn: () => {
      for (const end of turns.splice(0)) end()
      return done.splice(0)
    }
  }
}

describe("the queue of requests that start", () => {
  it("starts the requests of a turn together at its end, and more of them while it is short", () => {
    const { add, done, endTurn, pass } = makeQueue({ startMs: 0.25 })
    for (let count = 0; count < startsTogether * 10; count++) add("a")
    expect(done).toEqual([])
    expect(endTurn()).toHaveLength(startTurnMs / 0.25)
    pass(startTurnMs * 10)
    expect(endTurn()).toHaveLength(startsTogether)
  })

  it("keeps the others for the next turns, in the order in which they came", () => {
    const { add, endTurn } = makeQueue()
    const names = Array.from({ length: startsTogether * 3 }, (_, index) => `${index}`)
    for (const name of names) add("a", name)
    expect(endTurn()).toEqual(names.slice(0, startsTogether))
    expect(endTurn()).toEqual(names.slice(startsTogether, startsTogether * 2))
    // Not before those that wait.
    add("a", "late")
    expect(endTurn()).toEqual(names.slice(startsTogether * 2))
    expect(endTurn()).toEqual(["late"])
  })

  it("lets addresses start one after the other, however many requests one of them has sent", () => {
    const { add, endTurn } = makeQueue()
    for (let count = 0; count < startsTogether * 100; count++) add("flood")
    add("quiet")
    add("calm")
    expect(endTurn().slice(0, 4)).toEqual(["flood", "quiet", "calm", "flood"])
  })

  it("lets connections come first, for half of the time at most", () => {
    const { add, endTurn, pass, queue } = makeQueue()
    const turn = () => {
      queue.noteConnection()
      pass(10)
      return endTurn().length
    }
    // Connections without requests that wait, as of players, use nothing of this time.
    for (let count = 0; count < 100; count++) turn()
    queue.noteConnection()
    for (let count = 0; count < 1_000; count++) add("a")
    for (let passedMs = 0; passedMs < connectionsFirstMaxMs; passedMs += 10) expect(turn()).toBe(0)
    const busy = Array.from({ length: 10 }, turn).filter((started) => started > 0)
    expect(busy.length).toBeGreaterThanOrEqual(3)
    expect(busy.length).toBeLessThanOrEqual(7)
    // A turn without connections, which still has time to put starts off.
    for (let count = 0; count < 10; count++) {
      pass(10)
      expect(endTurn()).not.toEqual([])
    }
  })

  it("refuses what has waited too long and drops what nobody awaits, without a turn lost for either", () => {
    const { add, endTurn, leave, pass, queue } = makeQueue()
    for (let count = 0; count < startsTogether; count++) add(`${count}`)
    for (const name of ["old", "gone", "older"]) add("a", name)
    leave("gone")
    endTurn()
    pass(startWaitMaxMs + 1)
    for (let count = 0; count < startsTogether; count++) add(`${count}`)
    add("a", "new")
    expect(queue.takeLongestWaitMs()).toBeGreaterThan(startWaitMaxMs)
    expect(endTurn().slice(0, 3)).toEqual(["refused old", "refused older", "new"])
    expect(queue.takeLongestWaitMs()).toBeGreaterThan(startWaitMaxMs)
    for (const end of [endTurn, endTurn]) end()
    queue.takeLongestWaitMs()
    expect(queue.takeLongestWaitMs()).toBe(0)
  })

  it("goes on after a start that failed", () => {
    const { add, endTurn, queue } = makeQueue()
    queue.add("a", {
      isAwaited: () => true,
      start: () => {
        throw new Error("can't start")
      },
      refuse: () => undefined
    })
    add("a", "next")
    expect(endTurn).toThrow("can't start")
    expect(endTurn()).toEqual(["next"])
  })
})
