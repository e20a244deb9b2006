/** What this browser remembers for its listener; where it may not, nothing is remembered and all else works. */
export const kept = (name: string): string | null => {
  try {
    return localStorage.getItem(`longwave.${name}`)
  } catch {
    return null
  }
}

const bell = new EventTarget()

export const keep = (name: string, value: string): void => {
  try {
    localStorage.setItem(`longwave.${name}`, value)
  } catch {
    /* Private windows may refuse. */
  }
  bell.dispatchEvent(new Event(name))
}

/** Calls back when it was changed in this window, until the answer is called. */
export const whenKept = (name: string, changed: () => void): (() => void) => {
  bell.addEventListener(name, changed)
  return () => bell.removeEventListener(name, changed)
}
