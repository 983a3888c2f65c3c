import { writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { openWorkers, workerBeside } from '../../platform/worker-pool.ts'

/*
 * Program that checks a SQLite file on a thread, sends the problems to its parent and waits for its end; see integrity.ts.
 * Its main thread ends the process when the parent has ended, even if that was killed.
 */
process.on('disconnect', endAtOnce)
if (!process.connected) endAtOnce()
// Terminals and supervisors may signal all processes of a server, which ends this one itself.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

const [file = '', patient] = process.argv.slice(2)
if (patient) setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
preferAsVictim()

const workers = openWorkers<string, string[]>(workerBeside(import.meta.url, './integrity-worker'), {
  maxThreads: 1,
  idleMs: 1_000,
  maxWaiting: 1,
  maxHeapMib: 64,
})
process.send?.(await workers.run(file))

/** Makes Linux end this process rather than the server when memory is short. */
function preferAsVictim(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Other systems do not have the file.
  }
}

/** Unlike an exit, does not wait for the thread. */
function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL')
}
