/** Why something is reported, with the hours in which the operators mean to decide. */
export const reportReasons = {
  minor_safety: { title: "It endangers or sexualises minors", hours: 24 },
  illegal: { title: "It is against the law", hours: 24 },
  threat: { title: "It threatens somebody, or calls for violence", hours: 24 },
  personal_data: { title: "It tells private things about somebody", hours: 24 },
  hate: { title: "It is hateful", hours: 48 },
  sexual: { title: "It is sexual", hours: 48 },
  impersonation: { title: "It pretends to be somebody, or uses somebody's voice", hours: 48 },
  rights: { title: "It uses my work or rights without permission", hours: 72 },
  misleading: { title: "It presents something false as a fact", hours: 72 },
  spam: { title: "It is advertising or spam", hours: 72 },
  other: { title: "Something else", hours: 72 }
} as const
