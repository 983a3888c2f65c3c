import { type Logger, pino } from 'pino'
import type { LogLevel } from './settings/settings.ts'

export type Log = Logger

/**
 * Opens a structured log on standard output, or on another descriptor. It must not contain secrets: headers are not logged, and URLs are passed
 * through `withoutSecrets`.
 */
export function openLog(level: LogLevel, descriptor: 1 | 2 = 1): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(descriptor))
}

/** Names of parameters with credentials, including nested ones: `private_token`, `hook[token]`, `password`, `code`. */
const secretName = /token|password|secret|^code$/i
/** Secrets of uploads in paths: `/uploads/<secret>/<name>`, and of thumbnails. Numbers are ids instead. */
// Linear time: an attempt ends at the next slash, and no other begins before.
const uploadSecret = /(\/(?:uploads|thumbnails)\/)(?!\d+\/|-\/|resumable\/)[^/]+(?=\/)/g
/** Secrets at the end of paths: tokens of links to uploads, keys of resumable uploads. */
const lastSecret = /(\/(?:-\/links|uploads\/resumable)\/)[^/]+/g

/** Parameters of a query. A second question mark separates too, because some clients append a token with one. */
const parameter = /[^?&]+/g

/** Returns the path and query of a URL without credentials, even if parameter names are percent-encoded. */
export function withoutSecrets(url: string): string {
  const question = url.indexOf('?')
  const path = (question < 0 ? url : url.slice(0, question))
    .replace(uploadSecret, '$1[hidden]')
    .replace(lastSecret, '$1[hidden]')
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
