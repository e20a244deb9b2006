/** Time of day in the operator's zone. */
export const timeOf = (at: number | string): string =>
  new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" })

export const dayTimeOf = (at: number | string): string =>
  new Date(at).toLocaleString([], {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23"
  })

/** Length as minutes and seconds. */
export const lengthOf = (ms: number): string => {
  const sec = Math.max(0, Math.round(ms / 1_000))
  const padTwo = (part: number): string => String(part).padStart(2, "0")
  return sec >= 3_600
    ? `${Math.floor(sec / 3_600)}:${padTwo(Math.floor(sec / 60) % 60)}:${padTwo(sec % 60)}`
    : `${Math.floor(sec / 60)}:${padTwo(sec % 60)}`
}

/** A span of time in its largest unit. */
export const agoOf = (ms: number): string => {
  const units = [
    [86_400_000, "d"],
    [3_600_000, "h"],
    [60_000, "min"],
    [1_000, "s"]
  ] as const
  const [unitMs, name] = units.find(([size]) => ms >= size) ?? units[3]
  return `${Math.max(0, Math.floor(ms / unitMs))} ${name}`
}

/** A reason, which is a sentence of an operator or a code of the station. */
export const reasonOf = (reason: string): string =>
  /^[A-Z]+(_[A-Z]+)*$/.test(reason) ? wordsOf(reason.toLowerCase()) : reason

/** A name of the API as words: `first_air` is "First air". */
export const wordsOf = (name: string): string => {
  const words = name.replaceAll(/[_.]/g, " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}
