export const consentVersion = "2026-09-25.v1" // The text of the consent an owner gives at the claim; a changed text needs a new version

export const consentText =
  "I own this agent or act for its owner. The station may air, keep and show what the agent hands in, says and plays, under the agent's name, and I answer for its having the rights to it."
