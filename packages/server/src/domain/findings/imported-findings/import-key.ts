import { hash } from 'node:crypto'
import { lineOf } from '../finding-key.ts'
import { splitName, storedName } from '../package-url.ts'

/**
 * Key that an imported finding of another product shares with the scanner's own report of the same flaw. It contains no
 * scanner, because products name scanners differently.
 */
export interface ImportKey {
  rank: ImportRank
  key: string
}

/**
 * Ranks, most reliable first: the same id in the same place; the same id in the same file or package; the same title in
 * the same file; and the same id in the same package, of a record that names no file.
 */
export const importRanks = { place: 1, file: 2, title: 3, anywhere: 4 } as const
type ImportRank = (typeof importRanks)[keyof typeof importRanks]

/** What the keys of a finding are made of. */
export interface KeyedFinding {
  /** Ids of the flaw or of the rule. Ids of weaknesses (CWE) are ignored, because many flaws share them. */
  ids: readonly string[]
  title: string
  reportType: string
  packageName?: string | undefined
  /** File, image, or path of a web page. */
  file?: string | undefined
  line: number
}

/** Returns the keys of a finding. `isImported` is true for a record of another product. */
export function importKeysOf(finding: KeyedFinding, { isImported }: { isImported: boolean }): ImportKey[] {
  const { title, reportType, line } = finding
  const ids = [...new Set(finding.ids.map((id) => id.trim().toLowerCase()).filter(isSpecific))].slice(0, maxIds)
  const name = finding.packageName?.trim()
  const file = normalizedPath(finding.file ?? '')
  const keys = new Map<string, ImportKey>()
  const add = (rank: ImportRank, ...parts: readonly string[]) => {
    const key = keyText(parts)
    if (!keys.has(key)) keys.set(key, { rank, key })
  }
  if (name) {
    const last = storedName(splitName(name).name)
    for (const id of ids) {
      add(importRanks.place, 'package', id, last, file)
      add(isImported && file === '' ? importRanks.anywhere : importRanks.file, 'package', id, last)
    }
  } else if (file !== '') {
    if (reportType === 'secret_detection') {
      // Triaging one secret must not affect another one in the same file.
      if (line > 0) add(importRanks.place, 'secret', file, `${line}`)
      return [...keys.values()]
    }
    for (const id of ids) {
      add(importRanks.place, 'code', id, file, `${line}`)
      add(importRanks.file, 'code', id, file)
    }
    add(importRanks.title, 'title', title.trim().toLowerCase(), file)
  }
  return [...keys.values()]
}

/** Maximum number of ids of a finding that have keys. */
const maxIds = 10

const isSpecific = (id: string): boolean => id !== '' && !/^(?:id:)?(?:cwe|owasp)\b/.test(id)

const keyText = (parts: readonly string[]): string => hash('sha1', parts.join('\n'), 'base64url').slice(0, 22)

/** Removes what products add to a path: `./src/a.ts`, `/src/a.ts` and `src/a.ts` are the same file. */
const normalizedPath = (path: string): string =>
  path
    .trim()
    .replaceAll('\\', '/')
    .replace(/^(?:\.?\/)+/, '')

/** Returns the fields of a location that keys contain. */
export function placeOf(location: {
  readonly [key: string]: unknown
}): Pick<KeyedFinding, 'packageName' | 'file' | 'line'> {
  const { dependency, file, image, path } = location
  const packageName = textOf(fieldOf(fieldOf(dependency, 'package'), 'name'))
  return { packageName, file: textOf(file) ?? textOf(image) ?? textOf(path), line: lineOf(location) }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

function fieldOf(value: unknown, name: 'package' | 'name'): unknown {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(name) : undefined
}
