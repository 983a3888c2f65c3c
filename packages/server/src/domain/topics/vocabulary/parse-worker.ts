import { parentPort } from 'node:worker_threads'
import { parseText } from './parse-text.ts'
import type { Parsing } from './parsing.ts'

// Runs on a worker thread: see parsing.ts.
parentPort?.on('message', ({ text, format }: Parsing) => {
  parentPort?.postMessage(parseText(text, format))
})
