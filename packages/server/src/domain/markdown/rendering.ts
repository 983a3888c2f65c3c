import { unavailable, unprocessable } from '../../platform/failure.ts'
import { JobAborted, openWorkers, workerBeside } from '../../platform/workers.ts'
import { renderMarkdown } from './render.ts'
import type { MarkdownContext } from './uploads.ts'

export interface Rendering {
  text: string
  context: MarkdownContext
}

/** Nobody notices the time that these take, whatever is in them. */
export const maxLengthAtOnce = 4096

const workers = openWorkers<Rendering, string>(workerBeside(import.meta.url, './worker'), {
  most: 2,
  timeoutMs: 5000,
  idleMs: 60_000,
  maxWaiting: 32,
  maxHeapMib: 512,
})

/** Safe HTML. Long texts are rendered on another thread, so that no request waits for them but their own. */
export async function renderAside(text: string, context: MarkdownContext = {}): Promise<string> {
  if (text.length <= maxLengthAtOnce) return renderMarkdown(text, context)
  try {
    return await workers.run({ text, context })
  } catch (error) {
    if (!(error instanceof JobAborted)) throw error
    throw error.because === 'queue' ? unavailable('rendering') : unprocessable('the text takes too long to render')
  }
}

/** Ends the threads that have nothing to do, when an app closes. */
export const closeRendering = () => workers.close()
