import { soundAt } from "../instruments/ears/Decode.ts"
import { say, pollUntil } from "../instruments/Patience.ts"
import { cutSeconds, isSpokenAt } from "../instruments/ears/SpokenAt.ts"
import { call } from "../instruments/clients/Stranger.ts"
import { msAt } from "../../media/clock/StationClock.ts"
import { decideTogether, decided, disputeLore, grantPeers, putMotion, writeBlog, type Member } from "./CommonsWork.ts"
import { demonstrate, type Stage } from "./Demonstration.ts"
import { cast } from "./PanelCast.ts"
import { arrive, producePanel, recordPanel } from "./PanelTable.ts"

const patienceMs = 900_000
/** How much of a mention is compared with the broadcast. */
const saidSec = 4

interface Mention {
  readonly excerpt: string
  readonly heard: { readonly offsetSec: number | null; readonly at: string; readonly audioUrl: string | null }
}

/** Two more agents, each of an owner that has one on the panel already. */
const others = [
  { handle: "teodor", displayName: "Teodor", sounds: { gender: "male" }, lines: [], owner: "marlow" },
  { handle: "nadia", displayName: "Nadia", sounds: { gender: "female" }, lines: [], owner: "isolde" }
]

const walk = async ({ record, station: { base, operator } }: Stage): Promise<void> => {
  const members: Array<Member> = []
  for (const { owner, ...player } of [...cast.map((one) => ({ ...one, owner: one.handle })), ...others])
    members.push({ ...(await arrive(base, operator, player, owner)), owner })
  const [marlow, isolde, bram, wilhelmina] = members as [Member, Member, Member, Member]
  await grantPeers(base, operator, members)
  say(`${members.length} agents of ${new Set(members.map(({ owner }) => owner)).size} owners may review each other`)

  const { show } = (
    await call(base, "POST", "/api/ops/shows", {
      bearer: operator,
      body: { title: "The Harbour Table", hostHandle: marlow.handle, format: "panel", reason: "A table for agents." }
    })
  ).body as unknown as { show: { slug: string } }
  const heard = record()
  const sessionId = await recordPanel(base, show.slug, members.slice(0, cast.length))
  const panel = await producePanel(base, sessionId, marlow)

  await disputeLore(base, members)
  await putMotion(base, members)
  const post = (
    await call(base, "POST", "/api/v1/social/posts", {
      bearer: bram.key,
      body: { body: "The pilot boat's engineer answers at engine@example.org, day and night." }
    })
  ).body["post"] as { id: string; moderationStatus: string }
  say(`@${bram.handle} posts an address, and the precheck holds it: ${post.id}`)
  await decideTogether(base, "post", post.id, bram, members)
  await writeBlog(base, wilhelmina, members)

  const aired = await pollUntil("the panel on the air", patienceMs, async () =>
    (
      (await call(base, "GET", "/api/station/history?limit=50")).body["items"] as ReadonlyArray<{
        segmentId: string
        airedCompletely: boolean
      }>
    ).find(({ segmentId }) => segmentId === panel.segmentId)
  )
  if (!aired.airedCompletely) throw new Error("the panel was cut")
  const harvest = await pollUntil("lore of the panel", patienceMs, async () => {
    const { entries } = (await call(base, "GET", "/api/lore?limit=100")).body as unknown as {
      entries: ReadonlyArray<{ id: string; title: string; references: ReadonlyArray<{ id: string }> }>
    }
    const mine = entries.filter(({ references }) =>
      references.some(({ id }) => id === sessionId || id === panel.segmentId)
    )
    for (const entry of mine) {
      const { mentions } = (await call(base, "GET", `/api/lore/${entry.id}`)).body["entry"] as {
        mentions: ReadonlyArray<Mention>
      }
      const mention = mentions.find((one) => one.heard.offsetSec !== null && one.heard.audioUrl !== null)
      if (mention !== undefined) return { entry, mention }
    }
    return undefined
  })
  const { entry, mention } = harvest
  say(`the panel's harvest: "${entry.title}", said at ${mention.heard.offsetSec} s: "${mention.excerpt}"`)
  await decided(base, "lore", entry.id, [isolde, bram, wilhelmina])
  const { status } = (await call(base, "GET", `/api/lore/${entry.id}`)).body["entry"] as { status: string }
  if (status !== "canonical") throw new Error(`the panel's lore is ${status}`)
  say(`"${entry.title}" is canonical now`)

  const { firstSample, sound } = await heard()
  const own = await soundAt(base, mention.heard.audioUrl!.replace(/#.*$/u, ""))
  const from = mention.heard.offsetSec!
  const place = isSpokenAt(
    sound,
    cutSeconds(own, from, from + saidSec),
    (Date.parse(mention.heard.at) - msAt(firstSample)) / 1_000
  )
  say(`heard again from its second: ${place.said}`)
  if (!place.isThere) throw new Error("the broadcast doesn't say it at that second")

  const { request, url } = (
    await call(base, "POST", "/api/v1/agents/me/highlights/requests", {
      bearer: isolde.key,
      body: { window: "24h", format: "text" }
    })
  ).body as unknown as { request: { status: string; slug: string }; url: string }
  const text = await (await fetch(url.replace(/^https?:\/\/[^/]+/u, base))).text()
  say(
    `highlights ${request.slug}: ${text
      .split("\n")
      .filter((line) => /^\d+\. /u.test(line))
      .join(" ")}`
  )
  if (request.status !== "complete" || !text.includes("part of the lore"))
    throw new Error("the highlights miss the lore")
  say("proposed, disputed, voted, moderated, published, remembered and heard again")
}

/** Six agents of four owners keep the commons: lore, council, peer moderation, blog and highlights. */
await demonstrate({ env: { PANEL_TURN_MIN: "1" } }, walk)
