import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import { WrongFeed } from './feed.ts'

/** JSON of an advisory. */
export interface AdvisoryText {
  /** Number of its line, or name of its file in an archive or a folder. */
  place: number | string
  text: string
}

/** Limits of an archive or a folder with a file for each advisory. The defaults exceed the dump of all ecosystems. */
export interface AdvisoryLimits {
  files: number
  bytesPerFile: number
  /** Sum of all files, after decompression. */
  bytes: number
}

export const advisoryLimits: AdvisoryLimits = { files: 2_000_000, bytesPerFile: 16 * 2 ** 20, bytes: 64 * 2 ** 30 }

/** Files whose names begin with a dot are those of programs, such as the ones that macOS adds to archives. */
export const isAdvisoryName = (name: string) => name.toLowerCase().endsWith('.json') && !basename(name).startsWith('.')

/** Returns a function that adds a file of this size and throws `WrongFeed` beyond the limits. */
export function limitedFiles(limits: AdvisoryLimits): (name: string, size: number) => void {
  let files = 0
  let bytes = 0
  return (name, size) => {
    files += 1
    bytes += size
    if (size > limits.bytesPerFile) throw tooLarge(name, limits)
    if (files > limits.files) throw new WrongFeed(`there are more than ${limits.files} files`, name)
    if (bytes > limits.bytes) throw new WrongFeed(`the files are larger than ${limits.bytes} bytes together`, name)
  }
}

/** Reads a whole file into memory. Throws `WrongFeed` when it is larger than the limit. */
export async function readBytes(stream: Readable, name: string, limits: AdvisoryLimits): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limits.bytesPerFile) throw tooLarge(name, limits)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}

export function textOf(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new WrongFeed('the text is not UTF-8', name)
  }
}

const tooLarge = (name: string, { bytesPerFile }: AdvisoryLimits) =>
  new WrongFeed(`the file is larger than ${bytesPerFile} bytes`, name)
