import type { ReportProblem } from '../../../../platform/failure.ts'

/** Counts repeated warnings, so that a report yields one warning of each kind. */
export interface Tally {
  add: (what: string, pointer: string) => void
  warnings: () => ReportProblem[]
}

export function startTally(): Tally {
  const seen = new Map<string, { count: number; pointer: string }>()
  return {
    add(what, pointer) {
      const entry = seen.get(what)
      if (entry) entry.count++
      else seen.set(what, { count: 1, pointer })
    },
    warnings: () =>
      [...seen].map(([what, { count, pointer }]) => ({
        type: 'Parsing',
        message: count === 1 ? what : `${what} (${count} times; the first is named)`,
        pointer,
      })),
  }
}
