import { open } from "node:fs/promises"
import { disk } from "../storage/MediaStore.ts"

const headMaxBytes = 65_536
/** Programs that write into a pipe don't know the length, and write one of the largest numbers or none. */
const unknownBytes = 0x7fff_0000

/** Length that a WAV claims; null if it claims none. ffprobe uses the file's length instead, so that a truncated file looks whole. */
export const wavClaimSec = (path: string) =>
  disk(async () => {
    const file = await open(path, "r")
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(headMaxBytes), 0, headMaxBytes)
      let bytesPerSec = 0
      for (let at = 12; at + 20 <= bytesRead;) {
        const [name, bytes] = [buffer.toString("latin1", at, at + 4), buffer.readUInt32LE(at + 4)]
        if (name === "fmt ") bytesPerSec = buffer.readUInt32LE(at + 16)
        if (name === "data")
          return bytes === 0 || bytes >= unknownBytes || bytesPerSec === 0 ? null : bytes / bytesPerSec
        at += 8 + bytes + (bytes % 2)
      }
      return null
    } finally {
      await file.close()
    }
  })
