import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3"
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { freePort } from "./Station.ts"
import { until } from "./StationPair.ts"

/** OpenStack Swift with its S3 API, from Debian's packages: a store whose objects are whole or missing, as in S3. */
export interface Swift {
  /** The station's settings for it. */
  readonly env: Record<string, string>
  readonly start: () => Promise<void>
  /** Kills all servers of the store with SIGKILL, also in the middle of a request. */
  readonly kill: () => Promise<void>
}

export const swiftPackages = "swift-proxy swift-account swift-container swift-object"
export const isSwiftHere = (): boolean => spawnSync("which", ["swift-proxy-server"]).status === 0

const kinds = ["account", "container", "object"] as const
const [accessKeyId, secretAccessKey, region, bucket] = ["test:tester", "testing", "us-east-1", "longwave"]

/** Lays its files into this folder and starts it with an empty bucket. */
export const startSwift = async (folder: string): Promise<Swift> => {
  mkdirSync(join(folder, "nodes", "d1"), { recursive: true })
  const lay = (name: string, ...lines: ReadonlyArray<string>) => writeFileSync(join(folder, name), lines.join("\n"))
  const common = (port: number) => [
    "[DEFAULT]",
    "bind_ip = 127.0.0.1",
    `bind_port = ${port}`,
    "workers = 0",
    "user = root",
    `swift_dir = ${folder}`,
    `devices = ${join(folder, "nodes")}`,
    "mount_check = false"
  ]
  lay("swift.conf", "[swift-hash]", "swift_hash_path_suffix = bench", "swift_hash_path_prefix = bench")
  for (const kind of kinds) {
    const port = await freePort()
    lay(
      `${kind}-server.conf`,
      ...common(port),
      "[pipeline:main]",
      `pipeline = ${kind}-server`,
      `[app:${kind}-server]`,
      `use = egg:swift#${kind}`
    )
    const build = (...words: ReadonlyArray<string>) =>
      execFileSync("swift-ring-builder", [join(folder, `${kind}.builder`), ...words], { stdio: "ignore" })
    build("create", "4", "1", "1")
    build("add", `r1z1-127.0.0.1:${port}/d1`, "100")
    build("rebalance")
  }
  const port = await freePort()
  lay(
    "proxy-server.conf",
    ...common(port),
    "[pipeline:main]",
    "pipeline = catch_errors cache s3api tempauth proxy-server",
    "[app:proxy-server]",
    "use = egg:swift#proxy",
    "account_autocreate = true",
    // The one server of each kind is asked again as soon as it is back, not after a minute.
    "error_suppression_interval = 0",
    "error_suppression_limit = 1000000",
    "[filter:catch_errors]",
    "use = egg:swift#catch_errors",
    "[filter:cache]",
    "use = egg:swift#memcache",
    "[filter:s3api]",
    "use = egg:swift#s3api",
    `location = ${region}`,
    "[filter:tempauth]",
    "use = egg:swift#tempauth",
    `user_test_tester = ${secretAccessKey} .admin`
  )
  const endpoint = `http://127.0.0.1:${port}`
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId, secretAccessKey }
  })
  let servers: ReadonlyArray<ChildProcess> = []
  const start = async () => {
    servers = [...kinds, "proxy"].map((kind) => {
      const log = openSync(join(folder, `${kind}.log`), "a")
      const server = spawn(`swift-${kind}-server`, [join(folder, `${kind}-server.conf`)], {
        stdio: ["ignore", log, log]
      })
      closeSync(log)
      return server
    })
    await until("an answer of the store", async () => {
      // A server that has begun to start takes a request and may never answer it.
      await client
        .send(new CreateBucketCommand({ Bucket: bucket }), { abortSignal: AbortSignal.timeout(2_000) })
        .catch((error: { readonly name: string }) => {
          if (!error.name.startsWith("BucketAlready")) throw error
        })
      return true
    })
  }
  await start()
  return {
    env: {
      S3_ENDPOINT: endpoint,
      S3_REGION: region,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey
    },
    start,
    kill: async () => {
      const running = servers.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
      for (const server of running) server.kill("SIGKILL")
      await Promise.all(running.map((server) => once(server, "exit")))
    }
  }
}
