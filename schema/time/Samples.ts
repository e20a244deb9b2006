/** The instant of sample 0. Never changes: the numbers of HLS parts depend on it. */
export const epochMs = 1_767_225_600_000 // 2026-01-01T00:00:00Z
export const sampleRateHz = 48_000
export const channelsCount = 2

const samplesPerMs = sampleRateHz / 1_000

export const sampleOf = (atMs: number): number => Math.round((atMs - epochMs) * samplesPerMs)

export const msOf = (sample: number): number => epochMs + Math.floor(sample / samplesPerMs)

export const msToSamples = (ms: number): number => Math.round(ms * samplesPerMs)
