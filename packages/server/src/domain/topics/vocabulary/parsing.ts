import { importRejected, unavailable, unprocessable } from '../../../platform/failure.ts'
import { JobAborted, openWorkers, workerBeside } from '../../../platform/worker-pool.ts'
import { type Parsed, parseText } from './parse-text.ts'
import type { VocabularyFormat } from './vocabulary.ts'

export interface Parsing {
  text: string
  format: VocabularyFormat
}

/** Nobody notices the time that these take. */
const maxLengthInline = 16 * 1024

const workers = openWorkers<Parsing, Parsed>(workerBeside(import.meta.url, './parse-worker'), {
  most: 1,
  timeoutMs: 20_000,
  idleMs: 10_000,
  maxWaiting: 4,
  maxHeapMib: 512,
})

/** The value that a text stands for. Long texts are read on another thread. Throws `importRejected`. */
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

/** Ends the thread that has nothing to do, when an app closes. */
export const closeParsing = () => workers.close()
