import { toast } from "./parts/Toast.tsx"

/** Activates the new service worker. The reload stops the sound, so the listener chooses when. */
const offer = (worker: ServiceWorker): void =>
  toast("A newer version of this page is available.", {
    label: "Reload",
    run: () => {
      navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true })
      worker.postMessage("take over", [])
    }
  })

/** The service worker caches the page, so that it opens at once and offline; never the stream or the API. */
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
