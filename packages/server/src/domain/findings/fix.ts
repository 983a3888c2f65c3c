/** Beginnings of the texts with which scanners report that there is no fix. */
export const noSolution = ['Unfortunately, there is no solution', 'No solution provided']

/** Returns true if the solution in a report describes a fix. */
export const describesFix = (solution: string | null): boolean =>
  Boolean(solution) && !noSolution.some((text) => solution?.startsWith(text))
