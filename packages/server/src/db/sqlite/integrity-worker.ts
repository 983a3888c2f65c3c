import { parentPort } from 'node:worker_threads'
import { checkFile } from './check-file.ts'

// Runs on a worker thread of integrity-process.ts.
parentPort?.on('message', (file: string) => parentPort?.postMessage(checkFile(file)))
