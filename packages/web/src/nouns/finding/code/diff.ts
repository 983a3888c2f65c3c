/** Line of a unified diff. */
export interface DiffLine {
  kind: 'header' | 'hunk' | 'added' | 'removed' | 'context'
  /** The line with its sign. */
  text: string
  /** Name of the changed file, if the diff has it. */
  file: string | undefined
  /** Number of the hunk. */
  hunk: number
}

const hunkStart = /^@@+ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/

/**
 * Reads the lines of a unified diff. The counts of a hunk decide where it ends, so that a removed line that begins with
 * `--` is not taken for a header.
 */
export function diffLines(text: string): DiffLine[] {
  let file: string | undefined
  let hunk = 0
  let [removed, added] = [0, 0]
  return text.split('\n').map((line): DiffLine => {
    const start = hunkStart.exec(line)
    if (start && removed <= 0 && added <= 0) {
      hunk += 1
      removed = Number(start[1] ?? 1)
      added = Number(start[2] ?? 1)
      return { kind: 'hunk', text: line, file, hunk }
    }
    if (removed <= 0 && added <= 0) {
      file = fileIn(line) ?? file
      return { kind: looseKind(line), text: line, file, hunk }
    }
    const kind = kinds[line.charAt(0)] ?? 'context'
    if (kind !== 'added') removed -= 1
    if (kind !== 'removed') added -= 1
    return { kind, text: line, file, hunk }
  })
}

const kinds: Readonly<Record<string, 'added' | 'removed'>> = { '+': 'added', '-': 'removed' }

/** Returns the kind of a line outside hunks. Scanners also send diffs without hunks, or with wrong counts. */
function looseKind(line: string): DiffLine['kind'] {
  if (/^(---|\+\+\+|diff|index|new|deleted|similarity|rename|old|\\) /.test(line)) return 'header'
  return line.startsWith('@@') ? 'hunk' : (kinds[line.charAt(0)] ?? 'context')
}

/** Returns the file that a line of the header names: `src/app.ts` of `+++ b/src/app.ts`. */
function fileIn(line: string): string | undefined {
  const name = /^(?:---|\+\+\+) ([^\t]+)/.exec(line)?.[1]?.trimEnd()
  return name === undefined || name === '/dev/null' ? undefined : name.replace(/^[ab]\//, '')
}
