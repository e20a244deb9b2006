import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdir, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { frameMs, numberedFrames } from "../instruments/sounds/NumberedFrames.ts"
import { freePort } from "../instruments/servers/Station.ts"

export interface Icecast {
  readonly port: number
  readonly path: string
  readonly process: ChildProcess
  readonly stop: () => Promise<void>
}

const chunkFrames = 4

/** Path of the program; undefined if it is missing, and then not measured. */
export const icecastPath = (): string | undefined =>
  ["icecast2", "icecast"]
    .map((name) => spawnSync("which", [name], { encoding: "utf8" }).stdout.trim())
    .find((path) => path !== "")

const configuration = (folder: string, port: number, password: string, clients: number): string => `<icecast>
  <limits><clients>${clients + 10}</clients><sources>2</sources><queue-size>524288</queue-size><burst-on-connect>1</burst-on-connect><burst-size>49152</burst-size></limits>
  <authentication><source-password>${password}</source-password><admin-user>admin</admin-user><admin-password>${password}</admin-password></authentication>
  <hostname>127.0.0.1</hostname>
  <listen-socket><port>${port}</port><bind-address>127.0.0.1</bind-address></listen-socket>
  <fileserve>0</fileserve>
  <paths><basedir>${folder}</basedir><logdir>${folder}/log</logdir><webroot>${folder}/web</webroot><adminroot>${folder}/web</adminroot></paths>
  <logging><accesslog>access.log</accesslog><errorlog>error.log</errorlog><loglevel>1</loglevel></logging>
  <security><chroot>0</chroot>${process.getuid?.() === 0 ? "<changeowner><user>nobody</user><group>nogroup</group></changeowner>" : ""}</security>
</icecast>
`

const openSocket = async (port: number): Promise<ReturnType<typeof connect>> => {
  for (let attempt = 0; ; attempt++) {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true })
    try {
      await once(socket, "connect")
      return socket
    } catch (cause) {
      if (attempt === 100) throw cause
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** An Icecast process with the same frames at the same rate; `command` is its prefix. */
export const startIcecast = async (
  program: string,
  folder: string,
  clients: number,
  command: ReadonlyArray<string>
): Promise<Icecast> => {
  const port = await freePort()
  const password = Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString("hex")
  const file = join(folder, "icecast.xml")
  await Promise.all([mkdir(join(folder, "log"), { recursive: true }), mkdir(join(folder, "web"), { recursive: true })])
  await writeFile(file, configuration(folder, port, password, clients))
  await Promise.all([chmod(folder, 0o755), chmod(join(folder, "log"), 0o777)])
  const [first, ...rest] = [...command, program, "-c", file]
  const icecast = spawn(first!, rest, { stdio: "ignore" })
  const source = await openSocket(port)
  source.on("error", () => source.destroy())
  source.write(
    `SOURCE /live.mp3 HTTP/1.0\r\nauthorization: Basic ${Buffer.from(`source:${password}`).toString("base64")}\r\ncontent-type: audio/mpeg\r\nice-public: 0\r\n\r\n`
  )
  const [answer] = (await once(source, "data")) as [Buffer]
  if (!answer.toString().includes("200")) throw new Error(`Icecast refused its source: ${answer.toString()}`)
  const startedMs = performance.now()
  let sent = 0
  const feeding = setInterval(
    () => {
      for (const due = (performance.now() - startedMs) / frameMs; sent + chunkFrames <= due; sent += chunkFrames)
        source.write(numberedFrames(sent, chunkFrames))
    },
    (chunkFrames * frameMs) / 2
  )
  return {
    port,
    path: "/live.mp3",
    process: icecast,
    stop: async () => {
      clearInterval(feeding)
      source.destroy()
      icecast.kill("SIGKILL")
      if (icecast.exitCode === null && icecast.signalCode === null) await once(icecast, "exit")
    }
  }
}
