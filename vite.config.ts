import { createHash } from "node:crypto"
import { globSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { basename, join, relative, resolve } from "node:path"
import { gzipSync } from "node:zlib"
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

/**
 * Lays `@scalar/api-reference` beside the other files, as `effect` brings it, and names it in the page of the references. It is packed here:
 * at its size, packing it at each start of the station would delay the start.
 */
const referenceScript = (): Plugin => {
  let name = ""
  return {
    name: "longwave-reference",
    buildStart: async function () {
      const from = new URL("internal/httpApiScalar.js", import.meta.resolve("effect/http-api"))
      const { javascript } = (await import(from.href)) as { readonly javascript: string }
      name = this.getFileName(this.emitFile({ type: "asset", name: "scalar.js", source: javascript }))
    },
    transformIndexHtml: {
      order: "post",
      handler: (html, { path }) =>
        path.endsWith("/docs.html")
          ? html.replace("</head>", () => `    <script defer src="/${name}"></script>\n  </head>`)
          : html
    },
    writeBundle: async ({ dir = "" }) => {
      const file = join(dir, name)
      await writeFile(`${file}.gz`, gzipSync(await readFile(file), { level: 9 }))
    }
  }
}

/** Below `http/pages/`. */
const pagesFolder = "dist"

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

/** Files and processes beside a module stay where its source is; its threads and worker processes are built too. */
const keepPlaces = (outDir: string): Plugin => ({
  name: "longwave-places",
  transform: (code, id) =>
    id.includes("node_modules") || !code.includes("import.meta.url")
      ? null
      : {
          code: code
            .replaceAll(
              /new URL\("\.\/(\w+Worker)\.ts", import\.meta\.url\)/g,
              'new URL("./$1.js", import.meta["url"])'
            )
            .replaceAll("import.meta.url", `new URL(${JSON.stringify(relative(outDir, id))}, import.meta.url).href`)
            .replaceAll('import.meta["url"]', "import.meta.url"),
          map: null
        }
})

/** Programs of the station, and their threads and worker processes, by the names of their files. */
const programs = ["http/main.ts", "http/Edge.ts", ...globSync("media/**/*Worker.ts")]

/**
 * Builds the programs into a few files each: loading 1,400 modules takes a second at each start, and 45 MB. Pages that are built into another
 * folder are built alone: stations that run from `http/dist` would miss their files meanwhile.
 */
const programsAfter = (): Plugin => ({
  name: "longwave-programs",
  apply: ({ build: { outDir } = {} }) => outDir === pagesFolder,
  closeBundle: async () => {
    const outDir = resolve("http/dist")
    await build({
      configFile: false,
      logLevel: "warn",
      plugins: [keepPlaces(outDir)],
      // Only what all of them use all the time is worth it; other packages load files of their own.
      ssr: { noExternal: [/^effect($|\/)/, /^@effect\//], external: true },
      build: {
        ssr: true,
        outDir,
        emptyOutDir: true,
        target: "node22",
        rolldownOptions: {
          input: Object.fromEntries(programs.map((path) => [basename(path, ".ts"), path])),
          output: {
            entryFileNames: "[name].js",
            chunkFileNames: "[name]-[hash].js",
            // The engine keeps the text of all it runs: a single other character doubles it, and half of it were comments.
            charset: "ascii",
            comments: false
          }
        }
      }
    })
  }
})

export default defineConfig({
  ...shared,
  plugins: [shellOf(), referenceScript(), consoleAfter(), programsAfter()],
  build: {
    ...shared.build,
    outDir: pagesFolder,
    emptyOutDir: true,
    rolldownOptions: {
      input: {
        index: "http/pages/index.html",
        claim: "http/pages/claim.html",
        account: "http/pages/account.html",
        docs: "http/pages/docs.html",
        worker: "http/pages/Worker.ts"
      },
      // A worker is known by its address: that stays.
      output: { entryFileNames: ({ name }) => (name === "worker" ? "worker.js" : "assets/[name]-[hash].js") }
    }
  }
})
