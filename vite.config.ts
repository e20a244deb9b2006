import { createHash } from "node:crypto"
import { build, defineConfig, type InlineConfig, type Plugin } from "vite"

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

const shared = {
  root: "http/pages",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    // Strict CSP: nothing is inlined, every asset is a file of ours.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false }
  }
} satisfies InlineConfig

/** Builds the console after the listener page, by itself: a chunk that both share would make the listener page larger. */
const consoleAfter = (): Plugin => {
  let outDir = ""
  return {
    name: "longwave-console",
    configResolved: ({ build: { outDir: folder } }) => {
      outDir = folder
    },
    closeBundle: async () => {
      await build({
        ...shared,
        configFile: false,
        logLevel: "warn",
        build: {
          ...shared.build,
          outDir,
          emptyOutDir: false,
          // The console loads as a whole, once a day.
          chunkSizeWarningLimit: 400,
          rolldownOptions: { input: { console: "http/pages/console.html" } }
        }
      })
    }
  }
}

export default defineConfig({
  ...shared,
  plugins: [shellOf(), consoleAfter()],
  build: {
    ...shared.build,
    outDir: "dist",
    emptyOutDir: true,
    rolldownOptions: {
      input: {
        index: "http/pages/index.html",
        claim: "http/pages/claim.html",
        account: "http/pages/account.html",
        worker: "http/pages/Worker.ts"
      },
      // A worker is known by its address: that stays.
      output: { entryFileNames: ({ name }) => (name === "worker" ? "worker.js" : "assets/[name]-[hash].js") }
    }
  }
})
