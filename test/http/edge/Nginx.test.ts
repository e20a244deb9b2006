import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { nginxPath } from "../../../bench/peers/Nginx.ts"
import { freePort } from "../../../bench/instruments/servers/Station.ts"
import { fenceHeader } from "../../../schema/air/Fence.ts"
import { airOfCutOff, originServer } from "../../support/http/OriginServer.ts"

const program = nginxPath()
if (program === undefined) console.warn("nginx is missing: the configuration in deploy/nginx is not tried.")

const shipped = (name: string) => readFileSync(new URL(`../../../deploy/nginx/${name}`, import.meta.url), "utf8")

/** The shipped cache and locations before these stations, as a process of its own, until the scope closes. */
const nginx = Effect.fnUntraced(function* (urls: ReadonlyArray<string>) {
  const port = yield* Effect.promise(freePort)
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "longwave-nginx-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, "t"))
  const servers = urls.map((url) => `server ${url.replace("http://", "")} max_fails=1 fail_timeout=1s;`).join(" ")
  // A busy machine may feed the station later than that.
  writeFileSync(
    join(folder, "locations.conf"),
    shipped("locations.conf").replaceAll("proxy_read_timeout 4s", "proxy_read_timeout 60s")
  )
  writeFileSync(
    join(folder, "nginx.conf"),
    `${process.getuid?.() === 0 ? "user root;" : ""}
    daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; worker_processes 1;
    events { worker_connections 512; }
    http {
      access_log off;
      client_body_temp_path ${folder}/t; proxy_temp_path ${folder}/t; fastcgi_temp_path ${folder}/t;
      uwsgi_temp_path ${folder}/t; scgi_temp_path ${folder}/t;
      upstream longwave { zone longwave 64k; ${servers} keepalive 16; }
      ${shipped("cache.conf").replace("/var/cache/nginx/longwave", join(folder, "cache"))}
      server { listen 127.0.0.1:${port}; location = /status { stub_status; } include ${folder}/locations.conf; }
    }`
  )
  yield* Effect.acquireRelease(
    Effect.sync(() => spawn(program!, ["-c", join(folder, "nginx.conf"), "-p", folder], { stdio: "ignore" })),
    (child) =>
      Effect.promise(async () => {
        child.kill("SIGTERM")
        if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
      })
  )
  const url = `http://127.0.0.1:${port}`
  yield* Effect.promise(async () => {
    while (!(await fetch(url).catch(() => null))) await new Promise((resolve) => setTimeout(resolve, 10))
  })
  return url
})

const ask = (url: string, method = "GET") =>
  Effect.promise(async () => {
    const response = await fetch(url, { method })
    return { status: response.status, fence: response.headers.get(fenceHeader), text: await response.text() }
  })

it.live.skipIf(program === undefined)(
  "nginx with the shipped configuration asks for each part and each reload once, and takes the station that has the air",
  () =>
    Effect.gen(function* () {
      const [owner, standby] = [yield* originServer(5), yield* originServer(5)]
      const url = yield* nginx([owner.url, standby.url])
      const { msn, part } = owner.next()
      const reload = `/live/aac128/index.m3u8?_HLS_msn=${msn}&_HLS_part=${part}`
      const players = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 40 }, (_, player) =>
            Effect.gen(function* () {
              const playlist = yield* ask(`${url}${reload}&session=player${player}`)
              const parts = [...playlist.text.matchAll(/p\d+\.\d+\.m4s(?=",IND)/g)].map(([name]) => name)
              yield* Effect.forEach(parts, (name) => ask(`${url}/live/aac128/${name}?session=player${player}`))
              return playlist
            })
          ),
          { concurrency: "unbounded" }
        )
      )
      const all = () => [...owner.asked, ...standby.asked]
      // A player that asks after nginx has dropped the answer makes nginx ask the station a second time.
      const isWaited = Effect.map(ask(`${url}/status`), ({ text }) => Number(/Writing: (\d+)/.exec(text)![1]) > 40)
      yield* Effect.repeat(isWaited, { until: (is) => is, schedule: Schedule.spaced(5) })
      for (const origin of [owner, standby]) origin.feed()
      const heard = yield* Fiber.join(players)
      expect(new Set(heard.map(({ fence, status }) => `${status} ${fence}`))).toEqual(new Set(["200 5"]))
      expect(all().filter((path) => path.startsWith(reload)).length).toBe(1)
      const parts = all()
        .filter((path) => path.includes(".m4s"))
        .map((path) => path.split("?")[0]!)
      expect(parts.length).toBe(new Set(parts).size)
      // The owner is gone, and the other station has the air.
      yield* owner.kill
      standby.setFence(6)
      standby.feed()
      const next = standby.next()
      const waiting = yield* Effect.forkChild(
        ask(`${url}/live/aac128/index.m3u8?_HLS_msn=${next.msn}&_HLS_part=${next.part}`)
      )
      const isAsked = Effect.sync(() => standby.asked.some((path) => path.endsWith(`_HLS_part=${next.part}`)))
      const refused = yield* Effect.raceFirst(
        Fiber.join(waiting),
        Effect.as(Effect.repeat(isAsked, { until: (is) => is, schedule: Schedule.spaced(5) }), null)
      )
      expect(refused).toBe(null)
      standby.feed()
      expect((yield* Fiber.join(waiting)).fence).toBe("6")
    })
)

it.live.skipIf(program === undefined)(
  "nginx shows an owner that is cut off from everything else who has the air, and takes nothing from it again",
  () =>
    Effect.gen(function* () {
      const [cutOff, next] = [airOfCutOff(5), airOfCutOff(6)]
      const [former, owner] = [yield* originServer(5, cutOff), yield* originServer(6, next)]
      const url = yield* nginx([former.url, owner.url])
      const askTwice = Effect.map(
        Effect.all([ask(`${url}/live.mp3`, "HEAD"), ask(`${url}/live.mp3`, "HEAD")]),
        (answers) => answers.map(({ fence, status }) => `${status} ${fence}`)
      )
      expect(cutOff.holds()).toBe(true)
      yield* Effect.repeat(Effect.andThen(askTwice, Effect.sleep(5)), { while: () => cutOff.holds() })
      for (let again = 0; again < 10; again++) expect(yield* askTwice).toEqual(["200 6", "200 6"])
      expect(next.holds()).toBe(true)
      expect((yield* ask(`${former.url}/live/fence`)).status).toBe(503)
    })
)

it.skipIf(program === undefined)("nginx accepts the site with TLS", () => {
  const folder = mkdtempSync(join(tmpdir(), "longwave-nginx-"))
  try {
    for (const name of ["upstream.conf", "cache.conf", "locations.conf"])
      writeFileSync(join(folder, name), shipped(name).replaceAll("/var/cache/nginx", folder))
    execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-subj",
        "/CN=radio.example"
      ].concat(["-keyout", join(folder, "privkey.pem"), "-out", join(folder, "fullchain.pem")]),
      { stdio: "ignore" }
    )
    const site = shipped("tls.conf")
      .replaceAll("/etc/nginx/longwave", folder)
      .replaceAll("/etc/letsencrypt/live/radio.example", folder)
    writeFileSync(join(folder, "nginx.conf"), `pid ${folder}/nginx.pid; events {} http { ${site} }`)
    execFileSync(program!, ["-t", "-q", "-c", join(folder, "nginx.conf"), "-p", folder], { stdio: "pipe" })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
