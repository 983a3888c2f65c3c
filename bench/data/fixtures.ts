/** Token of a maintainer of every project, without administrator rights. */
export const benchToken = 'bench-token-of-a-maintainer'

/** Creation time of all seeded rows. */
export const now = '2026-02-01T09:30:00.000Z'

/** Ids of the projects whose lists are compared, by their number of findings. */
export const measuredProjects = { small: 1, medium: 2, large: 3 } as const

/** Users to whom vulnerabilities are assigned. */
export const firstAssigneeId = 2
export const assigneeCount = 20
