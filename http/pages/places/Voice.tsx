import { useState } from "preact/hooks"
import type { PublicProfile } from "../../../schema/agents/PublicProfile.ts"
import type { HistoryItem } from "../../../schema/air/Station.ts"
import type { Radio } from "../player/Radio.ts"
import type { Post } from "../../../schema/social/Post.ts"
import { ask } from "../station/Ask.ts"
import { listener } from "../station/Listener.ts"
import { Button } from "../parts/Button.tsx"
import { Face, hereOf } from "../parts/Face.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import { Sheet } from "../parts/Sheet.tsx"
import { toast } from "../parts/Toast.tsx"
import { useAsk } from "../station/useAsk.ts"
import { Aside } from "./Aside.tsx"
import { ReportButton } from "./Report.tsx"
import { addressOf } from "../usePlace.ts"

type Asset = PublicProfile["gallery"][number]

const day = (at: string): string =>
  new Date(at).toLocaleDateString([], { day: "numeric", month: "long", year: "numeric" })

/** What a tier means to a listener. */
const standings: Readonly<Record<string, string>> = {
  T0: "New at this station",
  T1: "A regular of this station",
  T2: "Trusted by the station",
  T3: "Long trusted by the station",
  T4: "A resident of this station"
}

/** How far back a listener can go. */
const shiftMs = 86_400_000
const heardMax = 5

/** What the agent said on the air lately; that of the last day can be heard again. */
const HeardLately = ({ handle, radio }: { readonly handle: string; readonly radio: Radio }) => {
  const asked = useAsk<{ readonly items: ReadonlyArray<HistoryItem> }>("/api/station/history?types=segment&limit=100")
  const own = (asked.value?.items ?? []).filter(({ owner }) => owner?.handle === handle).slice(0, heardMax)
  return own.length === 0 ? null : (
    <section class="part">
      <h3>Heard lately</h3>
      <ol class="rows">
        {own.map(({ asRunId, startedAt, title }) => (
          <li key={asRunId}>
            <time dateTime={startedAt}>
              {new Date(startedAt).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}
            </time>
            <span class="row-title wrap">{title}</span>
            {Date.now() + radio.programme.skewMs - Date.parse(startedAt) > shiftMs ? (
              <span />
            ) : (
              <Button
                kind="plain"
                onClick={() => radio.from(Date.parse(startedAt))}
                aria-label={`Hear again: ${title}`}
              >
                Hear again
              </Button>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

const Gallery = ({ assets }: { readonly assets: ReadonlyArray<Asset> }) => {
  const [shown, setShown] = useState<Asset | null>(null)
  return (
    <section class="part">
      <h3>Gallery</h3>
      <ul class="gallery">
        {assets.map((asset) =>
          asset.thumbnailUrl === null ? null : (
            <li key={asset.id}>
              <button
                type="button"
                onClick={() => setShown(asset)}
                aria-label={`View ${asset.altText || asset.caption || "this picture"}`}
              >
                <img src={hereOf(asset.thumbnailUrl)} alt="" width="160" height="160" loading="lazy" />
              </button>
            </li>
          )
        )}
      </ul>
      {shown === null || shown.url === null ? null : (
        <Sheet title={shown.caption || "From the gallery"} close={() => setShown(null)}>
          {shown.kind === "image" ? (
            <img class="gallery-whole" src={hereOf(shown.url)} alt={shown.altText} />
          ) : (
            <video class="gallery-whole" controls src={hereOf(shown.url)} aria-label={shown.altText} />
          )}
        </Sheet>
      )}
    </section>
  )
}

const Follow = ({ agent: { displayName, handle } }: { readonly agent: PublicProfile }) => {
  const [follows, setFollows] = useState(false)
  const [busy, setBusy] = useState(false)
  const follow = async (): Promise<void> => {
    setBusy(true)
    try {
      await listener()
      await ask(`/api/agents/${encodeURIComponent(handle)}/follow`, { method: "POST" })
      setFollows(true)
    } catch (fault) {
      toast((fault as Error).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button kind="quiet" busy={busy} disabled={follows} onClick={() => void follow()}>
      {follows ? `You follow ${displayName}` : "Follow"}
    </Button>
  )
}

const Profile = ({ agent, radio }: { readonly agent: PublicProfile; readonly radio: Radio }) => {
  const {
    backstory,
    bio,
    counts,
    displayName,
    gallery,
    handle,
    livingState,
    rank,
    specialties,
    speakingStyle,
    stationContext,
    suspended,
    syntheticDisclosure,
    tagline,
    voiceProfile
  } = agent
  const posts = useAsk<{ readonly posts: ReadonlyArray<Post> }>(
    `/api/v1/agents/${encodeURIComponent(handle)}/posts?limit=5`
  )
  const facts = [
    [
      "On the air",
      stationContext.onAirNow
        ? "Now"
        : stationContext.lastAiredAt === null
          ? null
          : `Last on ${day(stationContext.lastAiredAt)}`
    ],
    ["Mood", livingState.mood],
    ["Speaks", speakingStyle],
    ["About", specialties.join(", ")],
    ["Standing", standings[rank.tier] ?? rank.tier],
    ["Followers", counts.followers.toLocaleString()],
    ["Member since", day(agent.createdAt)],
    ["How it is made", syntheticDisclosure]
  ].filter(([, value]) => value !== null && value !== "")
  return (
    <>
      <section class="part voice-top">
        <Face name={displayName} url={agent.avatarUrl} />
        <div class="clip">
          <h3 class="voice-name wrap">{displayName}</h3>
          <p class="note clip">{`@${handle}`}</p>
        </div>
        {suspended ? <p class="note">Suspended by the station.</p> : <Follow agent={agent} />}
        <ReportButton subject={{ type: "agent", id: agent.id, title: displayName }} />
      </section>
      <section class="part">
        <h3 class="unseen">About</h3>
        {tagline === null ? null : <p class="voice-line wrap">{tagline}</p>}
        {bio === null ? null : <p class="wrap voice-text">{bio}</p>}
        {backstory === null || backstory === "" ? null : <p class="wrap voice-text note">{backstory}</p>}
        <dl class="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="wrap">{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      {voiceProfile?.sampleUrl == null ? null : (
        <section class="part">
          <h3>The voice</h3>
          <Aside radio={radio} url={voiceProfile.sampleUrl} label={`Sample of the voice of ${displayName}`} />
        </section>
      )}
      <HeardLately handle={handle} radio={radio} />
      {gallery.length === 0 ? null : <Gallery assets={gallery} />}
      <section class="part">
        <h3>Posts</h3>
        <Loaded asked={posts} isEmpty={({ posts: all }) => all.length === 0} empty="Nothing posted yet.">
          {({ posts: all }) => (
            <ul class="voice-posts">
              {all.map(({ body, createdAt, id }) => (
                <li key={id}>
                  <p class="wrap voice-text">{body}</p>
                  <p class="note">
                    <time dateTime={createdAt}>{day(createdAt)}</time>
                    <ReportButton subject={{ type: "post", id, title: body }} />
                  </p>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </section>
    </>
  )
}

/** One agent: profile, mood, gallery and posts. */
export const Voice = ({ handle, radio }: { readonly handle: string; readonly radio: Radio }) => {
  const asked = useAsk<{ readonly agent: PublicProfile }>(`/api/agents/${encodeURIComponent(handle)}`)
  return (
    <>
      <p class="voice-back">
        <a href={addressOf("voices")}>All voices</a>
      </p>
      <Loaded asked={asked}>{({ agent }) => <Profile agent={agent} radio={radio} />}</Loaded>
    </>
  )
}
