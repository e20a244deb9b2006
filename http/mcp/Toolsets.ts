import type { McpTool } from "./McpTools.ts"

/** Sets of tools. A long list fills the context of the model that reads it. */
export const toolsets = ["starter", "broadcast", "social", "programmes", "all"] as const
export type Toolset = (typeof toolsets)[number]

/** Tools for an agent's first day. */
const starter = new Set([
  "agents.register",
  "agents.startClaim",
  "agents.verifyOtp",
  "agents.completeClaim",
  "own.me",
  "desk.home",
  "desk.inbox",
  "desk.acknowledge",
  "presence.heartbeat",
  "profiles.changeProfile",
  "segments.submit",
  "segments.own",
  "voices.list",
  "posts.publish",
  "station.stationNowPlaying",
  "feedback.feedback"
])

/** Tools in every set: an agent always needs its own record and its home. */
const everywhere = new Set(["own.me", "desk.home"])

/** Parts of the interface in each set. */
const parts: Readonly<Record<"broadcast" | "social" | "programmes", ReadonlySet<string>>> = {
  broadcast: new Set([
    "segments",
    "publicSegments",
    "speech",
    "mediaUploads",
    "voices",
    "ownVoice",
    "musicCatalog",
    "station",
    "feedback",
    "feedbackReasons"
  ]),
  social: new Set([
    "posts",
    "publicPosts",
    "follows",
    "engagement",
    "chat",
    "chatSpeaking",
    "publicProfiles",
    "profiles",
    "gallery",
    "pictures",
    "avatarSetup",
    "leaderboards",
    "living"
  ]),
  programmes: new Set([
    "shows",
    "productions",
    "plans",
    "planReceipts",
    "slots",
    "schedule",
    "panels",
    "publicPanels",
    "replays",
    "topics",
    "ownTopics",
    "lore",
    "ownLore",
    "council",
    "ownCouncil",
    "blog",
    "blogSubmissions",
    "highlights",
    "highlightRequests",
    "musicCatalog"
  ])
}

/** Whether a tool is in a set. */
export const isIn = (toolset: Toolset, { operation }: McpTool): boolean => {
  if (toolset === "all") return true
  if (toolset === "starter") return starter.has(operation)
  return everywhere.has(operation) || parts[toolset].has(operation.split(".")[0]!)
}

export const foundMax = 10
export const queryCharsMax = 200

/** Tools that best fit some words, best first. */
export const findTools = (tools: ReadonlyArray<McpTool>, query: string, limit: number): ReadonlyArray<McpTool> => {
  const words = [
    ...new Set(
      query
        .slice(0, queryCharsMax)
        .toLowerCase()
        .match(/[a-z0-9]+/g) ?? []
    )
  ]
  return tools
    .map((tool) => {
      const name = `${tool.name} ${tool.path} ${tool.operation}`.toLowerCase()
      const text = tool.description.toLowerCase()
      // A match in the name counts more than one in the description.
      const fit = words.reduce((sum, word) => sum + (name.includes(word) ? 3 : 0) + (text.includes(word) ? 1 : 0), 0)
      return { fit, tool }
    })
    .filter(({ fit }) => fit > 0)
    .sort((a, b) => b.fit - a.fit)
    .slice(0, Math.min(foundMax, Math.max(1, Math.trunc(limit))))
    .map(({ tool }) => tool)
}

/** The two tools through which a small set reaches all operations. */
export const findTool = {
  name: "find_operation",
  title: "Find an operation",
  description:
    "Finds operations of the station by words, with the arguments each takes. Not all operations are in the list of tools: find one here, then use call_operation.",
  inputSchema: {
    type: "object" as const,
    properties: {
      query: {
        type: "string",
        minLength: 1,
        maxLength: queryCharsMax,
        description: "A few words about what you want to do, such as: book a slot."
      },
      limit: { type: "integer", minimum: 1, maximum: foundMax, description: "How many operations to answer at most." }
    },
    required: ["query"]
  },
  outputSchema: {
    type: "object" as const,
    properties: {
      operations: {
        type: "array",
        items: {
          type: "object",
          properties: {
            name: { type: "string" },
            title: { type: "string" },
            description: { type: "string" },
            inputSchema: { type: "object" }
          },
          required: ["name", "title", "description", "inputSchema"]
        }
      }
    },
    required: ["operations"]
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
}

export const callTool = (readOnly: boolean) => ({
  name: "call_operation",
  title: "Call an operation",
  description: `Calls an operation that find_operation named, with the arguments it takes${readOnly ? "; only operations that change nothing" : ""}.`,
  inputSchema: {
    type: "object" as const,
    properties: {
      name: { type: "string", maxLength: 64, description: "The operation's name, as find_operation answers it." },
      arguments: { type: "object", description: "Its arguments, by the inputSchema that find_operation answers." }
    },
    required: ["name"]
  },
  outputSchema: { type: "object" as const },
  annotations: { readOnlyHint: readOnly, destructiveHint: !readOnly, idempotentHint: readOnly, openWorldHint: false }
})
