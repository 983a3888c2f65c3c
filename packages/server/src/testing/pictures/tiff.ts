export interface TiffForm {
  order: 'II' | 'MM'
  isBig: boolean
}

export const tiffForms: readonly TiffForm[] = (['II', 'MM'] as const).flatMap((order) => [
  { order, isBig: false },
  { order, isBig: true },
])

/** A field. Numerators and denominators are separate numbers; text gets a final NUL. */
export type TiffField = readonly [
  tag: number,
  type: number,
  value:
    | readonly number[]
    | string
    | Buffer
    /** Stored outside the directory and referenced by an offset. */
    | { readonly directories: readonly (readonly TiffField[])[] }
    | { readonly data: readonly Buffer[] },
]

/** Returns a TIFF with these pages. The data of a page precedes its directory. */
export function makeTiff({ order, isBig }: TiffForm, pages: readonly (readonly TiffField[])[]): Buffer {
  const offsetBytes = isBig ? 8 : 4
  const countBytes = isBig ? 8 : 2
  const pieces: Buffer[] = []
  let end = 0
  const place = (bytes: Buffer): number => {
    if (end % 2 === 1) end += pieces.push(Buffer.alloc(1)) && 1
    pieces.push(bytes)
    end += bytes.length
    return end - bytes.length
  }
  const number = (value: number, width: number) => {
    const bytes = Buffer.alloc(width)
    if (width === 8) bytes.writeBigUInt64BE(BigInt(value))
    else bytes.writeUIntBE(value, 0, width)
    return order === 'II' ? bytes.reverse() : bytes
  }
  const numbers = (values: readonly number[], width: number) => Buffer.concat(values.map((each) => number(each, width)))

  const encode = ([, type, value]: TiffField): Buffer => {
    const width = tiffWidths[type] ?? 1
    if (typeof value === 'string') return Buffer.from(`${value}\0`, 'utf8')
    if (Buffer.isBuffer(value)) return value
    if ('directories' in value)
      return numbers(
        value.directories.map((fields) => directory(fields).at),
        width,
      )
    if ('data' in value) return numbers(value.data.map(place), width)
    return numbers(value, width === 8 && type === 5 ? 4 : width)
  }
  const directory = (fields: readonly TiffField[]): { at: number; next: Buffer } => {
    const entries = fields.map((field) => {
      const bytes = encode(field)
      const inline = Buffer.alloc(offsetBytes)
      bytes.copy(inline)
      const value = bytes.length <= offsetBytes ? inline : number(place(bytes), offsetBytes)
      const count = bytes.length / (tiffWidths[field[1]] ?? 1)
      return Buffer.concat([number(field[0], 2), number(field[1], 2), number(count, offsetBytes), value])
    })
    const at = place(Buffer.concat([number(fields.length, countBytes), ...entries]))
    const next = Buffer.alloc(offsetBytes)
    pieces.push(next)
    end += next.length
    return { at, next }
  }

  place(Buffer.concat([Buffer.from(order), number(isBig ? 43 : 42, 2), ...(isBig ? [number(8, 2), number(0, 2)] : [])]))
  let next: Buffer = Buffer.alloc(offsetBytes)
  pieces.push(next)
  end += next.length
  for (const fields of pages) {
    const made = directory(fields)
    number(made.at, offsetBytes).copy(next)
    next = made.next
  }
  return Buffer.concat(pieces)
}

/** Size in bytes by field type. */
const tiffWidths = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8] as const

interface ReadDirectory {
  at: number
  /** Tag to value, as bytes. */
  values: Map<number, Buffer>
  numbers(tag: number): number[]
}

/** Returns the pages of a valid TIFF. */
export function readTiff(tiff: Buffer): ReadDirectory[] {
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const isBig = tiff[2] === 43 || tiff[3] === 43
  const read = (bytes: Buffer, at: number, width: number) => {
    const part = Buffer.from(bytes.subarray(at, at + width))
    return Number(`0x${(isLittle ? part.reverse() : part).toString('hex')}`)
  }
  const [offsetBytes, countBytes] = isBig ? [8, 8] : [4, 2]
  const pages: ReadDirectory[] = []
  for (let at = read(tiff, isBig ? 8 : 4, offsetBytes); at > 0; ) {
    const values = new Map<number, Buffer>()
    const types = new Map<number, number>()
    const count = read(tiff, at, countBytes)
    const entryBytes = 4 + 2 * offsetBytes
    for (let index = 0; index < count; index++) {
      const entry = at + countBytes + index * entryBytes
      const [tag, type] = [read(tiff, entry, 2), read(tiff, entry + 2, 2)]
      const length = read(tiff, entry + 4, offsetBytes) * (tiffWidths[type] ?? 0)
      const inline = entry + 4 + offsetBytes
      const start = length <= offsetBytes ? inline : read(tiff, inline, offsetBytes)
      values.set(tag, tiff.subarray(start, start + length))
      types.set(tag, type)
    }
    const numbers = (tag: number) => {
      const [bytes = Buffer.alloc(0), width = 1] = [values.get(tag), tiffWidths[types.get(tag) ?? 1]]
      return Array.from({ length: bytes.length / width }, (_, index) => read(bytes, index * width, width))
    }
    pages.push({ at, values, numbers })
    at = read(tiff, at + countBytes + count * entryBytes, offsetBytes)
  }
  return pages
}
