import { MessageChannel, type MessagePort, type Transferable } from 'node:worker_threads'
import { type ReportProblem, unavailable } from '../../../platform/failure.ts'
import { receiveAll, SenderDisconnected, sendAll } from '../../../platform/port-stream.ts'
import { JobAborted, openWorkers, workerBeside } from '../../../platform/worker-pool.ts'
import type { PackedEntries } from './cached-entries.ts'
import type { Outcome } from './read-entries.ts'
import type { ReadOptions } from './read-report.ts'
import type { ImportReading, ImportReadOptions } from './reading.ts'
import type { Known, ReadingJob, ReadingMessage, ReadingRequest } from './reading-messages.ts'
import { copies, type OpenBytes } from './source.ts'
import { Unreadable, unreadable } from './unreadable.ts'

const worker = workerBeside(import.meta.url, './reading-worker')
const workers = {
  /** One thread for imports and one for dry runs. */
  large: openWorkers<ReadingJob, 'done'>(worker, {
    maxThreads: 2,
    idleMs: 10_000,
    maxWaiting: 20,
    maxHeapMib: 512,
  }),
  /** Small reports are read in less than a second. Those of one project are read one at a time. */
  small: openWorkers<ReadingJob, 'done'>(worker, {
    maxThreads: 2,
    idleMs: 10_000,
    maxWaiting: 200,
    maxWaitingPerOwner: 40,
    maxHeapMib: 128,
  }),
}

/** Stops idle threads when the app closes. */
export const closeReading = () => Promise.all([workers.large.close(), workers.small.close()])

/**
 * Reads a report on another thread, while this thread compares and stores earlier batches. Throws `unavailable` when
 * too many jobs are waiting for a thread.
 */
export async function readOnThread(
  open: OpenBytes,
  { isImageKnown, stored, findCachedEntries, ...options }: ImportReadOptions,
  size: keyof typeof workers,
): Promise<{ reading: ImportReading } | { problems: ReportProblem[] }> {
  const start = (job: ReadingJob) => {
    const owner = size === 'small' ? `project:${options.projectId}` : undefined
    return workers[size].run(job, [job.requests, job.messages], owner)
  }
  const { received, close } = startJob(start, { open, isImageKnown, stored, findCachedEntries }, options)
  try {
    const { value: message } = await received.next()
    if (message && 'header' in message)
      return { reading: { ...message, ...restOf(received, message.inventorySource !== undefined), close } }
    // Read to the end; closing the port early would stop the thread.
    await received.next()
    if (message && 'problems' in message) return message
    throw new Error('the reading thread sent no message')
  } catch (error) {
    if (error instanceof Unreadable) return { problems: [error.problem] }
    throw error
  }
}

function restOf(
  received: AsyncGenerator<ReadingMessage>,
  hasInventory: boolean,
): Pick<ImportReading, 'dependencies' | 'batches' | 'outcome' | 'cachedEntries'> {
  let outcome: Outcome | undefined
  let cachedEntries: PackedEntries | undefined
  return {
    async *dependencies() {
      for (let isLeft = hasInventory; isLeft; ) {
        const { value: message } = await received.next()
        if (!message || !('dependencies' in message)) throw new Error('the reading thread sent no dependencies')
        isLeft = !message.isLast
        yield message.dependencies
      }
    },
    async *batches() {
      for await (const message of received) {
        if ('batch' in message) yield message.batch
        else if ('outcome' in message) ({ outcome, cachedEntries } = message)
        else if ('unreadable' in message) throw new Unreadable(message.unreadable)
      }
    },
    outcome() {
      if (!outcome) throw new Error('the report was not read to its end')
      return outcome
    },
    cachedEntries: () => cachedEntries,
  }
}

type JobSources = { open: OpenBytes } & Pick<ImportReadOptions, 'isImageKnown' | 'stored' | 'findCachedEntries'>

function startJob(
  start: (job: ReadingJob) => Promise<'done'>,
  { open, isImageKnown, stored, findCachedEntries }: JobSources,
  options: Omit<ReadOptions, 'isImageKnown'>,
): { received: AsyncGenerator<ReadingMessage>; close: () => void } {
  const { port1: requests, port2: theirRequests } = new MessageChannel()
  const { port1: messages, port2: theirMessages } = new MessageChannel()
  let failure: { error: unknown } | undefined
  const fail = (error: unknown) => {
    failure ??= { error }
    messages.close()
  }
  requests.on('message', (request: ReadingRequest) => {
    const { answer } = request
    const respondTo = async () => {
      if ('image' in request) return respond(answer, await isImageKnown?.(request.image))
      return 'known' in request ? respondWithKnown(answer, request.known.entryContext) : sendFile(answer, open)
    }
    respondTo().catch(fail)
  })
  async function respondWithKnown(answer: MessagePort, entryContext: string | undefined): Promise<void> {
    const known: Known = {
      stored: await stored,
      cachedEntries: entryContext === undefined ? undefined : findCachedEntries?.(entryContext),
    }
    // Transfers `stored`, which only this job uses, and copies the cached entries, which later imports use.
    respond(answer, known, known.stored ? [known.stored.buffer] : [])
  }
  const job = {
    hasStored: stored !== undefined,
    cachesEntries: findCachedEntries !== undefined,
    options: { ...options, checksImages: isImageKnown !== undefined },
    requests: theirRequests,
    messages: theirMessages,
  }
  const running = start(job)
    .catch(fail)
    .finally(() => requests.close())

  async function* receiveMessages(): AsyncGenerator<ReadingMessage> {
    try {
      yield* receiveAll<ReadingMessage>(messages)
    } catch (error) {
      // Either the thread ended, or this side failed and closed the port.
      if (error instanceof SenderDisconnected) await running
      throw failure ? explained(failure.error) : error
    }
  }
  return { received: receiveMessages(), close: () => messages.close() }
}

function respond(port: MessagePort, answer: unknown, transferList: readonly Transferable[] = []): void {
  port.postMessage(answer, transferList)
  port.close()
}

/** Number of chunks of the file sent ahead: at most 512 KiB are in transit. */
const chunksAhead = 4

async function sendFile(port: MessagePort, open: OpenBytes): Promise<void> {
  const bytes = await open()
  await sendAll(port, copies(bytes), { ahead: chunksAhead, transfer: ({ buffer }) => [buffer] })
}

function explained(error: unknown): unknown {
  if (!(error instanceof JobAborted)) return error
  return error.because === 'memory'
    ? unreadable('It takes more memory to read the report than this server has for one.')
    : unavailable('the reading of reports', 'too many wait for it')
}
