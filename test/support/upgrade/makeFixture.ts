/**
 * Makes the fixture that every later upgrade of the database is tested with (`test/whole/Upgrade.test.ts`): the database of a
 * real station, filled over HTTP and stopped in order, its answers before the stop, and the few files that its rows need.
 *
 * It was made at commit 6b171c5, before any later migration, with
 *
 *     node_modules/.bin/node test/support/upgrade/makeFixture.ts
 *
 * which takes about three minutes. Never make it again: it must stay what that commit made. To test other rows, make another
 * fixture beside it, from the commit that first writes them. All its keys are valid only in it.
 *
 * It contains the unheard sounds and the small sounds of the house: its songs have twenty megabytes each. Their rows stay, as
 * after the loss of a disk; the station plays the remaining sounds until it has made new ones.
 */
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { chmod, copyFile, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { gzipSync } from "node:zlib"
import { say } from "../../../bench/instruments/Patience.ts"
import { startStation } from "../../../bench/instruments/servers/Station.ts"
import { startSlowPostgres } from "../sql/SlowPostgres.ts"
import { isReady } from "../station/WholeStation.ts"
import { dump } from "./Dump.ts"
import { fill, stage } from "./StationContent.ts"
import { connect, fixturePaths, type Known, rowCounts, rowsOf } from "./Fixture.ts"
import { answersOf } from "./Reads.ts"

/** With this seed the house's first songs are short. A turn has a day, so a pending turn is still pending when it is read. */
const env = { HOUSE_SEED: "53944", PANEL_TURN_MIN: "1440", ALLOW_PRIVATE_CALLBACKS: "on", RATE_LIMIT_SCALE: "1000" }
const houseSoundMaxBytes = 100_000,
  houseSounds = 4

const { port, provider } = await stage()
const postgres = await startSlowPostgres()
const folder = await mkdtemp(join(tmpdir(), "longwave-fixture-"))
await chmod(folder, 0o755)
const dataDir = join(folder, "var")
const station = await startStation({
  dataDir,
  port,
  env: { ...env, ...provider.env, DATABASE_URL: postgres.directUrl }
})
try {
  await isReady(station.base)
  const filled = await fill(station, provider)
  const answers = await answersOf(station.base, filled)
  await station.stop()
  const stoppedAt = new Date().toISOString()
  say("the station has stopped")

  const { assets, newest, rows, sql } = await connect(postgres.directUrl, (sql) =>
    Effect.all({
      sql: dump(sql),
      rows: rowCounts(sql),
      newest: rowsOf<{ readonly id: number }>(sql, "SELECT max(migration_id) AS id FROM effect_sql_migrations"),
      assets: rowsOf<{ readonly id: string; readonly house: boolean }>(
        sql,
        `
      SELECT asset_id AS id, false AS house FROM segments WHERE status IN ('queued', 'scheduled', 'pending_review') AND asset_id IS NOT NULL AND plan_id IS NULL
      UNION SELECT asset_id, false FROM tracks WHERE source <> 'house'
      UNION SELECT airable->>'assetId', true FROM house_pieces WHERE role = 'ident'`
      )
    })
  )
  await rm(dirname(fixturePaths.database), { recursive: true, force: true })
  await mkdir(join(fixturePaths.dataDir, "media"), { recursive: true })
  await mkdir(join(fixturePaths.dataDir, "keys"))
  for (const name of ["keys/master", "keys/signing.pem"])
    await copyFile(join(dataDir, name), join(fixturePaths.dataDir, name))
  let ofHouse = 0
  for (const { house, id } of assets) {
    const file = join("media", `${id}.flac`)
    const { size } = await stat(join(dataDir, file))
    if (house && (size > houseSoundMaxBytes || ofHouse++ >= houseSounds)) continue
    await copyFile(join(dataDir, file), join(fixturePaths.dataDir, file))
    say(`${file}: ${Math.round(size / 1_024)} KiB${house ? ", of the house" : ""}`)
  }
  const about: Omit<Known, "answers"> = {
    commit: execFileSync("git", ["rev-parse", "--short=7", "HEAD"], { encoding: "utf8" }).trim(),
    stoppedAt,
    publicUrl: station.base,
    env,
    newestMigration: newest[0]!.id,
    rows,
    ...filled
  }
  // A line for each answer, so that what a change of one changes can be seen.
  const lines = (of: object) =>
    Object.entries(of)
      .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
      .join(",\n")
  await writeFile(fixturePaths.known, `{${lines(about)},\n"answers": {\n${lines(answers)}\n}}\n`)
  await writeFile(fixturePaths.database, gzipSync(sql, { level: 9 }))
  say(
    `database: ${Math.round(sql.length / 1_024)} KiB of SQL; tables without a row: ${Object.entries(rows)
      .filter(([, count]) => count === 0)
      .map(([table]) => table)
      .join(", ")}`
  )
} catch (cause) {
  console.error(station.output())
  throw cause
} finally {
  await station.stop()
  await postgres.stop()
  await provider.close()
  await rm(folder, { recursive: true, force: true })
}
