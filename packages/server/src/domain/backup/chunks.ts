import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { crc32, gunzip, gzip } from 'node:zlib'
import { BackupProblem, type Chunk } from './backup.ts'
import type { BackupStore } from './backup-store.ts'

/** Maximum size of the text of a chunk, unless one line is longer. */
const maxChunkBytes = 4 * 1024 * 1024
/** Average number of lines in a chunk. */
const averageLines = 4096

/** Line of a chunk. `identity` is the part that stays when the content changes. */
export interface Line {
  identity: string
  text: string
}

/**
 * Writes lines as chunks. A chunk ends where the checksum of an identity is divisible by a number, so a changed line
 * changes one chunk, and a new line moves no other border.
 */
export async function writeChunks(
  store: BackupStore,
  lines: AsyncIterable<readonly Line[]>,
): Promise<{ sha256: string; chunks: Chunk[]; lines: number }> {
  const whole = createHash('sha256')
  const chunks: Chunk[] = []
  let texts: string[] = []
  let bytes = 0
  let count = 0
  const end = async () => {
    if (texts.length === 0) return
    const text = Buffer.from(texts.join(''))
    texts = []
    bytes = 0
    whole.update(text)
    chunks.push(await writeChunk(store, text))
  }
  for await (const batch of lines) {
    for (const { identity, text } of batch) {
      texts.push(text, '\n')
      bytes += text.length
      count++
      if (bytes >= maxChunkBytes || crc32(identity) % averageLines === 0) await end()
    }
  }
  await end()
  return { sha256: whole.digest('hex'), chunks, lines: count }
}

async function writeChunk(store: BackupStore, text: Buffer): Promise<Chunk> {
  const sha256 = createHash('sha256').update(text).digest('hex')
  const known = store.knownChunk(sha256)
  if (known) return known
  const compressed = await promisify(gzip)(text)
  await store.putChunk(sha256, compressed)
  return { sha256, bytes: compressed.length }
}

/** Reads the lines of chunks, and checks every hash. */
export async function* readChunks(
  store: BackupStore,
  { chunks, sha256 }: { chunks: readonly Chunk[]; sha256: string },
): AsyncGenerator<string[]> {
  const whole = createHash('sha256')
  for (const chunk of chunks) {
    const text = await readChunk(store, chunk)
    whole.update(text)
    // Every line ends with a line feed.
    yield text.toString().split('\n').slice(0, -1)
  }
  if (whole.digest('hex') !== sha256) throw new BackupProblem('the chunks of a table are not those of its hash')
}

async function readChunk(store: BackupStore, { sha256 }: Chunk): Promise<Buffer> {
  const name = `the object chunks/${sha256} of ${store.place}`
  const stored = await store.readChunk(sha256)
  if (!stored) throw new BackupProblem(`${name} is missing`)
  const text = await promisify(gunzip)(stored).catch((error: Error) => {
    throw new BackupProblem(`${name} is damaged (${error.message})`)
  })
  if (createHash('sha256').update(text).digest('hex') !== sha256) {
    throw new BackupProblem(`${name} is damaged: its content is not that of its hash`)
  }
  return text
}
