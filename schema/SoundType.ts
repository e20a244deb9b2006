/** Content type of a recording by its first bytes; null if it is neither WAV nor MP3. What a server or a file name says is no proof. */
export const soundTypeOf = (bytes: Uint8Array): "audio/wav" | "audio/mpeg" | null => {
  const text = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to))
  if (text(0, 4) === "RIFF" && text(8, 12) === "WAVE") return "audio/wav"
  return text(0, 3) === "ID3" || (bytes[0] === 0xff && (bytes[1]! & 0xe0) === 0xe0) ? "audio/mpeg" : null
}
