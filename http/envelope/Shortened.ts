/** Truncates text to a number of UTF-8 bytes, at a character boundary. */
export const shorten = (text: string, bytesMax: number): string => {
  if (text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax) return text
  const mark = "…"
  const cut = Buffer.from(text.slice(0, bytesMax)).subarray(0, bytesMax - Buffer.byteLength(mark))
  return `${cut.toString().replace(/\ufffd+$/, "")}${mark}`
}
