import { parentPort } from 'node:worker_threads'
import { renderMarkdown } from './render.ts'
import type { Rendering } from './rendering.ts'

// Runs on a worker thread: see rendering.ts.
parentPort?.on('message', ({ text, context }: Rendering) => {
  parentPort?.postMessage(renderMarkdown(text, context))
})
