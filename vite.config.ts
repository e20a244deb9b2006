import { defineConfig } from "vite"

export default defineConfig({
  root: "http/pages",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  // Strict CSP: nothing is inlined, every asset is a file of ours.
  build: { outDir: "dist", emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false }, rolldownOptions: { input: { index: "http/pages/index.html", claim: "http/pages/claim.html" } } }
})
