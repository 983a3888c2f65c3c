import { fork } from 'node:child_process'
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { workerBeside } from '../../platform/worker-pool.ts'
import type { CheckOptions } from '../db.ts'
import { checkFile } from './check-file.ts'

/** Running check of a whole SQLite file. */
export interface IntegrityCheck {
  /** Problems found. Rejects when the check failed, and stays pending after `cancel`. */
  readonly problems: Promise<readonly string[]>
  /** Ends the check. Resolves when it no longer has the file open. */
  cancel(): Promise<void>
}

/** Maximum size of a database that is checked in this process. Starting a child process would take longer. */
const maxInProcessBytes = 4 * 1024 * 1024

/** Returns whether the database, with its log, is checked in a child process. */
export function isLargeDatabase(file: string): boolean {
  const bytesOf = (name: string) => statSync(name, { throwIfNoEntry: false })?.size ?? 0
  return bytesOf(file) + bytesOf(`${file}-wal`) > maxInProcessBytes
}

/** Begins to check a file, a large one in a child process. */
export function beginCheck(file: string, options: CheckOptions = {}): IntegrityCheck {
  if (isLargeDatabase(file)) return checkInChildProcess(file, options)
  return { problems: Promise.resolve(checkFile(file)), cancel: async () => {} }
}

/**
 * Checks a file in a child process. Unlike a thread that executes SQLite, a process can be killed, and its end returns all
 * of its memory.
 */
export function checkInChildProcess(file: string, { isLowPriority = false }: CheckOptions = {}): IntegrityCheck {
  const module = workerBeside(import.meta.url, './integrity-process')
  const child = fork(module, [file, ...(isLowPriority ? ['low-priority'] : [])], {
    execArgv: module.pathname.endsWith('.ts') ? loadTypeScript() : optionsOfNode(),
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
  // The child does not exit by itself, so its message arrives before its end.
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

/** Returns the options of this process, which the driver may need. A port of the debugger cannot be shared. */
const optionsOfNode = () => process.execArgv.filter((option) => !option.startsWith('--inspect'))

/** Returns Node options that load TypeScript, for tests, which run from source. */
const loadTypeScript = () => ['--import', `${pathToFileURL(createRequire(import.meta.url).resolve('tsx'))}`]
