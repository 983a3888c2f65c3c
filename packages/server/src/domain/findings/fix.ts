/** How scanners of dependencies in GitLab report that there is no fix. */
export const noSolution = 'Unfortunately, there is no solution'

/** Returns true if the solution in a report describes a fix. */
export const describesFix = (solution: string | null): boolean => Boolean(solution) && !solution?.startsWith(noSolution)
