import { writeFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { openWorkers, workerBeside } from '../../platform/worker-pool.ts'

/*
 * Child process of the server that checks a SQLite file; see integrity.ts. A worker thread checks the file, so that the main
 * thread can end this process when the server has ended, even if the server was killed. After sending the problems, the
 * process waits until the server kills it.
 */
process.on('disconnect', endAtOnce)
if (!process.connected) endAtOnce()
// Ignored, because terminals and supervisors may signal the whole process group. The server ends this process itself.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

const [file = '', lowPriority] = process.argv.slice(2)
// A process without privileges may not raise the priority of a server that has an even lower one.
if (lowPriority) setPriority(Math.max(constants.priority.PRIORITY_BELOW_NORMAL, getPriority()))
preferForOomKiller()

const workers = openWorkers<string, string[]>(workerBeside(import.meta.url, './integrity-worker'), {
  maxThreads: 1,
  idleMs: 1_000,
  maxWaiting: 1,
  maxHeapMib: 64,
})
process.send?.(await workers.run(file))

/** Makes Linux kill this process before the server when memory runs out. */
function preferForOomKiller(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Other systems do not have the file.
  }
}

/** Ends the process without waiting for its thread, as `process.exit` would. */
function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL')
}
