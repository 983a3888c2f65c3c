import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** What an operator can set, read once at start. The only file that reads the environment. */
export interface Settings {
  host: string
  port: number
  dataFolder: string
  /** Absent: SQLite in the data folder. */
  databaseUrl?: string
  /** Without a trailing slash; absent: the address each client asked. */
  externalUrl?: string
  bootstrapToken?: string
  maxUploadBytes: number
  /** From which role on findings may be promoted and vulnerabilities triaged. */
  triageRole: 'maintainer' | 'developer'
  logLevel: LogLevel
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Every setting that was wrong, each a sentence naming the setting, its value and what is allowed. */
export class WrongSettings extends Error {
  readonly sentences: readonly string[]

  constructor(sentences: readonly string[]) {
    super(sentences.join('\n'))
    this.name = 'WrongSettings'
    this.sentences = sentences
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Throws `WrongSettings` with all problems at once. A blank value counts as not set. */
export function readSettings(environment: Environment = process.env): Settings {
  const problems: string[] = []
  const values = collect(environment, problems)

  const databaseUrl = check('DATABASE_URL', isPostgresUrl, 'an address such as postgres://user@host/database')
  const externalUrl = check('EXTERNAL_URL', isHttpUrl, 'an http:// or https:// address')?.replace(/\/+$/, '')
  const bootstrapToken = check(
    'BOOTSTRAP_TOKEN',
    (value) => /^[\x21-\x7e]{20,}$/.test(value),
    'at least 20 printable ASCII characters without blanks',
  )
  const settings: Settings = {
    host: values.get('HOST') ?? '127.0.0.1',
    port: whole('PORT', 8080, 0, 65_535),
    dataFolder: resolve(values.get('DATA') ?? './data'),
    ...(databaseUrl && { databaseUrl }),
    ...(externalUrl && { externalUrl }),
    ...(bootstrapToken && { bootstrapToken }),
    maxUploadBytes: whole('MAX_UPLOAD_MIB', 100, 1, 1_048_576) * 1024 * 1024,
    triageRole: oneOf('TRIAGE_ROLE', ['maintainer', 'developer'], 'maintainer'),
    logLevel: oneOf('LOG_LEVEL', logLevels, 'info'),
  }
  if (problems.length > 0) throw new WrongSettings(problems)
  return settings

  function check(name: Name, isRight: (value: string) => boolean, allowed: string): string | undefined {
    const value = values.get(name)
    if (value === undefined || isRight(value)) return value
    problems.push(`ALCOVE_${name} is ${shown(name, value)}; allowed is ${allowed}.`)
    return undefined
  }

  function whole(name: Name, standard: number, least: number, most: number): number {
    const isRight = (text: string) => /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most
    return Number(check(name, isRight, `a whole number from ${least} to ${most}`) ?? standard)
  }

  function oneOf<T extends string>(name: Name, allowed: readonly T[], standard: T): T {
    const value = check(name, (text) => allowed.some((word) => word === text), allowed.join(' or '))
    return allowed.find((word) => word === value) ?? standard
  }
}

const names = [
  'HOST',
  'PORT',
  'DATA',
  'DATABASE_URL',
  'EXTERNAL_URL',
  'BOOTSTRAP_TOKEN',
  'MAX_UPLOAD_MIB',
  'TRIAGE_ROLE',
  'LOG_LEVEL',
] as const
type Name = (typeof names)[number]

/** Can be given as `ALCOVE_…_FILE` too, and is never repeated in a message. */
const secrets: readonly Name[] = ['DATABASE_URL', 'BOOTSTRAP_TOKEN']

function collect(environment: Environment, problems: string[]): Map<Name, string> {
  const values = new Map<Name, string>()
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith('ALCOVE_') || variable.startsWith('ALCOVE_TEST_') || !value?.trim()) continue
    const word = variable.slice('ALCOVE_'.length)
    const plain = names.find((name) => name === word)
    const fromFile = secrets.find((name) => `${name}_FILE` === word)
    if (plain) values.set(plain, value.trim())
    else if (fromFile) readSecret(fromFile, value.trim())
    else problems.push(`${variable} is not a setting; there are ${names.map((name) => `ALCOVE_${name}`).join(', ')}.`)
  }
  return values

  function readSecret(name: Name, file: string): void {
    if (environment[`ALCOVE_${name}`]?.trim()) {
      problems.push(`ALCOVE_${name} and ALCOVE_${name}_FILE are both set; one of them is allowed.`)
      return
    }
    try {
      values.set(name, readFileSync(file, 'utf8').trim())
    } catch {
      problems.push(`ALCOVE_${name}_FILE is ${JSON.stringify(file)}; allowed is a file that can be read.`)
    }
  }
}

function shown(name: Name, value: string): string {
  return secrets.includes(name) ? 'set to something else (not shown, it is a secret)' : JSON.stringify(value)
}

function isPostgresUrl(value: string): boolean {
  return URL.canParse(value) && ['postgres:', 'postgresql:'].includes(new URL(value).protocol)
}

function isHttpUrl(value: string): boolean {
  if (!URL.canParse(value)) return false
  const url = new URL(value)
  return ['http:', 'https:'].includes(url.protocol) && !url.search && !url.hash && !url.username
}
