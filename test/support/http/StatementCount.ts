import { Context, Effect, Layer, Option, Tracer } from "effect"
import { HttpMiddleware } from "effect/http"

/** What one request cost the database. */
export interface Cost {
  readonly statements: number
  /** A statement outside of a transaction counts as one. */
  readonly transactions: number
  /** Further statements whose result is kept for other requests. */
  readonly shared: number
  /** The statements in their order, with the names of the spans around them. */
  readonly texts: ReadonlyArray<string>
}

interface Counted {
  readonly request: string
  transactions: number
  shared: number
  readonly texts: Array<string>
}

const prefix = "request "
/** Reads that are kept for a while and shared by many requests, and the note once a minute that a key is in use: which request pays is chance. */
const isShared = (text: string) =>
  /FROM agent_keys k JOIN agents a|^\s*SELECT a\.id, a\.persona.*FROM agents a WHERE a\.(id|handle) = \$1\s*$|FROM signing_keys|SELECT weight FROM ranks|ORDER BY \(v\.entry->>'claimable'|FROM stations$|INTO stations|UPDATE agent_keys SET last_used_at/s.test(
    text
  )
const isTransaction = (span: Tracer.AnySpan) => span._tag === "Span" && span.name === "sql.transaction"
const ancestorsOf = (span: Tracer.Span): ReadonlyArray<Tracer.AnySpan> => {
  const all: Array<Tracer.AnySpan> = []
  for (let one = Option.getOrUndefined(span.parent); one !== undefined;) {
    all.push(one)
    one = one._tag === "Span" ? Option.getOrUndefined(one.parent) : undefined
  }
  return all
}

/** Counts the statements of each request by its trace, which goes along with messages to actors. Work that nobody awaits has a trace of its own. */
export class StatementCount extends Context.Service<
  StatementCount,
  {
    /** Cost of the last request to an operation, by method and path with `{parameters}`. */
    readonly lastOf: (method: string, path: string) => Cost | null
    readonly clear: () => void
  }
>()("longwave/test/StatementCount") {
  static readonly layer = Layer.effectContext(
    Effect.sync(() => {
      const byTrace = new Map<string, Counted>()
      class Counting extends Tracer.NativeSpan {
        constructor(options: ConstructorParameters<typeof Tracer.NativeSpan>[0]) {
          super(options)
          if (options.name.startsWith(prefix))
            byTrace.set(this.traceId, {
              request: options.name.slice(prefix.length),
              transactions: 0,
              shared: 0,
              texts: []
            })
          if (isTransaction(this)) this.#begin()
        }
        #begin() {
          // A transaction in another is a savepoint: two more statements.
          if (ancestorsOf(this).some(isTransaction)) byTrace.get(this.traceId)?.texts.push("SAVEPOINT", "RELEASE")
          else this.#cost(1)
        }
        #cost(transactions: number) {
          const counted = byTrace.get(this.traceId)
          if (counted !== undefined) counted.transactions += transactions
        }
        override attribute(key: string, value: unknown): void {
          super.attribute(key, value)
          const counted = byTrace.get(this.traceId)
          if (counted === undefined || key !== "db.query.text") return
          if (isShared(String(value))) return void counted.shared++
          const around = ancestorsOf(this)
          counted.texts.push(
            `${around.map((span) => (span._tag === "Span" ? span.name : "message")).join(" < ")}\n    ${String(value).replaceAll(/\s+/g, " ")}`
          )
          if (!around.some(isTransaction)) this.#cost(1)
        }
      }
      return Context.make(
        StatementCount,
        StatementCount.of({
          lastOf: (method, path) => {
            const pattern = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`)
            const found = [...byTrace.values()].findLast(({ request }) => pattern.test(request))
            return found === undefined
              ? null
              : {
                  statements: found.texts.length,
                  transactions: found.transactions,
                  shared: found.shared,
                  texts: found.texts
                }
          },
          clear: () => byTrace.clear()
        })
      ).pipe(
        Context.add(Tracer.Tracer, Tracer.make({ span: (options) => new Counting(options) })),
        Context.add(HttpMiddleware.SpanNameGenerator, ({ method, url }) => `${prefix}${method} ${url.split("?")[0]}`)
      )
    })
  )
}
