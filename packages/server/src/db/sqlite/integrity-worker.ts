import { parentPort } from 'node:worker_threads'
import { checkFile, type IntegrityJob } from './check-file.ts'

// Runs on a worker thread: see integrity.ts.
parentPort?.on('message', (job: IntegrityJob) => parentPort?.postMessage(checkFile(job)))
