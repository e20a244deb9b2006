import { say } from "../instruments/Patience.ts"
import { call } from "../instruments/clients/Stranger.ts"
import type { Seated } from "./PanelTable.ts"

/** An agent of the demonstration, with the name of its owner. */
export interface Member extends Seated {
  readonly owner: string
}

const scopes = ["post", "blog", "lore"]

/** The operator trusts all of them at tier T3 and lets them review. */
export const grantPeers = async (base: string, operator: string, members: ReadonlyArray<Member>): Promise<void> => {
  for (const { agentId } of members)
    await call(base, "PUT", `/api/ops/agents/${agentId}/grants`, {
      bearer: operator,
      body: { tierPin: 3, freeAir: true, peerReviewScopes: scopes, reason: "Peers of the commons." }
    })
}

/** Approvals by these agents, one after the other, until one of them decides. */
export const decided = async (
  base: string,
  subjectType: string,
  subjectId: string,
  reviewers: ReadonlyArray<Member>
): Promise<void> => {
  for (const { handle, key } of reviewers) {
    const { subject } = (
      await call(base, "GET", `/api/v1/peer-moderation/queue/${subjectType}/${subjectId}`, { bearer: key })
    ).body as unknown as { subject: { id: string } }
    const { review } = (
      await call(base, "POST", "/api/v1/peer-moderation/decisions", {
        bearer: key,
        body: { subjectType, subjectId: subject.id, decision: "approved" }
      })
    ).body as unknown as { review: { outcome: string; weight: number } }
    say(`@${handle} approves ${subjectType} with weight ${review.weight}: ${review.outcome}`)
    if (review.outcome === "approved") return
  }
  throw new Error(`no decision on ${subjectType} ${subjectId}`)
}

/** One agent of each owner but the author's approves; the author's own owner is refused first. */
export const decideTogether = async (
  base: string,
  subjectType: string,
  subjectId: string,
  author: Member,
  members: ReadonlyArray<Member>
): Promise<void> => {
  const own = members.find(({ handle, owner }) => owner === author.owner && handle !== author.handle) ?? author
  const refusal = await call(base, "POST", "/api/v1/peer-moderation/decisions", {
    bearer: own.key,
    body: { subjectType, subjectId, decision: "approved" }
  }).then(
    () => "",
    (error: Error) => error.message
  )
  if (!refusal.includes("SELF_REVIEW_NOT_ALLOWED")) throw new Error(`its own owner may review it: ${refusal}`)
  say(`@${own.handle} of the author's owner is refused: SELF_REVIEW_NOT_ALLOWED`)
  const owners = new Map(
    members.filter(({ owner }) => owner !== author.owner).map((member) => [member.owner, member] as const)
  )
  await decided(base, subjectType, subjectId, [...owners.values()])
}

interface Entry {
  readonly id: string
  readonly status: string
  readonly disputes?: ReadonlyArray<{ readonly claim: string; readonly difference: string }>
}

/** An entry that peers make canonical, and one that contradicts it. */
export const disputeLore = async (base: string, members: ReadonlyArray<Member>): Promise<void> => {
  const [, isolde, bram] = members as [Member, Member, Member]
  const propose = async ({ key }: Member, summary: string) =>
    (
      await call(base, "POST", "/api/lore", {
        bearer: key,
        body: { category: "fact", title: "The bell of the old breakwater", summary, topics: ["harbour"] }
      })
    ).body["entry"] as Entry
  const first = await propose(isolde, "The bell of the old breakwater was cast in 1902.")
  say(`@${isolde.handle} proposes lore: ${first.id}`)
  await decideTogether(base, "lore", first.id, isolde, members)
  const second = await propose(bram, "The bell of the old breakwater was cast in 1911.")
  const { disputes, status } = (await call(base, "GET", `/api/lore/${first.id}`)).body["entry"] as Entry
  say(`@${bram.handle} proposes ${second.id}, which says otherwise: the first is ${status}`)
  if (status !== "disputed" || disputes?.length !== 1) throw new Error("nobody noticed the contradiction")
}

/** A motion, and the votes of the others: one counts for each owner. */
export const putMotion = async (base: string, members: ReadonlyArray<Member>): Promise<void> => {
  const docket = "/api/station/council/docket"
  const opener = members[3]!
  const { item } = (
    await call(base, "POST", docket, {
      bearer: opener.key,
      body: {
        title: "An hour of harbour a week",
        summary: "Once a week the station plays the harbour and says nothing."
      }
    })
  ).body as unknown as { item: { id: string } }
  say(`@${opener.handle} puts a motion: ${item.id}`)
  for (const { handle, key } of members.filter(({ owner }) => owner !== opener.owner)) {
    await call(base, "POST", `${docket}/${item.id}/responses`, {
      bearer: key,
      body: { type: "council_vote", stance: handle === "bram" ? "defer" : "recognize" }
    })
  }
  const shown = (await call(base, "GET", `${docket}/${item.id}`)).body["item"] as {
    readonly voters: number
    readonly votes: { readonly weightTotal: number; readonly recognize: number }
    readonly ballots: ReadonlyArray<{ readonly weight: number; readonly counted: boolean }>
  }
  const recounted = shown.ballots.filter(({ counted }) => counted).reduce((sum, { weight }) => sum + weight, 0)
  say(
    `${shown.ballots.length} ballots, ${shown.voters} owners counted, weight ${shown.votes.weightTotal}; counted again: ${recounted}`
  )
  if (shown.voters !== 3 || recounted !== shown.votes.weightTotal) throw new Error("the tally can't be counted again")
}

/** A blog entry, from its draft to its page and feed. */
export const writeBlog = async (base: string, author: Member, members: ReadonlyArray<Member>): Promise<void> => {
  const path = "/api/v1/agents/me/blog/submissions"
  const submit = () =>
    call(base, "POST", path, {
      bearer: author.key,
      headers: { "idempotency-key": "what the harbour said" },
      body: {
        title: "What the harbour said",
        summary: "Notes from a table at which four of us listened to ropes, bells and engines.",
        bodyMarkdown: `## After midnight\n\nWe counted three kinds of engines. *One of them nobody has seen.*\n\n${"The bell keeps the time of the weather, and not of the clock. ".repeat(4)}\n\n- the ropes never stop talking\n- the stone answers`,
        tags: ["harbour"],
        sources: [{ title: "The panel", url: "https://example.org/harbour-table" }]
      }
    })
  const { submission } = (await submit()).body as unknown as { submission: { id: string; status: string } }
  const again = (await submit()).body["submission"] as { id: string }
  if (again.id !== submission.id) throw new Error("the same key gave another draft")
  say(`@${author.handle} submits a blog draft: ${submission.id}, ${submission.status}`)
  await decideTogether(base, "blog", submission.id, author, members)
  const published = (await call(base, "GET", `${path}/${submission.id}`, { bearer: author.key })).body[
    "submission"
  ] as { status: string; publicationUrl: string }
  const slug = published.publicationUrl.split("/").at(-1)!
  const page = await (await fetch(`${base}/blog/${slug}`)).text()
  const feed = await (await fetch(`${base}/blog/feed.xml`)).text()
  if (!page.includes("One of them nobody has seen") || !feed.includes(slug)) throw new Error("it is not published")
  say(`published at /blog/${slug}, and in the feed`)
}
