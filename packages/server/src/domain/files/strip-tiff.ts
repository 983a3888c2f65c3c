import type { FileHandle } from 'node:fs/promises'
import { findUnclaimed, type TiffSurvey } from './tiff-claims.ts'
import {
  type Directory,
  type Entry,
  encodeCount,
  openTiff,
  type Range,
  readBytes,
  readDirectory,
  readEntries,
  readNumbers,
  type Tiff,
  writeBytes,
} from './tiff-directories.ts'
import { isMetadataTag, metadataDirectories, tiffTags } from './tiff-tags.ts'

/**
 * Removes the metadata of a TIFF file in place. Removes entries from their directories and overwrites their values with
 * zeros, unless data that is kept shares the same bytes. The file keeps its length and all other bytes their offsets,
 * so pages, tiles and unknown tags stay valid.
 * Leaves three kinds of files unchanged: those whose directories overlap each other or the pixels, those with
 * implausibly many directories or entries, and raw pictures of cameras, which need their metadata for development.
 */
export async function stripTiff(file: FileHandle, bytes: number): Promise<void> {
  const tiff = await openTiff(file, bytes)
  const survey = tiff && (await surveyTiff(tiff))
  if (!survey) return
  const changing = survey.pictures.filter(({ removed }) => removed > 0)
  const unclaimed = changing.length > 0 ? await findUnclaimed(tiff, survey) : undefined
  if (!unclaimed) return
  for (const range of unclaimed) await zero(tiff, range)
  for (const directory of changing) await removeEntries(tiff, directory)
}

const maxDirectories = 10_000
const maxEntries = 250_000
const maxRanges = 100_000

/** Collects pictures and metadata. Returns `undefined` when the file must not be changed. */
async function surveyTiff(tiff: Tiff): Promise<TiffSurvey | undefined> {
  if ((await readBytes(tiff, 8, 2))?.toString('latin1') === 'CR') return undefined // Canon's raw pictures
  const pictures: TiffSurvey['pictures'][number][] = []
  const metadata: Range[] = []
  const ofPictures: Trail = { waiting: [tiff.firstDirectory], seen: new Set() }
  const ofMetadata: Trail = { waiting: [], seen: new Set() }
  let entriesLeft = maxEntries

  for (let directory = await follow(tiff, ofPictures); directory; directory = await follow(tiff, ofPictures)) {
    let removed = 0
    for await (const entries of readEntries(tiff, directory)) {
      if (isBeyondReason(entries)) return undefined
      for (const entry of entries) {
        if (rawTags.has(entry.tag) && (await isRaw(tiff, entry))) return undefined
        if (entry.tag === tiffTags.subDirectories) await note(tiff, ofPictures, entry)
        if (!isMetadataTag(entry.tag)) continue
        removed++
        await condemn(entry)
      }
    }
    pictures.push({ ...directory, removed })
    ofPictures.waiting.push(directory.next)
  }
  for (let directory = await follow(tiff, ofMetadata); directory; directory = await follow(tiff, ofMetadata)) {
    metadata.push([directory.at, directory.end])
    for await (const entries of readEntries(tiff, directory)) {
      if (isBeyondReason(entries)) return undefined
      for (const entry of entries) await condemn(entry)
    }
  }
  return isBeyondReason([]) ? undefined : { pictures, metadata }

  async function condemn(entry: Entry): Promise<void> {
    if (!entry.isInline) metadata.push(entry.values)
    if (metadataDirectories.has(entry.tag)) await note(tiff, ofMetadata, entry)
  }

  function isBeyondReason(entries: readonly Entry[]): boolean {
    entriesLeft -= entries.length
    const isTooMuch = entriesLeft < 0 || metadata.length > maxRanges
    return isTooMuch || [ofPictures, ofMetadata].some(({ seen }) => seen.size > maxDirectories)
  }
}

/** Directories still to be read, and those already read, because some files contain cycles. */
interface Trail {
  waiting: number[]
  seen: Set<number>
}

async function note(tiff: Tiff, { waiting }: Trail, entry: Entry): Promise<void> {
  if (waiting.length <= maxDirectories) waiting.push(...(await readNumbers(tiff, entry, 0, maxDirectories)))
}

async function follow(tiff: Tiff, { waiting, seen }: Trail): Promise<Directory | undefined> {
  for (let at = waiting.pop(); at !== undefined && seen.size <= maxDirectories; at = waiting.pop()) {
    if (at === 0 || seen.has(at)) continue
    seen.add(at)
    const directory = await readDirectory(tiff, at)
    if (directory) return directory
  }
  return undefined
}

const rawTags: ReadonlySet<number> = new Set([tiffTags.dngVersion, tiffTags.cfaPattern, tiffTags.photometric])

/** Returns true when the entry marks a raw sensor picture. */
async function isRaw(tiff: Tiff, entry: Entry): Promise<boolean> {
  if (entry.tag !== tiffTags.photometric) return true
  const [kind] = await readNumbers(tiff, entry, 0, 1)
  return kind === 32803 || kind === 34892
}

const sliceBytes = 64 * 1024

async function zero(tiff: Tiff, [start, end]: Range): Promise<void> {
  for (let at = start; at < end; at += sliceBytes) {
    await writeBytes(tiff, at, Buffer.alloc(Math.min(sliceBytes, end - at)))
  }
}

/** Moves the remaining entries forward in the directory; each entry is read before it is overwritten. */
async function removeEntries(tiff: Tiff, directory: TiffSurvey['pictures'][number]): Promise<void> {
  const next = await readBytes(tiff, directory.end - tiff.widths.offset, tiff.widths.offset)
  const ready = [encodeCount(tiff, directory.count - directory.removed)]
  let at = directory.at
  for await (const entries of readEntries(tiff, directory)) {
    ready.push(...entries.filter(({ tag }) => !isMetadataTag(tag)).map(({ raw }) => raw))
    const bytes = Buffer.concat(ready.splice(0))
    await writeBytes(tiff, at, bytes)
    at += bytes.length
  }
  const end = Buffer.concat([...ready, next ?? Buffer.alloc(0)])
  await writeBytes(tiff, at, end)
  await zero(tiff, [at + end.length, directory.end])
}
