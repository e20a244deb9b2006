import { describe, expect, it } from "vitest"
import { adviceOf, type CountedBallot, tallyOf, weightOf } from "../../../../engine/rules/lore/Council.ts"
import type { DocketId } from "../../../../schema/Ids.ts"
import type { Stance } from "../../../../schema/lore/Council.ts"

const ballot = (stance: Stance, weight = 2, over: Partial<CountedBallot> = {}): CountedBallot => ({
  stance,
  weight,
  counted: true,
  mergeIntoId: null,
  ...over
})
const of = (...ballots: ReadonlyArray<CountedBallot>) => adviceOf(ballots)

describe("the council's advice", () => {
  it("weighs a vote by tier, and at least once", () => {
    expect(([0, 1, 2, 3, 4] as const).map(weightOf)).toEqual([1, 1, 2, 3, 4])
  })

  it("sums counted ballots only", () => {
    expect(tallyOf([ballot("recognize", 4), ballot("reject", 3, { counted: false }), ballot("needs_air", 1)])).toEqual({
      recognize: 4,
      defer: 0,
      reject: 0,
      needs_air: 1,
      merge: 0,
      weightTotal: 5
    })
  })

  it("needs five voters and a weight of ten", () => {
    const four = Array.from({ length: 4 }, () => ballot("recognize", 4))
    expect(of(...four).status).toBe("expired")
    expect(of(...four, ballot("recognize", 1, { counted: false })).status).toBe("expired")
    expect(of(...four, ballot("reject", 1)).status).toBe("recognized")
    expect(of(...Array.from({ length: 9 }, () => ballot("recognize", 1))).status).toBe("expired")
    expect(of(...Array.from({ length: 10 }, () => ballot("recognize", 1))).status).toBe("recognized")
    expect(of()).toMatchObject({ status: "expired", voters: 0 })
  })

  it("is the stance with more than half of the weight, else it defers", () => {
    const five = Array.from({ length: 5 }, () => ballot("recognize"))
    const against = Array.from({ length: 5 }, () => ballot("reject"))
    expect(of(...five, ...against).status).toBe("deferred")
    expect(of(...five, ...against, ballot("reject", 1)).status).toBe("rejected")
    expect(of(...Array.from({ length: 5 }, () => ballot("needs_air"))).status).toBe("needs_air")
    expect(of(...Array.from({ length: 5 }, () => ballot("defer"))).status).toBe("deferred")
  })

  it("merges with the item that most weight names, and of equal ones with the first", () => {
    const into = (id: string, weight = 2) => ballot("merge", weight, { mergeIntoId: id as DocketId })
    expect(of(into("a"), into("b", 3), into("a", 2), into("b", 1), into("c", 3)).mergeIntoId).toBe("a")
    expect(of(into("a"), into("b", 9), into("a", 2), into("b", 1), into("c", 3)).mergeIntoId).toBe("b")
    expect(of(into("a"), ...Array.from({ length: 5 }, () => ballot("reject"))).mergeIntoId).toBe(null)
  })
})
