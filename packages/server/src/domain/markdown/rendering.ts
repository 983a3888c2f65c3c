import { Failure, unavailable, unprocessable } from '../../platform/failure.ts'
import { JobAborted, openWorkers, workerBeside } from '../../platform/worker-pool.ts'
import { renderMarkdown, showPlain } from './render.ts'
import type { MarkdownContext } from './uploads.ts'

export interface Rendering {
  text: string
  context: MarkdownContext
}

/** Maximum length of a text that is rendered on the main thread, which takes at most a few milliseconds. */
export const maxInlineLength = 512

const workers = openWorkers<Rendering, string>(workerBeside(import.meta.url, './rendering-worker'), {
  maxThreads: 2,
  timeoutMs: 15_000,
  idleMs: 60_000,
  maxWaiting: 256,
  maxWaitingPerOwner: 32,
  maxHeapMib: 512,
})

/**
 * Renders Markdown to safe HTML. Long texts are rendered on a worker thread, one at a time per owner, so that no
 * request waits for the texts of another owner.
 */
export async function renderAside(text: string, owner: string, context: MarkdownContext = {}): Promise<string> {
  if (text.length <= maxInlineLength) return renderMarkdown(text, context)
  try {
    return await workers.run({ text, context }, [], owner)
  } catch (error) {
    if (!(error instanceof JobAborted)) throw error
    throw error.because === 'queue' ? unavailable('rendering') : unprocessable('the text takes too long to render')
  }
}

/** Renders a text that is part of a list. Returns it unrendered on failure, so that the list does not fail. */
export async function renderPart(text: string, owner: string): Promise<string> {
  try {
    return await renderAside(text, owner)
  } catch (error) {
    if (error instanceof Failure) return showPlain(text)
    throw error
  }
}

/** Ends the idle worker threads when an app closes. */
export const closeRendering = () => workers.close()
