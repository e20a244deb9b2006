import { underStrictPolicy } from "./StrictPolicy.ts"

/** `@scalar/api-reference`, which the page loads before this runs. */
declare const Scalar: {
  readonly createApiReference: (element: Element, configuration: Readonly<Record<string, unknown>>) => unknown
}

underStrictPolicy()

// After all scripts of the page.
document.addEventListener("DOMContentLoaded", () => {
  const place = document.querySelector<HTMLElement>("#reference")!
  document.querySelector<HTMLElement>("#reference-waits")!.hidden = false
  Scalar.createApiReference(place, {
    url: place.dataset["document"],
    metaData: { title: place.dataset["title"] },
    servers: [{ url: location.origin, description: "This station" }],
    theme: "default",
    // Nothing comes from another host, and nothing is sent to one.
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: "never",
    documentDownloadType: "none"
  })
})
