import { Effect } from "effect"
import { Entity } from "effect/cluster"
import { HumanAgents } from "../engine/store/HumanAgents.ts"
import { Humans } from "../engine/store/Humans.ts"
import { Transaction } from "../engine/store/Transaction.ts"
import { Human } from "../schema/Human.ts"
import type { HumanId } from "../schema/Ids.ts"
import { NotFound } from "../schema/Problems.ts"
import { type Act, record } from "./Auditing.ts"
import { accountOwn } from "./AccountOwn.ts"
import { countedAll } from "./Counting.ts"
import { erasePerson } from "./Erasure.ts"
import { transient } from "./Kinds.ts"
import { Account } from "./protocol/Account.ts"

/** The log outlives the person: it says what was done, not who they were. */
const noted = ({ blockedReason, emailHash, published }: Human) => ({ published, linked: emailHash !== null, blockedReason })
const acting = ({ actor, reason }: Act): Act => ({ actor, reason })

export const AccountLive = Account.toLayer(Effect.gen(function*() {
  const humanId = (yield* Entity.CurrentAddress).entityId as unknown as HumanId
  const humans = yield* Humans
  const agents = yield* HumanAgents
  const transaction = yield* Transaction
  const subject = { type: "user", id: humanId }
  const found = Effect.flatMap(humans.find(humanId), (human) => human === null ? Effect.fail(new NotFound({ detail: `There is no user ${humanId}.` })) : Effect.succeed(human))

  return Account.of(countedAll("Account", {
    ...accountOwn(humanId),
    Moderate: ({ payload }) => transaction.run(Effect.gen(function*() {
      const before = yield* found
      const after = Human.make({
        ...before, published: payload.published ?? before.published, emailHash: payload.unlink ? null : before.emailHash,
        blockedReason: payload.blocked === null ? before.blockedReason : payload.blocked ? payload.reason : null
      })
      if (payload.unlink && !payload.dryRun) yield* agents.unlinkAll(humanId)
      if (payload.dryRun || JSON.stringify(noted(before)) === JSON.stringify(noted(after))) return after
      yield* humans.change(humanId, after)
      yield* record(acting(payload), "user.change", subject, noted(before), noted(after))
      return after
    })),
    Erase: ({ payload }) => transaction.run(Effect.gen(function*() {
      const human = yield* found
      if (payload.dryRun) return human
      yield* erasePerson(humanId)
      yield* record(acting(payload), "user.erase", subject, noted(human), null)
      return human
    }))
  }))
}), transient)
