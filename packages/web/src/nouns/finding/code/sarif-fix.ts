import { isRecord, parsed, textAt } from '../place.ts'

interface SuggestedFix {
  summary: string
  /** Unified diff of the lines that the report contains. */
  diff: string
}

interface KnownLines {
  file: string
  firstLine: number
  lines: readonly string[]
}

const maxFixes = 5
/** Each replacement copies the lines, so very many would block the page. */
const maxReplacements = 100
/** Unchanged lines around a change, as `diff` prints them. */
const contextLines = 3

/** Returns the fixes of a SARIF result whose lines its snippet contains, as diffs. */
export function sarifFixesIn(rawMetadata: string | undefined): SuggestedFix[] {
  const raw = rawMetadata === undefined ? undefined : parsed(rawMetadata)
  if (!isRecord(raw)) return []
  const known = knownLines(raw)
  if (!known) return []
  const fixes = recordsIn(raw['fixes']).slice(0, maxFixes)
  return fixes.flatMap((fix) => {
    const diff = diffOf(fix, known)
    return diff === undefined ? [] : { summary: textAt(fix, 'description', 'text') ?? '', diff }
  })
}

const recordsIn = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : [])

function knownLines(raw: Record<string, unknown>): KnownLines | undefined {
  const physical = recordsIn(raw['locations'])[0]?.['physicalLocation']
  const file = textAt(physical, 'artifactLocation', 'uri')
  const region = ['contextRegion', 'region'].find((name) => textAt(physical, name, 'snippet', 'text'))
  const firstLine = region && Number(textAt(physical, region, 'startLine'))
  if (!file || !firstLine) return undefined
  const text = textAt(physical, region, 'snippet', 'text') ?? ''
  return { file, firstLine, lines: text.replace(/\n$/, '').split('\n') }
}

function diffOf(fix: Record<string, unknown>, known: KnownLines): string | undefined {
  const changes = recordsIn(fix['artifactChanges'])
  if (changes.length === 0) return undefined
  if (changes.some((change) => textAt(change, 'artifactLocation', 'uri') !== known.file)) return undefined
  // The last replacement comes first, so that the places of the others remain.
  const replacements = changes.flatMap((change) => recordsIn(change['replacements']).map(replacementOf))
  if (replacements.length > maxReplacements) return undefined
  let text = known.lines.join('\n')
  for (const replacement of replacements.sort((a, b) => b.from[0] - a.from[0] || b.from[1] - a.from[1])) {
    const from = offsetOf(known, replacement.from)
    const to = offsetOf(known, replacement.to)
    if (from === undefined || to === undefined || to < from) return undefined
    text = text.slice(0, from) + replacement.inserted + text.slice(to)
  }
  return unifiedDiff(known, text.split('\n'))
}

type Position = readonly [line: number, column: number]

/** Reads a replacement. By the standard a region starts in the first column and ends with its line. */
function replacementOf(replacement: Record<string, unknown>): { from: Position; to: Position; inserted: string } {
  const number = (name: string) => {
    const value = textAt(replacement, 'deletedRegion', name)
    return value === undefined ? undefined : Number(value)
  }
  const line = number('startLine') ?? 0
  return {
    from: [line, number('startColumn') ?? 1],
    to: [number('endLine') ?? line, number('endColumn') ?? Number.POSITIVE_INFINITY],
    inserted: textAt(replacement, 'insertedContent', 'text') ?? '',
  }
}

/** Returns the place of a position in the known lines; undefined outside of them. */
function offsetOf({ lines, firstLine }: KnownLines, [line, column]: Position): number | undefined {
  const index = line - firstLine
  const found = lines[index]
  if (found === undefined) return undefined
  const before = lines.slice(0, index).reduce((sum, { length }) => sum + length + 1, 0)
  return before + Math.min(Math.max(column - 1, 0), found.length)
}

function unifiedDiff({ file, firstLine, lines }: KnownLines, changed: readonly string[]): string | undefined {
  const shorter = Math.min(lines.length, changed.length)
  let start = 0
  while (start < shorter && lines[start] === changed[start]) start += 1
  let same = 0
  while (same < shorter - start && lines.at(-1 - same) === changed.at(-1 - same)) same += 1
  const removed = lines.slice(start, lines.length - same)
  const added = changed.slice(start, changed.length - same)
  if (removed.length === 0 && added.length === 0) return undefined
  const before = lines.slice(Math.max(0, start - contextLines), start)
  const after = same === 0 ? [] : lines.slice(lines.length - same).slice(0, contextLines)
  const from = firstLine + start - before.length
  const around = before.length + after.length
  return [
    `--- a/${file}`,
    `+++ b/${file}`,
    `@@ -${from},${around + removed.length} +${from},${around + added.length} @@`,
    ...before.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...after.map((line) => ` ${line}`),
  ].join('\n')
}
