import { severities } from '../../../domain/findings/scales.ts'
import { groupBy } from '../../../domain/group-by.ts'
import { cachedFacetCounts } from '../../../domain/vulnerabilities/list/cached-counts.ts'
import type { ListScope } from '../../../domain/vulnerabilities/list/filter.ts'
import { type ProjectStatistics, readGrades } from '../../../domain/vulnerabilities/list/statistics.ts'
import { type ConnectionArgs, connectionArguments, connectionOfAll, connectionTypes } from '../connection.ts'
import type { Context, SchemaPart } from '../context.ts'

/** Field of a project, a group and the instance. */
export const scannerField = `
  "Scanners of the vulnerabilities on default branches; null if the caller may not read them."
  vulnerabilityScanners(${connectionArguments}): VulnerabilityScannerConnection`

/** Field of a project. */
export const statisticField = `
  "Number of active vulnerabilities; null if the caller may not read them."
  vulnerabilityStatistic: VulnerabilityStatistic`

/** Field of a group and the instance. */
export const gradeField = `
  "Projects that have a grade, by their grades; the worst grade last."
  vulnerabilityGrades(letterGrade: VulnerabilityGrade): [VulnerableProjectsByGrade!]!`

export const overviewSchema: SchemaPart = {
  types: `
"By the most severe active vulnerability: F critical, D high or unknown, C medium, B low, A none of these."
enum VulnerabilityGrade { A B C D F }
"Numbers of active vulnerabilities of a project."
type VulnerabilityStatistic {
  total: Int!
${severities.map((severity) => `  ${severity}: Int!`).join('\n')}
  "Null while findings await promotion, and without a scan."
  letterGrade: VulnerabilityGrade
}
type VulnerableProjectsByGrade {
  grade: VulnerabilityGrade!
  count: Int!
  projects(${connectionArguments}): ProjectConnection!
}
${connectionTypes('VulnerabilityScanner')}${connectionTypes('Project')}`,
  resolvers: {
    VulnerableProjectsByGrade: {
      count: ({ projectIds }: Grade) => projectIds.length,
      async projects({ projectIds }: Grade, args: ConnectionArgs, { load }: Context) {
        const { nodes, edges, ...page } = connectionOfAll(projectIds, args)
        const projects = await Promise.all(nodes.map(load.project))
        return { ...page, nodes: projects, edges: edges.map((edge, index) => ({ ...edge, node: projects[index] })) }
      },
    },
  },
}

interface Grade {
  grade: string
  projectIds: number[]
}

/** Returns the scanners of a scope, one for each type of report. */
export async function listVulnerabilityScanners(context: Context, scope: ListScope | null, args: ConnectionArgs) {
  if (!scope) return null
  const counts = (await cachedFacetCounts(context.deps, scope)).filter(
    ({ isOnDefaultBranch, scanner }) => isOnDefaultBranch && scanner !== null,
  )
  // Each project has its own row of a scanner; a group shows one of them.
  const distinct = new Map(counts.map((count) => [`${count.scanner} ${count.reportType}`, count]))
  const ordered = [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count)
  const scanners = await Promise.all(
    ordered.map(async ({ scannerId, reportType }) => {
      const scanner = await context.load.scanner(scannerId)
      return scanner && { ...scanner, reportType }
    }),
  )
  return connectionOfAll(
    scanners.filter((scanner) => scanner !== undefined),
    args,
  )
}

/** Returns the numbers of the only project of a scope. */
export async function countActive({ deps }: Context, scope: ListScope | null) {
  if (!scope) return null
  const [project] = await readGrades(deps, scope)
  return project ? viewStatistic(project) : null
}

function viewStatistic({ active, letterGrade }: ProjectStatistics) {
  return { ...active, total: Object.values(active).reduce((sum, count) => sum + count, 0), letterGrade }
}

/** Returns the projects of a scope by grade; none without any right. */
export async function gradeProjects(
  { deps }: Context,
  scope: ListScope | null,
  letterGrade: string | null | undefined,
): Promise<Grade[]> {
  if (!scope) return []
  const byGrade = groupBy(await readGrades(deps, scope), (project) => project.letterGrade)
  return ['A', 'B', 'C', 'D', 'F'].flatMap((grade) => {
    const projects = [...byGrade].find(([known]) => known === grade)?.[1] ?? []
    if (projects.length === 0 || (letterGrade && letterGrade !== grade)) return []
    return { grade, projectIds: projects.map(({ projectId }) => projectId) }
  })
}
