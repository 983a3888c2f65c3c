/** What seeding and measuring both know. */

/** Of a maintainer of every project, who is no administrator. */
export const benchToken = 'bench-token-of-a-maintainer'

/** When everything seeded was made. */
export const now = '2026-02-01T09:30:00.000Z'

/** The projects whose lists are compared, by their number of findings. */
export const measuredProjects = { small: 1, medium: 2, large: 3 } as const
