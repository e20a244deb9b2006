import { toast } from "./parts/Toast.tsx"

/** Takes what the worker keeps from now on; the sound would stop, so the listener says when. */
const offer = (worker: ServiceWorker): void =>
  toast("There is a newer version of this page.", {
    label: "Load it",
    run: () => {
      navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true })
      worker.postMessage("take over", [])
    }
  })

/** The worker keeps the page itself, so that it opens at once and without a line; never the stream and never the API. */
export const installWorker = (): void => {
  if (!("serviceWorker" in navigator)) return
  void navigator.serviceWorker.register("/worker.js").then(
    (registration) => {
      if (registration.waiting !== null && navigator.serviceWorker.controller !== null) offer(registration.waiting)
      registration.addEventListener("updatefound", () => {
        const worker = registration.installing
        worker?.addEventListener("statechange", () => {
          if (worker.state === "installed" && navigator.serviceWorker.controller !== null) offer(worker)
        })
      })
    },
    () => undefined
  )
}
