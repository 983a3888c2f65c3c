import { crc32 } from 'node:zlib'
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl'
import {
  type AdvisoryLimits,
  type AdvisoryText,
  isAdvisoryName,
  limitedFiles,
  readBytes,
  textOf,
} from './advisory-file.ts'
import { WrongFeed } from './feed.ts'

/** Recognises a zip archive by its first four bytes. */
export const isArchive = (head: Buffer) => head.length === 4 && [0x504b0304, 0x504b0506].includes(head.readUInt32BE())

/** Reads the `.json` files of a zip archive one by one. Throws `WrongFeed` if it is damaged or exceeds the limits. */
export async function* readArchive(path: string, limits: AdvisoryLimits): AsyncGenerator<AdvisoryText, void> {
  // Names are decoded here, because yauzl rejects those that would be written outside of a folder. Nothing is written.
  const archive = await openPromise(path, { decodeStrings: false }).catch(unreadable())
  try {
    const add = limitedFiles(limits)
    const entries = archive.eachEntry()
    let isEmpty = true
    for (;;) {
      const { value: entry, done } = await entries.next().catch(unreadable())
      if (done) break
      const name = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false)
      if (!isAdvisoryName(name)) continue
      isEmpty = false
      add(name, entry.uncompressedSize)
      yield { place: name, text: textOf(await readEntry(archive, entry, name, limits), name) }
    }
    if (isEmpty) throw new WrongFeed('the archive has no JSON files')
  } finally {
    archive.close()
  }
}

async function readEntry(archive: ZipFile, entry: Entry, name: string, limits: AdvisoryLimits): Promise<Buffer> {
  if (entry.isEncrypted()) throw new WrongFeed('the file is encrypted', name)
  // The stream fails when the file has another size than the archive states.
  const stream = await archive.openReadStreamPromise(entry).catch(unreadable(name))
  const bytes = await readBytes(stream, name, limits).catch(unreadable(name))
  if (crc32(bytes) !== entry.crc32) throw new WrongFeed('the file is damaged: its checksum differs', name)
  return bytes
}

/** yauzl reports a wrong archive as a plain error; errors of the operating system name a system call. */
function unreadable(name?: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof WrongFeed || !(error instanceof Error) || 'syscall' in error) throw error
    throw new WrongFeed(`the archive cannot be read: ${error.message}`, name)
  }
}
