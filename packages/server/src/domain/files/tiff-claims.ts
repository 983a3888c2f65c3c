import {
  type Directory,
  type Entry,
  type Range,
  readBytes,
  readEntries,
  readNumbers,
  type Tiff,
} from './tiff-directories.ts'
import { isMetadataTag, tiffTags } from './tiff-tags.ts'

/** Parts of a TIFF file that are kept and removed. */
export interface TiffSurvey {
  /** Directories of the pictures, with the number of entries to remove from each. */
  readonly pictures: readonly (Directory & { readonly removed: number })[]
  /** Byte ranges of the metadata. */
  readonly metadata: readonly Range[]
}

/**
 * Returns the byte ranges that contain only metadata. Returns `undefined` when the file cannot be changed safely: its
 * directories overlap each other, or pixels overlap a directory that loses entries.
 */
export async function findUnclaimed(tiff: Tiff, { pictures, metadata }: TiffSurvey): Promise<Range[] | undefined> {
  const directories = sorted(pictures.map(({ at, end }) => [at, end] as const))
  if (directories.some(([start], index) => start < (directories[index - 1]?.[1] ?? 0))) return undefined
  const changing = sorted(pictures.filter(({ removed }) => removed > 0).map(({ at, end }) => [at, end] as const))
  const candidates = merged(metadata)
  // Differences in the number of claims between neighbouring ranges, so that a claim costs two updates however many
  // ranges it covers.
  const claims = new Int32Array(candidates.length + 1)
  const claim = (range: Range) => {
    const [first, end] = overlapping(candidates, range)
    claims[first] = (claims[first] ?? 0) + 1
    claims[end] = (claims[end] ?? 0) - 1
  }
  const isOnChanging = (range: Range) => {
    const [first, end] = overlapping(changing, range)
    return first < end
  }

  claim([0, tiff.headerBytes])
  directories.forEach(claim)
  let pixelRangesLeft = tiff.bytes / leastRangeBytes
  for (const directory of pictures) {
    const pixelEntries = new Map<number, Entry>()
    for await (const entries of readEntries(tiff, directory)) {
      for (const entry of entries.filter(({ tag }) => !isMetadataTag(tag))) {
        if (!pixelEntries.has(entry.tag) && pixelTags.has(entry.tag)) pixelEntries.set(entry.tag, entry)
        if (entry.isInline) continue
        if (isOnChanging(entry.values)) return undefined
        claim(entry.values)
      }
    }
    for await (const ranges of pixelRanges(tiff, pixelEntries, directories)) {
      pixelRangesLeft -= ranges.length
      if (pixelRangesLeft < 0 || ranges.some(isOnChanging)) return undefined
      ranges.forEach(claim)
    }
    for (const range of await jpegTables(tiff, pixelEntries)) claim(range)
  }

  let open = 0
  return candidates.filter((_, index) => {
    open += claims[index] ?? 0
    return open === 0
  })
}

const pixelPairs = [
  [tiffTags.stripOffsets, tiffTags.stripByteCounts],
  [tiffTags.tileOffsets, tiffTags.tileByteCounts],
  [tiffTags.jpegOffset, tiffTags.jpegBytes],
] as const
const tableTags = [tiffTags.jpegQuantisation, tiffTags.jpegHuffmanDc, tiffTags.jpegHuffmanAc] as const
const pixelTags: ReadonlySet<number> = new Set([...pixelPairs.flat(), ...tableTags])

/** Minimum number of bytes that refer to a strip or tile. A file with more references must repeat ranges. */
const leastRangeBytes = 6
const rangesAtOnce = 4096

async function* pixelRanges(
  tiff: Tiff,
  entries: ReadonlyMap<number, Entry>,
  directories: readonly Range[],
): AsyncGenerator<Range[]> {
  for (const [startTag, lengthTag] of pixelPairs) {
    const [starts, lengths] = [entries.get(startTag), entries.get(lengthTag)]
    for (let first = 0; starts && first < starts.count; first += rangesAtOnce) {
      const found = await readNumbers(tiff, starts, first, rangesAtOnce)
      if (found.length === 0) break
      const sizes = lengths ? await readNumbers(tiff, lengths, first, rangesAtOnce) : []
      yield found.map((start, index) => {
        const size = sizes[index]
        // Old writers omitted the lengths: such a range ends at the next directory.
        const end = size === undefined ? directories[overlapping(directories, [start, start])[0]]?.[0] : start + size
        return [start, Math.min(end ?? tiff.bytes, tiff.bytes)]
      })
    }
  }
}

/** Ranges of the tables of old-style JPEG in TIFF: 64 bytes, or 16 counts followed by that many codes. */
async function jpegTables(tiff: Tiff, entries: ReadonlyMap<number, Entry>): Promise<Range[]> {
  const ranges: Range[] = []
  for (const tag of tableTags) {
    const entry = entries.get(tag)
    for (const start of entry ? await readNumbers(tiff, entry, 0, 4) : []) {
      const counts = tag === tiffTags.jpegQuantisation ? undefined : await readBytes(tiff, start, 16)
      ranges.push([start, start + (counts ? counts.reduce((sum, count) => sum + count, 16) : 64)])
    }
  }
  return ranges
}

function sorted(ranges: readonly Range[]): Range[] {
  return ranges.toSorted((one, other) => one[0] - other[0])
}

/** Merges overlapping ranges. */
function merged(ranges: readonly Range[]): Range[] {
  const result: Range[] = []
  for (const [start, end] of sorted(ranges)) {
    const last = result.at(-1)
    if (start >= end) continue
    if (last && start < last[1]) result[result.length - 1] = [last[0], Math.max(last[1], end)]
    else result.push([start, end])
  }
  return result
}

/**
 * Returns the indices (first inclusive, last exclusive) of the ranges that overlap the given one. The ranges must be
 * sorted and disjoint.
 */
function overlapping(ranges: readonly Range[], [start, end]: Range): [first: number, end: number] {
  const first = firstIndex(ranges, (range) => range[1] > start)
  return [first, start < end ? firstIndex(ranges, (range) => range[0] >= end) : first]
}

function firstIndex(ranges: readonly Range[], isBehind: (range: Range) => boolean): number {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >> 1
    const range = ranges[middle]
    if (range && isBehind(range)) high = middle
    else low = middle + 1
  }
  return low
}
