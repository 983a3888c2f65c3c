import { type Logger, pino } from 'pino'
import type { LogLevel } from './settings.ts'

export type Log = Logger

/** Structured lines on standard output. Secrets do not get in: headers are not logged, addresses go through `withoutSecrets`. */
export function openLog(level: LogLevel): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime })
}

const secretParameter = /([?&](?:private_token|access_token|bearer_token|job_token|password)=)[^&#]*/gi

/** The path and query of a request with the values of credentials blotted out, however the name is percent-encoded. */
export function withoutSecrets(url: string): string {
  const question = url.indexOf('?')
  if (question < 0) return url
  const query = url.slice(question)
  return (
    url.slice(0, question) + (query.includes('%') ? decodeNames(query) : query).replace(secretParameter, '$1[hidden]')
  )
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
