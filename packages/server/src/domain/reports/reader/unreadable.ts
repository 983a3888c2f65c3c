import type { ReportProblem } from '../../../platform/failure.ts'

/** Thrown where reading a file ends; caught by `readReport`, which answers with the problem. */
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
