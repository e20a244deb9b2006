/**
 * Loaded into a station's process before its program (`--import`, by NODE_OPTIONS): sets its clock back by UPGRADE_BEHIND_MS.
 * Every thread of the process gets it, and `restore` does the same for the database.
 */
const behindMs = Number(process.env["UPGRADE_BEHIND_MS"])
const now = Date.now.bind(Date)

if (Number.isFinite(behindMs)) {
  Date.now = () => now() - behindMs
  globalThis.Date = new Proxy(Date, {
    construct: (target, given: ReadonlyArray<unknown>, asked) =>
      Reflect.construct(target, given.length === 0 ? [now() - behindMs] : given, asked) as Date,
    apply: (target) => new target(now() - behindMs).toString()
  })
}
