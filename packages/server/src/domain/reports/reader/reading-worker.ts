import { MessageChannel, parentPort, type Transferable } from 'node:worker_threads'
import { receiveAll, receiveOne, sendAll } from '../../../platform/port-stream.ts'
import { openBufferCollector, openGarbageCollector } from '../../../platform/v8-flags.ts'
import type { ReportedDependency } from '../../dependencies/dependency.ts'
import { type ImportedEntry, type IsStored, importedFrom } from '../comparison/imported-finding.ts'
import { hashKey } from '../comparison/key-table.ts'
import { findContents } from '../comparison/stored-contents.ts'
import { collectEntries, type EntryCollector, type FindEntry, indexEntries } from './cached-entries.ts'
import { isCached, type ReadEntry } from './read-entries.ts'
import { readReport } from './read-report.ts'
import type { Known, ReadingJob, ReadingMessage, ReadingRequest } from './reading-messages.ts'
import { Unreadable } from './unreadable.ts'

/** Number of batches read ahead while an earlier one is imported. */
const batchesAhead = 6

/** Minimum size of a report after which all garbage is collected. */
const largeBytes = 16 * 1024 * 1024
const collectGarbage = openGarbageCollector()
const collectBuffers = openBufferCollector()
/** Number of bytes of the current report. */
let bytesRead = 0

async function* withGarbageCollection(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    const { byteLength } = chunk
    yield chunk
    bytesRead += byteLength
    collectBuffers(byteLength)
  }
}

/** Number of findings in a message. */
const findingsPerMessage = 50
/** Size of the entries after which a message is sent, because single ones may be large. */
const charactersPerMessage = 2 * 1024 * 1024

async function* importedBatches(
  batches: AsyncIterable<readonly ReadEntry[]>,
  isStored: IsStored | undefined,
  entries: EntryCollector | undefined,
): AsyncGenerator<ImportedEntry[]> {
  let imported: ImportedEntry[] = []
  let characters = 0
  for await (const batch of batches) {
    for (const entry of batch) {
      if (isCached(entry)) {
        const { uuid, digest, entryHash } = entry
        imported.push({ uuid, digest, isUnchanged: true })
        entries?.add(entryHash, entry)
        continue
      }
      const finding = importedFrom(entry, isStored)
      const { entryHash, keys, rawMetadata } = entry
      if (entryHash) entries?.add(entryHash, { ...finding, keys: keys.map(hashKey) })
      imported.push(finding)
      characters += rawMetadata.length
    }
    if (imported.length < findingsPerMessage && characters < charactersPerMessage) continue
    yield imported
    imported = []
    characters = 0
  }
  if (imported.length > 0) yield imported
}

/** Returns a function that finds cached entries whose findings are stored and unchanged. */
function cachedEntryFinder(cachedEntries: Known['cachedEntries'], isStored: IsStored | undefined): FindEntry {
  if (!cachedEntries || !isStored) return () => undefined
  const find = indexEntries(cachedEntries)
  return (hash) => {
    const entry = find(hash)
    return entry && isStored(entry.uuid, entry.digest) ? entry : undefined
  }
}

const buffersOf = (message: ReadingMessage): Transferable[] =>
  'cachedEntries' in message && message.cachedEntries ? [message.cachedEntries.buffer] : []

/** Builds the lookups of what is stored. Does not retain `stored`, which is as large as its lookup. */
function indexKnown({ stored, cachedEntries }: Known): { isStored: IsStored | undefined; findCached: FindEntry } {
  const isStored = stored && findContents(stored)
  return { isStored, findCached: cachedEntryFinder(cachedEntries, isStored) }
}

const emptyLookups = indexKnown({ stored: undefined, cachedEntries: undefined })

const dependenciesPerMessage = 500

function* dependencyMessages(all: readonly ReportedDependency[]): Generator<ReadingMessage> {
  for (let start = 0; start === 0 || start < all.length; start += dependenciesPerMessage) {
    const end = start + dependenciesPerMessage
    yield { dependencies: all.slice(start, end), isLast: end >= all.length }
  }
}

// Runs in a worker thread: see reading-thread.ts.
parentPort?.on('message', async ({ options, hasStored, cachesEntries, requests, messages }: ReadingJob) => {
  let isOver = false
  bytesRead = 0
  // The consumer has closed the port. The process exits, because there is no other way to stop in the middle of a step.
  messages.on('close', () => isOver || process.exit())
  const sendRequest = (
    request: { open: true } | { known: { entryContext: string | undefined } } | { image: string },
  ) => {
    const { port1: answer, port2 } = new MessageChannel()
    requests.postMessage({ ...request, answer } satisfies ReadingRequest, [answer])
    return port2
  }
  const { checksImages, ...rest } = options
  const isImageKnown = checksImages ? (image: string) => receiveOne<boolean>(sendRequest({ image })) : undefined
  const readMessages = async function* (): AsyncGenerator<ReadingMessage> {
    const read = await readReport(() => withGarbageCollection(receiveAll<Uint8Array>(sendRequest({ open: true }))), {
      ...rest,
      isImageKnown,
    })
    if ('problems' in read) {
      yield read
      return
    }
    const { header, inventory, batches, outcome } = read.reading
    const entryContext = cachesEntries ? read.reading.entryContext : undefined
    const { isStored, findCached } = hasStored
      ? indexKnown(await receiveOne<Known>(sendRequest({ known: { entryContext } })))
      : emptyLookups
    const entries = entryContext === undefined ? undefined : collectEntries()
    yield { header, inventorySource: inventory?.source, entryContext }
    if (inventory) yield* dependencyMessages(inventory.dependencies)
    try {
      for await (const batch of importedBatches(batches(entries && findCached), isStored, entries)) yield { batch }
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      yield { unreadable: error.problem }
      return
    }
    yield { outcome: outcome(), cachedEntries: entries?.packed() }
  }
  try {
    await sendAll(messages, readMessages(), { ahead: batchesAhead, transfer: buffersOf })
  } catch {
    // The main thread already has the error.
  }
  isOver = true
  // Leaves the memory to the main thread, which still compares and commits the report.
  if (bytesRead >= largeBytes) setImmediate(collectGarbage, 'major')
  requests.close()
  parentPort?.postMessage('done')
})
