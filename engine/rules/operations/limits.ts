// Bounds of operations. The unit is last in the name.

export const auditRetryMs = 5_000 // Retried for up to an hour: operators know of an unavailable store long before that
export const auditTriesMax = 720
export const auditPatienceMs = 1_000
export const operatorSessionHours = 12
export const mailsKeptDays = 90
export const signInLinkHours = 24
export const signInsPerHourMax = 20
export const providerLinkMinutes = 10 // From the return of the provider to the second factor
export const wrongSecondFactorsPerDay = 20 // Of a million codes three count at a time: guessing all year succeeds with 2 %
export const operatorPatienceMs = 300 // Share of a slow store in the half second between an operator's command and its sound
export const operatorSeenEveryMs = 60_000
export const operatorsRememberedMax = 256 // Cached in this process, so that operators can sign in while the store is unavailable
export const operatorNameCharsMax = 60
export const reasonCharsMax = 500
export const mailTimeoutMs = 10_000
export const mailTriedHours = 6 // How long mail is retried while the mail server is unavailable
export const mailRestMaxMs = 900_000
export const mailsAtOnceMax = 4
export const mailsPerRecipientPerDay = 20 // Strangers name the recipient
export const presenceNoteCharsMax = 140
