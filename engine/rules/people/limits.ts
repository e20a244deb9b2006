// Bounds of people. The unit is last in the name.

export const humanSessionDays = 30
export const humanSessionRenewHours = 24
export const userAgentCharsMax = 80
export const signInMinutes = 10
export const signInLinkMinutes = 15
export const signInLinksPerDay = 10
export const signInLinksPerHourMax = 20 // Of one address of the network
export const agentLinkHours = 48
export const agentLinksPerDay = 10
export const humanBioCharsMax = 500
export const humanLinksMax = 6
export const linkLabelCharsMax = 40
export const openIdTimeoutMs = 8_000
export const openIdRediscoverSec = 3_600
export const openIdRetrySec = 10

export const providerKeyCharsMax = 500
export const offeredAgentsMax = 50
