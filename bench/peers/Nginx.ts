import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { freePort } from "../instruments/servers/Station.ts"

export interface Nginx {
  readonly port: number
  readonly process: ChildProcess
  readonly stop: () => Promise<void>
}

/** Path of the program; undefined if it is missing, and then not measured. */
export const nginxPath = (): string | undefined => {
  const path = spawnSync("which", ["nginx"], {
    encoding: "utf8",
    env: { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin:/usr/local/sbin` }
  }).stdout.trim()
  return path === "" ? undefined : path
}

export const nginxVersion = (program: string): string =>
  spawnSync(program, ["-v"], { encoding: "utf8" })
    .stderr.trim()
    .replace(/^nginx version: /, "")

/** Tuned for this: one process, open file cache, no log, and the headers that players in pages need. */
const configuration = (folder: string, port: number): string => `${process.getuid?.() === 0 ? "user root;" : ""}
daemon off; master_process off; worker_rlimit_nofile 20000; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 10000; multi_accept on; }
http {
  access_log off; sendfile on; tcp_nopush on; tcp_nodelay on; keepalive_requests 1000000000; keepalive_timeout 600s;
  open_file_cache max=100; open_file_cache_valid 600s; etag off; server_tokens off;
  client_body_temp_path ${folder}/t; proxy_temp_path ${folder}/t; fastcgi_temp_path ${folder}/t; uwsgi_temp_path ${folder}/t; scgi_temp_path ${folder}/t;
  types { application/vnd.apple.mpegurl m3u8; audio/mp4 m4s; }
  add_header access-control-allow-origin "*"; add_header access-control-allow-headers "*"; add_header access-control-expose-headers "*";
  add_header access-control-allow-methods "GET, HEAD, OPTIONS"; add_header cache-control "public, max-age=1";
  server { listen 127.0.0.1:${port} backlog=4096; root ${folder}/root; }
}
`

/** An nginx process that serves `files` from disk; `command` is its prefix. */
export const startNginx = async (
  program: string,
  folder: string,
  files: Readonly<Record<string, Uint8Array>>,
  command: ReadonlyArray<string>
): Promise<Nginx> => {
  const port = await freePort()
  const file = join(folder, "nginx.conf")
  await mkdir(join(folder, "root"), { recursive: true })
  await chmod(folder, 0o755)
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, "root", name), bytes)
  await writeFile(file, configuration(folder, port))
  const [first, ...rest] = [...command, program, "-c", file, "-p", folder]
  const nginx = spawn(first!, rest, { stdio: ["ignore", "ignore", "inherit"] })
  for (let attempt = 0; ; attempt++) {
    try {
      await fetch(`http://127.0.0.1:${port}/${Object.keys(files)[0]!}`)
      break
    } catch (cause) {
      if (attempt === 100 || nginx.exitCode !== null) throw cause
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  return {
    port,
    process: nginx,
    stop: async () => {
      nginx.kill("SIGKILL")
      if (nginx.exitCode === null && nginx.signalCode === null) await once(nginx, "exit")
    }
  }
}
