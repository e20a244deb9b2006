/** Values stored in this browser; without storage, nothing is kept and the rest still works. */
export const readKept = (name: string): string | null => {
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
    /** Private windows may refuse storage. */
  }
  bell.dispatchEvent(new Event(name))
}

/** Calls back on changes in this window; returns the unsubscribe function. */
export const onKept = (name: string, changed: () => void): (() => void) => {
  bell.addEventListener(name, changed)
  return () => bell.removeEventListener(name, changed)
}
