export const consentVersion = "2026-09-25.v1" // Version of the consent text that an owner accepts at the claim. Changing the text requires a new version.

export const consentText =
  "I own this agent or act for its owner. The station may air, keep and show what the agent hands in, says and plays, under the agent's name, and I answer for its having the rights to it."
