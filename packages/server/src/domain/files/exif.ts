/** EXIF data that affects how a picture is displayed. All other EXIF data describes people, places and devices. */
export interface Exif {
  /** Rotation and mirroring, 1 to 8. */
  orientation?: number
  resolution?: Resolution
}

export interface Resolution {
  x: Fraction
  y: Fraction
  /** Unit: 1 none (only the ratio matters), 2 inch, 3 centimetre. */
  unit: number
}

type Fraction = readonly [numerator: number, denominator: number]

const tags = { orientation: 0x0112, xResolution: 0x011a, yResolution: 0x011b, resolutionUnit: 0x0128 } as const
const types = { short: 3, rational: 5 } as const
const signature = Buffer.from('Exif\0\0', 'latin1')

export function isExif(segment: Buffer): boolean {
  return segment.subarray(0, 5).equals(signature.subarray(0, 5))
}

/** Parses the content of a JPEG's EXIF segment. Treats invalid entries as absent. */
export function readExif(segment: Buffer): Exif {
  const tiff = segment.subarray(signature.length)
  const order = tiff.toString('latin1', 0, 2)
  if (order !== 'II' && order !== 'MM') return {}
  const read = (at: number, bytes: number) => {
    if (at + bytes > tiff.length) return undefined
    return order === 'II' ? tiff.readUIntLE(at, bytes) : tiff.readUIntBE(at, bytes)
  }
  const entries = read(2, 2) === 42 ? readEntries(read) : new Map<number, EntryAt>()

  const short = (tag: number) => {
    const entry = entries.get(tag)
    return entry?.type === types.short && entry.count === 1 ? read(entry.at, 2) : undefined
  }
  const rational = (tag: number): Fraction | undefined => {
    const entry = entries.get(tag)
    if (entry?.type !== types.rational || entry.count !== 1) return undefined
    const at = read(entry.at, 4) ?? 0
    const fraction = [read(at, 4) ?? 0, read(at + 4, 4) ?? 0] as const
    return fraction[0] > 0 && fraction[1] > 0 ? fraction : undefined
  }

  const orientation = short(tags.orientation) ?? 0
  const x = rational(tags.xResolution)
  const y = rational(tags.yResolution)
  const unit = short(tags.resolutionUnit) ?? 2
  return {
    ...(orientation >= 1 && orientation <= 8 && { orientation }),
    ...(x && y && unit >= 1 && unit <= 3 && { resolution: { x, y, unit } }),
  }
}

interface EntryAt {
  type: number
  count: number
  /** Offset of the value, or of the pointer to the value. */
  at: number
}

function readEntries(read: (at: number, bytes: number) => number | undefined): Map<number, EntryAt> {
  const entries = new Map<number, EntryAt>()
  const directory = read(4, 4) ?? 0
  const count = read(directory, 2) ?? 0
  for (let index = 0; index < count; index++) {
    const at = directory + 2 + index * 12
    const [tag, type, values] = [read(at, 2), read(at + 2, 2), read(at + 4, 4)]
    if (tag === undefined || type === undefined || values === undefined) break
    if (!entries.has(tag)) entries.set(tag, { type, count: values, at: at + 8 })
  }
  return entries
}

/** Returns a JPEG's EXIF segment, including its marker, that contains only these values; `undefined` if there are none. */
export function writeExif(exif: Exif): Buffer | undefined {
  const tiff = writeExifData(exif)
  if (!tiff) return undefined
  const marker = Buffer.from([0xff, 0xe1, 0, 0])
  marker.writeUInt16BE(2 + signature.length + tiff.length, 2)
  return Buffer.concat([marker, signature, tiff])
}

/** Returns EXIF data that contains only these values; `undefined` if there are none. */
export function writeExifData({ orientation, resolution }: Exif): Buffer | undefined {
  const rationals = resolution ? [resolution.x, resolution.y] : []
  const count = (orientation ? 1 : 0) + (resolution ? 3 : 0)
  if (count === 0) return undefined
  const valuesAt = 8 + 2 + count * 12 + 4
  const tiff = Buffer.alloc(valuesAt + rationals.length * 8)
  tiff.write('MM\0*\0\0\0\x08', 'latin1')
  tiff.writeUInt16BE(count, 8)

  let at = 10
  const entry = (tag: number, type: number, write: (at: number) => void) => {
    tiff.writeUInt16BE(tag, at)
    tiff.writeUInt16BE(type, at + 2)
    tiff.writeUInt32BE(1, at + 4)
    write(at + 8)
    at += 12
  }
  if (orientation) entry(tags.orientation, types.short, (at) => tiff.writeUInt16BE(orientation, at))
  if (resolution) {
    entry(tags.xResolution, types.rational, (at) => tiff.writeUInt32BE(valuesAt, at))
    entry(tags.yResolution, types.rational, (at) => tiff.writeUInt32BE(valuesAt + 8, at))
    entry(tags.resolutionUnit, types.short, (at) => tiff.writeUInt16BE(resolution.unit, at))
  }
  for (const [index, number] of rationals.flat().entries()) tiff.writeUInt32BE(number, valuesAt + index * 4)
  return tiff
}

export function isSameResolution(one: Resolution, other: Resolution): boolean {
  const isSame = (a: Fraction, b: Fraction) => BigInt(a[0]) * BigInt(b[1]) === BigInt(b[0]) * BigInt(a[1])
  return one.unit === other.unit && isSame(one.x, other.x) && isSame(one.y, other.y)
}
