import { firstAssigneeId, measuredProjects } from '../data/fixtures.ts'

const { large } = measuredProjects
const vulnerabilities = `/projects/${large}/vulnerabilities`
const findings = `/projects/${large}/vulnerability_findings`

/** Filters and orders, each measured for a project, its group with all projects, and the instance. */
const queries = [
  '',
  'state=detected&severity=critical',
  'sort=priority_desc',
  'search=in+rule+17',
  'search=Handler0',
  'identifier=CWE-25&severity=medium,low',
  `assignee_id=${firstAssigneeId}`,
  'kev=true&sort=due_asc',
  'epss_min=0.9',
  'group_by=flaw&state=detected',
  'page=400',
]

/** Paths below `/api/v4` whose statements and times are examined. */
export const hugeRequests: readonly string[] = [
  ...[vulnerabilities, '/groups/bench/vulnerabilities', '/vulnerabilities'].flatMap((list) =>
    queries.map((query) => (query ? `${list}?${query}` : list)),
  ),
  findings,
  `${findings}?scope=all&search=in+rule+17`,
  `${findings}?state=detected&severity=high`,
  `${vulnerabilities}/summary`,
  '/groups/bench/vulnerabilities/summary',
  `/projects/${large}/vulnerability_statistics`,
  '/groups/bench/vulnerability_statistics',
  '/vulnerability_statistics',
  '/groups/bench/security_dashboard',
  '/security_dashboard',
  '/vulnerabilities/4711',
  '/projects',
  '/projects?search=project-99',
  '/groups/bench/projects',
  `/projects/${large}`,
]
