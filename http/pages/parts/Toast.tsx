import { useEffect, useState } from "preact/hooks"

interface Said {
  readonly id: number
  readonly text: string
  readonly act: { readonly label: string; readonly run: () => void } | null
}

const staysMs = 6_000
const shownMax = 3
const bell = new EventTarget()
let said: ReadonlyArray<Said> = []
let count = 0

const show = (next: ReadonlyArray<Said>): void => {
  said = next
  bell.dispatchEvent(new Event("said"))
}

const drop = (id: number): void => show(said.filter((one) => one.id !== id))

/** Shows and announces a message at the foot of the page. It disappears on its own; with an action it stays until it is dismissed. */
export const toast = (text: string, act: Said["act"] = null): void => {
  const id = (count += 1)
  show([...said.filter((one) => one.text !== text), { id, text, act }].slice(-shownMax))
  if (act === null) setTimeout(() => drop(id), staysMs)
}

export const Toasts = () => {
  const [shown, setShown] = useState(said)
  useEffect(() => {
    const look = (): void => setShown(said)
    bell.addEventListener("said", look)
    return () => bell.removeEventListener("said", look)
  }, [])
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map(({ act, id, text }) => (
        <p class="toast" key={id}>
          <span class="wrap">{text}</span>
          {act === null ? null : (
            <>
              <button
                type="button"
                onClick={() => {
                  drop(id)
                  act.run()
                }}
              >
                {act.label}
              </button>
              <button type="button" class="toast-close" aria-label="Dismiss" onClick={() => drop(id)}>
                <svg viewBox="0 0 24 24" aria-hidden="true">
                  <path d="M6 6l12 12M18 6L6 18" />
                </svg>
              </button>
            </>
          )}
        </p>
      ))}
    </div>
  )
}
