import { readdir, stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { wrongUsage } from '../exit.ts'

const hasWildcard = /[*?[\]{}]/
/** Folders that `**` does not enter. */
const skipped = new Set(['node_modules', '.git'])

/**
 * Returns the files that these names and patterns select, each once, in a stable order. Patterns have `*`, `?`, `[abc]`,
 * `{a,b}` and `**`. Shells expand patterns only when they are not quoted, and some never do.
 */
export async function findFiles(cwd: string, patterns: readonly string[]): Promise<string[]> {
  const found = new Map<string, string>()
  for (const pattern of patterns) {
    const files = await expand(cwd, pattern)
    if (files.length === 0) throw wrongUsage(noMatch(cwd, pattern))
    for (const file of files) if (!found.has(resolve(cwd, file))) found.set(resolve(cwd, file), file)
  }
  return [...found.values()]
}

function noMatch(cwd: string, pattern: string): string {
  return (
    `No file matches ${JSON.stringify(pattern)} in ${cwd}.\n` +
    'Check that the scanner ran and wrote its report there, and that this job receives the files of the job of the scanner.'
  )
}

async function expand(cwd: string, pattern: string): Promise<string[]> {
  const kind = await kindOf(resolve(cwd, pattern))
  if (kind === 'file') return [pattern]
  if (kind === 'folder')
    throw wrongUsage(`${pattern} is a folder. Name its files, such as '${join(pattern, '*.json')}'.`)
  if (!hasWildcard.test(pattern)) return []
  const files = new Set<string>()
  for (const one of expandBraces(pattern)) {
    const segments = one.split('/').filter((segment, index) => segment !== '' || index === 0)
    const start = isAbsolute(one) ? '/' : ''
    for (const file of await walk({ cwd, folder: start, segments: start ? segments.slice(1) : segments }))
      files.add(file)
  }
  return [...files].sort()
}

interface Walk {
  cwd: string
  /** The folder so far, as it is printed. */
  folder: string
  segments: readonly string[]
}

/** Returns the files below a folder whose path matches the segments. */
async function walk({ cwd, folder, segments }: Walk): Promise<string[]> {
  const [segment, ...rest] = segments
  if (segment === undefined) return []
  if (segment === '.' || segment === '..') return walk({ cwd, folder: join(folder, segment), segments: rest })
  const entries = await readdir(resolve(cwd, folder || '.'), { withFileTypes: true }).catch(() => [])
  const found: string[] = []
  if (segment === '**') found.push(...(await walk({ cwd, folder, segments: rest.length > 0 ? rest : ['*'] })))
  const expression = segment === '**' ? undefined : segmentExpression(segment)
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (!expression) {
      const isEntered = entry.isDirectory() && !entry.name.startsWith('.') && !skipped.has(entry.name)
      if (isEntered) found.push(...(await walk({ cwd, folder: path, segments })))
    } else if (expression.test(entry.name)) {
      if (rest.length > 0) found.push(...(await walk({ cwd, folder: path, segments: rest })))
      else if (entry.isFile() || (entry.isSymbolicLink() && (await kindOf(resolve(cwd, path))) === 'file'))
        found.push(path)
    }
  }
  return found
}

async function kindOf(path: string): Promise<'file' | 'folder' | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (!found) return undefined
  return found.isDirectory() ? 'folder' : 'file'
}

/** Compiles one segment of a pattern. Wildcards do not match a leading dot. */
function segmentExpression(segment: string): RegExp {
  const source = segment.replace(
    /\[(!?)([^\]]+)\]|[\s\S]/g,
    (part, not: string | undefined, set: string | undefined) => {
      if (set !== undefined) return `[${not ? '^' : ''}${set.replace(/[\\\]^]/g, '\\$&')}]`
      if (part === '*') return '.*'
      if (part === '?') return '.'
      return part.replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    },
  )
  return new RegExp(`^${/^[*?[]/.test(segment) ? '(?!\\.)' : ''}${source}$`, 'u')
}

/** Maximum number of patterns that the braces of one pattern expand to. */
const maxAlternatives = 1000

/** Returns a pattern for each alternative in braces. */
function expandBraces(pattern: string): string[] {
  let patterns = [pattern]
  for (;;) {
    const expanded = patterns.flatMap((one) => {
      const match = /\{([^{}]*,[^{}]*)\}/.exec(one)
      if (!match) return [one]
      const [before, after] = [one.slice(0, match.index), one.slice(match.index + match[0].length)]
      return (match[1] ?? '').split(',').map((alternative) => `${before}${alternative}${after}`)
    })
    if (expanded.length === patterns.length) return patterns
    if (expanded.length > maxAlternatives)
      throw wrongUsage(`The braces of ${JSON.stringify(pattern)} have too many alternatives.`)
    patterns = expanded
  }
}
