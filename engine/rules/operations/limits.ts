// Bounds of operations. The unit is last in the name.

export const auditRetryMs = 5_000 // An hour of five-second tries: by then a store that is away has been somebody's business for long
export const auditTriesMax = 720
export const auditPatienceMs = 1_000
export const operatorSessionHours = 12
export const signInLinkHours = 24
export const signInsPerHourMax = 20
export const operatorPatienceMs = 300 // Sound is promised within half a second of a command: a slow store may have this much of it
export const operatorSeenEveryMs = 60_000
export const operatorsRememberedMax = 256 // Known to this process, so that a store that is away locks nobody out
export const operatorNameCharsMax = 60
export const reasonCharsMax = 500
export const mailTimeoutMs = 10_000
export const mailTriedHours = 6 // A mail server that is away is tried again for so long
export const mailRestMaxMs = 900_000
export const mailsAtOnceMax = 4
export const presenceNoteCharsMax = 140
