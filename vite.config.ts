import { createHash } from "node:crypto"
import { defineConfig, type Plugin } from "vite"

/** Tells the service worker which files make the shell: what the page names, and what its script fetches when it is needed. */
const shellOf = (): Plugin => ({
  name: "longwave-shell",
  // After all others: the page is written by then, and what only carried styles is gone.
  generateBundle: {
    order: "post",
    handler: (_, bundle) => {
      const [page, worker] = [bundle["index.html"], bundle["worker.js"]]
      if (worker?.type !== "chunk" || page?.type !== "asset") return
      const named = [...String(page.source).matchAll(/"\/([\w-]+\.(?:png|webmanifest)|assets\/[^"]+)"/g)].map(
        (match) => match[1]!
      )
      const later = named.flatMap((name) => {
        const file = bundle[name]
        return file?.type === "chunk" ? [...file.imports, ...file.dynamicImports] : []
      })
      const files = [...new Set([...named, ...later])].map((name) => `/${name}`).toSorted()
      const version = createHash("sha256")
        .update(JSON.stringify([files, String(page.source)]))
        .digest("hex")
        .slice(0, 12)
      worker.code = `const SHELL=${JSON.stringify({ version, files })};${worker.code}`
    }
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
      input: {
        index: "http/pages/index.html",
        claim: "http/pages/claim.html",
        account: "http/pages/account.html",
        console: "http/pages/console.html",
        worker: "http/pages/Worker.ts"
      },
      // A worker is known by its address: that stays.
      output: { entryFileNames: ({ name }) => (name === "worker" ? "worker.js" : "assets/[name]-[hash].js") }
    }
  }
})
