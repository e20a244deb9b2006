import { describe, expect, it } from "@effect/vitest"
import {
  connectionsFirstMaxMs,
  startsTogether,
  startTurnMs,
  startWaitMaxMs
} from "../../../engine/rules/http/limits.ts"
import { StartQueue } from "../../../http/server/StartQueue.ts"

/** A queue whose clock and turns are the test's, and which notes what it does. A start takes a millisecond. */
const queueAt = () => {
  let nowMs = 0
  const turns: Array<() => void> = []
  const done: Array<string> = []
  const queue = new StartQueue(
    () => nowMs,
    (run) => void turns.push(run)
  )
  return {
    queue,
    done,
    run: (address: string, name = address) =>
      queue.run(
        address,
        () => {
          nowMs += 1
          done.push(name)
        },
        () => void done.push(`refused ${name}`)
      ),
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
    const { done, endTurn, pass, run } = queueAt()
    for (let count = 0; count < startsTogether * 2; count++) run("a")
    expect(done).toEqual([])
    expect(endTurn()).toHaveLength(Math.max(startsTogether, startTurnMs))
    endTurn()
    for (let count = 0; count < startsTogether * 2; count++) run("a")
    pass(startTurnMs * 10)
    expect(endTurn()).toHaveLength(startsTogether)
  })

  it("keeps the others for the next turns, in the order in which they came", () => {
    const { endTurn, run } = queueAt()
    const names = Array.from({ length: startsTogether * 3 }, (_, index) => `${index}`)
    for (const name of names) run("a", name)
    expect(endTurn()).toEqual(names.slice(0, startsTogether))
    expect(endTurn()).toEqual(names.slice(startsTogether, startsTogether * 2))
    // Not before those that wait.
    run("a", "late")
    expect(endTurn()).toEqual(names.slice(startsTogether * 2))
    expect(endTurn()).toEqual(["late"])
  })

  it("lets addresses start in turn, however many requests one of them has sent", () => {
    const { endTurn, run } = queueAt()
    for (let count = 0; count < startsTogether * 100; count++) run("flood")
    run("quiet")
    run("calm")
    expect(endTurn().slice(0, 4)).toEqual(["flood", "quiet", "calm", "flood"])
  })

  it("lets connections come first, for half of the time at most", () => {
    const { endTurn, pass, queue, run } = queueAt()
    const turn = () => {
      queue.noteConnection()
      pass(10)
      return endTurn().length
    }
    queue.noteConnection()
    for (let count = 0; count < 100; count++) run("a")
    for (let passedMs = 0; passedMs < connectionsFirstMaxMs; passedMs += 10) expect(turn()).toBe(0)
    const busy = Array.from({ length: 10 }, turn).filter((started) => started > 0)
    expect(busy.length).toBeGreaterThanOrEqual(5)
    // None came in this turn.
    pass(10)
    expect(endTurn()).not.toEqual([])
  })

  it("refuses a request that has waited too long, and says how long requests wait", () => {
    const { endTurn, pass, queue, run } = queueAt()
    for (let count = 0; count <= startsTogether; count++) run("a")
    endTurn()
    pass(startWaitMaxMs + 1)
    expect(queue.takeLongestWaitMs()).toBeGreaterThan(startWaitMaxMs)
    expect(endTurn()).toEqual(["refused a"])
    expect(queue.takeLongestWaitMs()).toBeGreaterThan(startWaitMaxMs)
    expect(queue.takeLongestWaitMs()).toBe(0)
  })
})
