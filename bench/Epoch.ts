/** The time of this machine, the same in all of its processes, in fractions of a millisecond. */
export const nowMs = (): number => performance.timeOrigin + performance.now()
