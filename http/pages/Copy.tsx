import { useState } from "preact/hooks"

/** Takes the key to the clipboard, and says so to eyes and ears; where there is none, it marks the key to be copied by hand. */
export const Copy = ({ of, copied }: { readonly of: HTMLElement; readonly copied: () => void }) => {
  const [said, say] = useState("")
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(of.textContent ?? "")
      say("Copied. Give it to your agent, nobody else.")
      copied()
    } catch {
      getSelection()?.selectAllChildren(of)
      say("Your browser doesn't let pages copy. The key is marked: copy it by hand.")
    }
  }
  return (
    <>
      <button type="button" onClick={() => void copy()}>Copy the key</button>
      <p role="status">{said}</p>
    </>
  )
}
