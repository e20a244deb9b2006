const limits = /^engine\/rules\/\w+\/limits\.ts$/
const config = /^engine\/runtime\/Config\.ts$/
const messages = /^actors\/\w+\/protocol(\/|\.ts$)/
const bus = /^actors\/runtime\/EventBus\.ts$/
const schema = /^schema\//

/** Files of each floor, and the folders that they may import. The first matching entry counts. */
export const floors: ReadonlyArray<{ readonly of: RegExp; readonly may: ReadonlyArray<RegExp> }> = [
  { of: schema, may: [schema] },
  { of: /^engine\/rules\//, may: [schema, /^engine\/rules\//] },
  { of: /^engine\/ports\//, may: [schema, /^engine\/ports\//] },
  { of: /^engine\/runtime\//, may: [schema, /^engine\/(ports|runtime)\//, limits] },
  { of: /^engine\/store\//, may: [schema, /^engine\/(rules|store)\//, config] },
  { of: /^media\//, may: [schema, /^media\//, /^engine\/ports\//, limits, config] },
  { of: messages, may: [schema, messages] },
  { of: /^actors\//, may: [schema, /^engine\//, /^actors\//] },
  { of: /^http\/api\//, may: [schema, /^http\/api\//, limits] },
  {
    of: /^http\/handlers\//,
    may: [
      schema,
      /^http\/(api|handlers|views|stream\/events)\//,
      /^http\/Send\.ts$/,
      messages,
      bus,
      /^engine\/(store|rules)\//
    ]
  },
  { of: /^http\/pages\//, may: [schema, /^http\/pages\//] },
  // Main, the modules that it loads on demand, and the edge's own main.
  { of: /^http\/(main|App|Edge|OperatorReset|VerifyAsRun)\.ts$/, may: [/./] },
  // An edge has neither database nor actors.
  { of: /^http\/edge\//, may: [schema, /^http\/(edge|fastpath|server|stream)\//, /^engine\/(ports|rules|runtime)\//] },
  {
    of: /^http\/(auth|docs|envelope|fastpath|files|html|mcp|server|simulation|stream|views)\//,
    may: [
      schema,
      /^http\/(api|auth|docs|envelope|fastpath|files|html|mcp|server|simulation|stream|views)\//,
      /^http\/Send\.ts$/,
      messages,
      bus,
      /^engine\//
    ]
  },
  {
    of: /^http\/[A-Z]\w+\.ts$/,
    may: [schema, /^http\/(?!edge\/|pages\/|(main|App|Edge|OperatorReset|VerifyAsRun)\.ts)/, messages, bus, /^engine\//]
  },
  // Code that both a test and a bench need is an instrument.
  { of: /^bench\//, may: [/^(?!test\/)/] },
  { of: /^test\//, may: [/^(?!bench\/(?!instruments|peers))/] },
  { of: /^[\w.]+\.config\.ts$/, may: [/^$/] }
]
