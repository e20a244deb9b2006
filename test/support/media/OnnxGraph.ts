/**
 * ONNX files from a few lines: the graphs of the tests' models are small enough to be written by hand, field by field, as protocol buffers
 * (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
 */

export const dataTypes = { float: 1, int32: 6, int64: 7, bool: 9 } as const
export type DataType = keyof typeof dataTypes

/** An edge of the graph. */
export type Edge = string & { readonly edge?: true }

type Attribute = number | string | ReadonlyArray<number> | { readonly float: number }

const varint = (value: number | bigint): Buffer => {
  const bytes: Array<number> = []
  let rest = BigInt.asUintN(64, BigInt(value))
  do {
    const low = Number(rest & 0x7fn)
    rest >>= 7n
    bytes.push(rest === 0n ? low : low | 0x80)
  } while (rest !== 0n)
  return Buffer.from(bytes)
}
const number = (field: number, value: number | bigint) => Buffer.concat([varint(field << 3), varint(value)])
const block = (field: number, content: Buffer | string) => {
  const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content
  return Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes])
}
const float32 = (field: number, value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return Buffer.concat([varint((field << 3) | 5), bytes])
}

const attribute = (name: string, value: Attribute): Buffer => {
  const head = block(1, name)
  if (typeof value === "number") return Buffer.concat([head, number(3, value), number(20, 2)])
  if (typeof value === "string") return Buffer.concat([head, block(4, value), number(20, 3)])
  if ("float" in value) return Buffer.concat([head, float32(2, value.float), number(20, 1)])
  return Buffer.concat([head, ...value.map((each) => number(8, each)), number(20, 7)])
}

const encodeRaw = (type: DataType, values: ReadonlyArray<number>): Buffer => {
  if (type === "float") return Buffer.from(Float32Array.from(values).buffer)
  if (type === "int64") return Buffer.from(BigInt64Array.from(values, BigInt).buffer)
  if (type === "int32") return Buffer.from(Int32Array.from(values).buffer)
  return Buffer.from(Uint8Array.from(values))
}

type Shape = ReadonlyArray<number | string>

const valueInfo = (name: string, type: DataType, shape: Shape): Buffer => {
  const dims = shape.map((dim) => block(1, typeof dim === "number" ? number(1, dim) : block(2, dim)))
  const tensor = Buffer.concat([number(1, dataTypes[type]), block(2, Buffer.concat(dims))])
  return Buffer.concat([block(1, name), block(2, block(1, tensor))])
}

export interface Graph {
  readonly input: (name: string, type: DataType, shape: Shape) => Edge
  readonly constant: (type: DataType, dims: ReadonlyArray<number>, values: ReadonlyArray<number>) => Edge
  readonly op: (kind: string, inputs: ReadonlyArray<Edge>, attributes?: Record<string, Attribute>) => Edge
  readonly output: (name: string, type: DataType, shape: Shape, from: Edge) => void
}

/** The file of a model; `metadata` is what sherpa-onnx reads beside the graph. */
export const onnxModel = (metadata: Record<string, string | number>, build: (graph: Graph) => void): Buffer => {
  const parts: Array<Buffer> = []
  let edges = 0
  const node = (kind: string, inputs: ReadonlyArray<Edge>, output: string, attributes: Record<string, Attribute>) => {
    parts.push(
      block(
        1,
        Buffer.concat([
          ...inputs.map((input) => block(1, input)),
          block(2, output),
          block(3, `${kind}_${output}`),
          block(4, kind),
          ...Object.entries(attributes).map(([name, value]) => block(5, attribute(name, value)))
        ])
      )
    )
    return output
  }
  build({
    input: (name, type, shape) => {
      parts.push(block(11, valueInfo(name, type, shape)))
      return name
    },
    constant: (type, dims, values) => {
      const name = `c${++edges}`
      parts.push(
        block(
          5,
          Buffer.concat([
            ...dims.map((dim) => number(1, dim)),
            number(2, dataTypes[type]),
            block(8, name),
            block(9, encodeRaw(type, values))
          ])
        )
      )
      return name
    },
    op: (kind, inputs, attributes = {}) => node(kind, inputs, `e${++edges}`, attributes),
    output: (name, type, shape, from) => {
      node("Identity", [from], name, {})
      parts.push(block(12, valueInfo(name, type, shape)))
    }
  })
  return Buffer.concat([
    number(1, 8),
    block(2, "longwave-test"),
    block(7, Buffer.concat([block(2, "tiny"), ...parts])),
    block(8, Buffer.concat([block(1, ""), number(2, 13)])),
    ...Object.entries(metadata).map(([key, value]) =>
      block(14, Buffer.concat([block(1, key), block(2, String(value))]))
    )
  ])
}
