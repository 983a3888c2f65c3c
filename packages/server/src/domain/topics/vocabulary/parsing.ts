import { importRejected, unavailable, unprocessable } from '../../../platform/failure.ts'
import { JobAborted, openWorkers, workerBeside } from '../../../platform/worker-pool.ts'
import { type Parsed, parseText } from './parse-text.ts'
import type { VocabularyFormat } from './vocabulary.ts'

export interface Parsing {
  text: string
  format: VocabularyFormat
}

/** Maximum length of a text that is parsed on the main thread, which is fast enough for it. */
export const maxLengthInline = 512

const workers = openWorkers<Parsing, Parsed>(workerBeside(import.meta.url, './parse-worker'), {
  maxThreads: 1,
  timeoutMs: 20_000,
  idleMs: 10_000,
  maxWaiting: 4,
  maxHeapMib: 512,
})

/** Parses a text, on a worker thread if it is long. Throws `importRejected`. */
export async function parseAside(text: string, format: VocabularyFormat): Promise<unknown> {
  const parsed = text.length <= maxLengthInline ? parseText(text, format) : await onThread({ text, format })
  if ('problem' in parsed) throw importRejected([{ entry: null, field: null, reason: parsed.problem }])
  return parsed.value
}

async function onThread(job: Parsing): Promise<Parsed> {
  try {
    return await workers.run(job)
  } catch (error) {
    if (!(error instanceof JobAborted)) throw error
    throw error.because === 'queue' ? unavailable('reading of files') : unprocessable('the file takes too long to read')
  }
}

/** Ends the idle worker thread when an app closes. */
export const closeParsing = () => workers.close()
