import { type Logger, pino } from 'pino'
import type { LogLevel } from './settings.ts'

export type Log = Logger

/** Structured lines on standard output. Secrets do not get in: headers are not logged, addresses go through `withoutSecrets`. */
export function openLog(level: LogLevel): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime })
}

/** Names of parameters that hold credentials, however they are nested: `private_token`, `hook[token]`, `password`. */
const secretName = /token|password|secret/i
/** What grants access to an upload: `/uploads/<secret>/<name>`. Ids are numbers. */
const uploadSecret = /(\/uploads\/)(?!\d+\/|-\/)[^/]+(?=\/)/g

/** A second question mark is a mistake of clients that add a token to an address with a query. */
const parameter = /[^?&]+/g

/** Returns the path and query of a request without credentials, however their names are percent-encoded. */
export function withoutSecrets(url: string): string {
  const question = url.indexOf('?')
  const path = (question < 0 ? url : url.slice(0, question)).replace(uploadSecret, '$1[hidden]')
  return question < 0 ? path : path + url.slice(question).replace(parameter, withoutValue)
}

function withoutValue(pair: string): string {
  const equals = pair.indexOf('=')
  const name = equals < 0 ? pair : pair.slice(0, equals)
  return equals >= 0 && secretName.test(decoded(name)) ? `${name}=[hidden]` : pair
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
