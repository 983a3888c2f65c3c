/** A line, as scanners number them from 1; undefined for anything else that stands there. */
export const lineNumberOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined

/** The lines of a location, as far as they are known. */
export function linesOf(start: unknown, end: unknown): { start_line?: number; end_line?: number } {
  const [first, last] = [lineNumberOf(start), lineNumberOf(end)]
  return { ...(first !== undefined && { start_line: first }), ...(last !== undefined && { end_line: last }) }
}

/** GitLab's schema demands a commit of every secret; this stands for one that the tool does not name. */
export const unknownCommit = { sha: '0000000' }
