import type { ReportProblem } from '../../../../platform/failure.ts'
import { maxProblems, moreProblems } from './checks.ts'

/** Collects the first `maxProblems` problems and counts the rest. */
export interface Problems {
  add: (problems: readonly ReportProblem[]) => void
  all: () => ReportProblem[]
}

export function startProblems(): Problems {
  const kept: ReportProblem[] = []
  let more = 0
  return {
    add(problems) {
      for (const problem of problems) {
        if (kept.length < maxProblems) kept.push(problem)
        else more++
      }
    },
    all: () => (more === 0 ? kept : [...kept, moreProblems(more)]),
  }
}
