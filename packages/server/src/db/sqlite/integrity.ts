import { fork } from 'node:child_process'
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { workerBeside } from '../../platform/worker-pool.ts'
import type { CheckOptions } from '../db.ts'
import { checkFile } from './check-file.ts'

/** Check of a whole SQLite file. */
export interface IntegrityCheck {
  /** Problems found. Rejects when the check failed, and stays pending after `cancel`. */
  readonly problems: Promise<readonly string[]>
  /** Ends the check. Resolves when it no longer has the file open. */
  cancel(): Promise<void>
}

/** Maximum size of a file that is checked in this process, because starting another one takes longer. */
const maxOwnBytes = 4 * 1024 * 1024

/** Returns whether a check needs another process. */
export function isLargeDatabase(file: string): boolean {
  const bytesOf = (name: string) => statSync(name, { throwIfNoEntry: false })?.size ?? 0
  return bytesOf(file) + bytesOf(`${file}-wal`) > maxOwnBytes
}

/** Begins to check a file, a large one in another process. */
export function beginCheck(file: string, options: CheckOptions = {}): IntegrityCheck {
  if (isLargeDatabase(file)) return checkInProcess(file, options)
  return { problems: Promise.resolve(checkFile(file)), cancel: async () => {} }
}

/**
 * Checks a file in another process, which can be killed, unlike a thread that is inside SQLite, and returns all of its
 * memory.
 */
export function checkInProcess(file: string, { isPatient = false }: CheckOptions = {}): IntegrityCheck {
  const module = workerBeside(import.meta.url, './integrity-process')
  const child = fork(module, [file, ...(isPatient ? ['patient'] : [])], {
    execArgv: module.pathname.endsWith('.ts') ? loadTypeScript() : [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  let isCanceled = false
  const ended = new Promise<Error>((resolve) => {
    child.once('error', resolve)
    child.once('exit', (code, signal) => resolve(new Error(`the process of the check ended with ${signal ?? code}`)))
  })
  const problems = new Promise<string[]>((resolve, reject) => {
    child.once('message', (found: string[]) => resolve(found)) // its only message
    void ended.then((error) => !isCanceled && reject(error))
  })
  // It waits for its end, so that its message arrives before.
  void problems.then(
    () => child.kill('SIGKILL'),
    () => {},
  )
  return {
    problems,
    async cancel() {
      isCanceled = true
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Returns options of Node for running from source, as tests do. */
const loadTypeScript = () => ['--import', `${pathToFileURL(createRequire(import.meta.url).resolve('tsx'))}`]
