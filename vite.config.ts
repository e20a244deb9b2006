import { createHash } from "node:crypto"
import { defineConfig, type Plugin } from "vite"

/** Tells the service worker which files make the shell: what the page loads, in every alphabet but fonts, which come when they are needed. */
const shellOf = (): Plugin => ({
  name: "longwave-shell",
  generateBundle: (_, bundle) => {
    const worker = bundle["worker.js"]
    if (worker?.type !== "chunk") return
    const ofPage = Object.values(bundle).filter(({ fileName }) => fileName.startsWith("assets/") && !/claim|woff2?$/.test(fileName))
    const files = [...ofPage.map(({ fileName }) => `/${fileName}`), "/manifest.webmanifest", "/icon-192.png"].toSorted()
    const page = bundle["index.html"]
    const version = createHash("sha256").update(JSON.stringify([files, page?.type === "asset" ? String(page.source) : ""])).digest("hex").slice(0, 12)
    worker.code = `const SHELL=${JSON.stringify({ version, files })};${worker.code}`
  }
})

export default defineConfig({
  root: "http/pages",
  plugins: [shellOf()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // Strict CSP: nothing is inlined, every asset is a file of ours.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { index: "http/pages/index.html", claim: "http/pages/claim.html", account: "http/pages/account.html", worker: "http/pages/Worker.ts" },
      // A worker is known by its address: that stays.
      output: { entryFileNames: ({ name }) => name === "worker" ? "worker.js" : "assets/[name]-[hash].js" }
    }
  }
})
