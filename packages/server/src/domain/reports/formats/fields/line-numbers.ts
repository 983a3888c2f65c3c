/** Returns a line number, counted from 1, or undefined for any other value. */
export const lineNumberOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined

/** Returns the valid line numbers of a location. */
export function linesOf(start: unknown, end: unknown): { start_line?: number; end_line?: number } {
  const [first, last] = [lineNumberOf(start), lineNumberOf(end)]
  return { ...(first !== undefined && { start_line: first }), ...(last !== undefined && { end_line: last }) }
}

/** Placeholder for an unknown commit, which GitLab's schema requires for secrets. */
export const unknownCommit = { sha: '0000000' }
