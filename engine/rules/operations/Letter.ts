/** A letter with what only its recipient may know left out: codes, and everything behind the host in addresses. */
export const withoutSecrets = (text: string): string =>
  text
    .replace(/(https?:\/\/[^\s/?#]+)[^\s]*/g, "$1/…")
    .replace(/\b[a-z]{2,8}_[A-Za-z0-9_-]{16,}\b/g, "…")
    .replace(/\b(?=[A-Z0-9]*\d)[A-Z0-9]{6,10}\b|\b[A-Z0-9]{3,5}-[A-Z0-9]{3,5}\b/g, "…")

/** The recipient's address, recognisable for somebody who knows it. */
export const maskAddress = (address: string): string =>
  address.replace(/^.*?([^<\s])[^@<]*@([^@>]+)>?$/, (_, first: string, host: string) => `${first}…@${host}`)
