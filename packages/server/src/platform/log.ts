import { type Logger, pino } from 'pino'
import type { LogLevel } from './settings.ts'

export type Log = Logger

/** Structured lines on standard output. Secrets do not get in: headers are not logged, addresses go through `withoutSecrets`. */
export function openLog(level: LogLevel): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime })
}

const secretParameter =
  /([?&](?:private_token|access_token|bearer_token|job_token|token|password)(?:\[[^=&#]{0,100}\])?=)[^&#]*/gi
/** The secret in the address of an upload. */
const secretSegment = /(\/uploads\/)[0-9a-f]{32}(?=\/)/gi

/** Hides credentials in the query, however their names are encoded, and the secrets of uploads in the path. */
export function withoutSecrets(url: string): string {
  const question = url.indexOf('?')
  const path = (question < 0 ? url : url.slice(0, question)).replace(secretSegment, '$1[hidden]')
  if (question < 0) return path
  const query = url.slice(question)
  return path + (query.includes('%') ? decodeNames(query) : query).replace(secretParameter, '$1[hidden]')
}

function decodeNames(query: string): string {
  return query.replace(/([?&])([^=&]*)/g, (_, separator: string, name: string) => {
    try {
      return separator + decodeURIComponent(name)
    } catch {
      return separator + name
    }
  })
}
