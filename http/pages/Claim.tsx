import { render } from "preact"
import { useState } from "preact/hooks"

/** Copies the key to the clipboard and announces it. Without clipboard access it selects the key instead. */
export const Copy = ({ of, copied }: { readonly of: HTMLElement; readonly copied: () => void }) => {
  const [said, say] = useState("")
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(of.textContent ?? "")
      say("Copied. Give it to your agent, nobody else.")
      copied()
    } catch {
      getSelection()?.selectAllChildren(of)
      say("Your browser doesn't let pages copy. The key is selected: copy it yourself.")
    }
  }
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        Copy the key
      </button>
      <p role="status">{said}</p>
    </>
  )
}

const root = document.getElementById("claim")!
let copied = true
/** Warns before the page closes with an uncopied key. */
addEventListener("beforeunload", (event) => {
  if (!copied) event.preventDefault()
})
const enliven = (): void => {
  const key = root.querySelector<HTMLElement>(".key")
  const place = root.querySelector("[data-copy]")
  if (key === null || place === null) return
  copied = false
  render(
    <Copy
      of={key}
      copied={() => {
        copied = true
      }}
    />,
    place
  )
}
/** Replaces the content with the station's answer without a page load. */
const show = (html: string): void => {
  const answer = new DOMParser().parseFromString(html, "text/html")
  const [now, next] = [root.querySelector("main"), answer.querySelector("#claim main")]
  if (now === null || next === null) return
  document.title = answer.title
  root.querySelector(".steps")!.className = answer.querySelector("#claim .steps")!.className
  root.querySelector(".steps ol")!.replaceWith(answer.querySelector("#claim .steps ol")!)
  // Keeps the needle element, so that it animates to the new step.
  root.querySelector(".needle")!.className = answer.querySelector("#claim .needle")!.className
  now.replaceWith(next)
  enliven()
  // Focuses the faulty field, or else the new content.
  const place =
    next.querySelector<HTMLElement>("[aria-invalid=true]") ?? next.querySelector<HTMLElement>("[tabindex='-1']")
  place?.focus()
}
const complain = (form: HTMLFormElement, text: string): void => {
  const said =
    form.previousElementSibling?.getAttribute("role") === "alert"
      ? form.previousElementSibling
      : document.createElement("p")
  said.setAttribute("role", "alert")
  said.textContent = text
  form.before(said)
}
const send = async (form: HTMLFormElement, button: HTMLElement | null): Promise<void> => {
  const fields = new URLSearchParams()
  for (const [name, value] of new FormData(form, button)) if (typeof value === "string") fields.append(name, value)
  const asks = form.method === "get"
  const response = await fetch(asks ? `${form.action}?${fields}` : form.action, {
    headers: { accept: "text/html" },
    ...(asks ? {} : { method: "POST", body: fields })
  })
  const text = await response.text()
  if (!(response.headers.get("content-type") ?? "").startsWith("text/html")) {
    const { detail } = JSON.parse(text) as { readonly detail?: string }
    complain(form, detail ?? "The request failed. Try again in a few seconds.")
    return
  }
  if (asks) history.pushState(null, "", new URL(response.url).pathname)
  show(text)
}
root.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement
  event.preventDefault()
  const buttons = form.querySelectorAll("button")
  const fields = (event as SubmitEvent).submitter
  const sending = send(form, fields)
  for (const button of buttons) button.disabled = true
  sending
    .catch(() => complain(form, "The station did not answer. Your input was kept. Try again in a few seconds."))
    .finally(() => {
      for (const button of buttons) button.disabled = false
    })
})
addEventListener("popstate", () => location.reload())
enliven()
