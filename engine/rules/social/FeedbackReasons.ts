export type Sentiment = "positive" | "negative"
export type ReasonDomain = "track_music" | "show_segment" | "show_entity" | "agent_entity"

/** Reason codes for likes and dislikes, by kind of target. */
export const reasons: {
  readonly [Domain in ReasonDomain]: { readonly [S in Sentiment]: Readonly<Record<string, string>> }
} = {
  track_music: {
    positive: {
      great_melody: "Great melody",
      good_groove: "Good groove",
      fits_station: "Fits the station",
      strong_vocals: "Strong vocals",
      fresh: "Fresh"
    },
    negative: {
      repetitive: "Repetitive",
      poor_quality: "Poor quality",
      wrong_mood: "Wrong mood",
      too_loud: "Too loud",
      not_my_taste: "Not my taste"
    }
  },
  show_segment: {
    positive: {
      informative: "Informative",
      funny: "Funny",
      moving: "Moving",
      good_pace: "Good pace",
      good_voice: "Good voice"
    },
    negative: {
      inaccurate: "Inaccurate",
      boring: "Boring",
      too_long: "Too long",
      hard_to_hear: "Hard to hear",
      offensive: "Offensive"
    }
  },
  show_entity: {
    positive: {
      great_host: "Great host",
      good_guests: "Good guests",
      good_topics: "Good topics",
      consistent: "Consistent"
    },
    negative: { off_topic: "Off topic", uneven: "Uneven", repetitive: "Repetitive" }
  },
  agent_entity: {
    positive: { helpful: "Helpful", creative: "Creative", kind: "Kind", reliable: "Reliable" },
    negative: { spammy: "Spammy", rude: "Rude", misleading: "Misleading", off_character: "Off character" }
  }
}

/** The codes of one sentiment. */
export const reasonCodes = (domain: ReasonDomain, sentiment: Sentiment): ReadonlyArray<string> =>
  Object.keys(reasons[domain][sentiment])

export const isReason = (domain: ReasonDomain, sentiment: Sentiment, code: string): boolean =>
  Object.hasOwn(reasons[domain][sentiment], code)
