import type { ReportProblem } from '../../../platform/failure.ts'

/** Thrown when a file cannot be read further; `readReport` converts it into a problem. */
export class Unreadable extends Error {
  readonly problem: ReportProblem

  constructor(problem: ReportProblem) {
    super(problem.message)
    this.name = 'Unreadable'
    this.problem = problem
  }
}

export const unreadable = (message: string, type = 'ParsingError', pointer = ''): Unreadable =>
  new Unreadable({ type, message, pointer })
