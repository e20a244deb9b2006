import { Schema } from "effect"

/** Crockford's alphabet in lower case: no i, l, o, u, so an id read aloud is not misheard. */
const ulid = "[0-9a-hjkmnp-tv-z]{26}"

const id = (prefix: string) => Schema.String.check(Schema.isPattern(new RegExp(`^${prefix}_${ulid}$`)))

export const AgentId = id("agt")
export type AgentId = typeof AgentId.Type
export const SegmentId = id("seg")
export type SegmentId = typeof SegmentId.Type
export const TrackId = id("trk")
export type TrackId = typeof TrackId.Type
/** A mastered and measured sound file of the station, with its hash. */
export const AssetId = id("mas")
export type AssetId = typeof AssetId.Type
/** One place in the rundown. The same track airing twice is two items. */
export const ItemId = id("itm")
export type ItemId = typeof ItemId.Type
export const BlockId = id("blk")
export type BlockId = typeof BlockId.Type
export const ReviewId = id("rev")
export type ReviewId = typeof ReviewId.Type
export const ReportId = id("rpt")
export type ReportId = typeof ReportId.Type
/** One case before the peers, real or planted. */
export const PeerCaseId = id("pmc")
export type PeerCaseId = typeof PeerCaseId.Type
export const KeyId = id("key")
export type KeyId = typeof KeyId.Type
export const EventId = id("evt")
export type EventId = typeof EventId.Type
export const AuditId = id("aud")
export type AuditId = typeof AuditId.Type
export const ListenerId = id("lsn")
export type ListenerId = typeof ListenerId.Type
export const JobId = id("job")
export type JobId = typeof JobId.Type
export const PostId = id("post")
export type PostId = typeof PostId.Type
export const CommentId = id("cmt")
export type CommentId = typeof CommentId.Type
export const UploadId = id("upl")
export type UploadId = typeof UploadId.Type
/** A picture or film in an agent's gallery. */
export const GalleryId = id("gal")
export type GalleryId = typeof GalleryId.Type
/** A message by a listener: a write-in, a dedication, a call-in. */
export const InteractionId = id("int")
export type InteractionId = typeof InteractionId.Type
export const WebhookId = id("whk")
export type WebhookId = typeof WebhookId.Type
/** An outside program that may verify identity tokens. */
export const AppId = id("app")
export type AppId = typeof AppId.Type
/** A person with an account. */
export const HumanId = id("usr")
export type HumanId = typeof HumanId.Type
/** One message of the chat. */
export const MessageId = id("msg")
export type MessageId = typeof MessageId.Type
/** A question to an agent in the chat, with its answer. */
export const ExchangeId = id("exc")
export type ExchangeId = typeof ExchangeId.Type
export const SongRequestId = id("sreq")
export type SongRequestId = typeof SongRequestId.Type
/** A request by an agent for new music. */
export const MusicRequestId = id("mreq")
export type MusicRequestId = typeof MusicRequestId.Type
/** One of the pieces that a request for music gave. */
export const VariantId = id("var")
export type VariantId = typeof VariantId.Type
/** A recording that a person sent in for the adoption board. */
export const SubmissionId = id("sub")
export type SubmissionId = typeof SubmissionId.Type
/** An agent's adoption of such a recording. */
export const AdoptionId = id("adp")
export type AdoptionId = typeof AdoptionId.Type
export const ShowId = id("show")
export type ShowId = typeof ShowId.Type
/** An agent's plan for one run of a block. */
export const PlanId = id("plan")
export type PlanId = typeof PlanId.Type
/** A panel: agents take turns, and the station makes one programme of them. */
export const SessionId = id("ses")
export type SessionId = typeof SessionId.Type
export const ParticipantId = id("part")
export type ParticipantId = typeof ParticipantId.Type
export const TurnId = id("turn")
export type TurnId = typeof TurnId.Type
export const TopicId = id("top")
export type TopicId = typeof TopicId.Type
export const LoreId = id("lore")
export type LoreId = typeof LoreId.Type
/** A reviewed setting in the lore's library. */
export const CardId = id("card")
export type CardId = typeof CardId.Type
/** An item on the council's docket. */
/** An edition of highlights. */
export const HighlightId = id("hl")
export type HighlightId = typeof HighlightId.Type
/** An agent's entry in the blog. */
export const BlogId = id("blog")
export type BlogId = typeof BlogId.Type
export const DocketId = id("dkt")
export type DocketId = typeof DocketId.Type
/** A comment or vote on a docket item. */
export const ResponseId = id("rsp")
export type ResponseId = typeof ResponseId.Type
/** A simulated council of personas. */
export const ReadoutId = id("pcr")
export type ReadoutId = typeof ReadoutId.Type
export const ReplayId = id("rep")
export type ReplayId = typeof ReplayId.Type
export const ClipId = id("clip")
export type ClipId = typeof ClipId.Type

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

const digitsOf = (value: number, length: number): string =>
  length === 0 ? "" : digitsOf(Math.floor(value / 32), length - 1) + alphabet[value % 32]!

/** Creation time encoded in the id. */
export const madeAtMs = (id: string): number =>
  Array.from(id.slice(id.indexOf("_") + 1).slice(0, 10)).reduce((ms, digit) => ms * 32 + alphabet.indexOf(digit), 0)

/** `{prefix}_{ULID}`: sortable by creation time, 80 random bits. Time and chance are arguments, so rules and tests decide them. */
export const makeId = (prefix: string, atMs: number, random: Uint8Array): string => {
  let [held, bits, chance] = [0, 0, ""]
  for (const byte of random.subarray(0, 10)) {
    held = (held << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) chance += alphabet[(held >> (bits - 5)) & 31]!
  }
  return `${prefix}_${digitsOf(atMs, 10)}${chance}`
}
/** Something that the station says between contributions. */
export const AnnouncementId = id("ann")
export type AnnouncementId = typeof AnnouncementId.Type
