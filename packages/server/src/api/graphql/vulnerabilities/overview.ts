import { GraphQLError } from 'graphql'
import { severities } from '../../../domain/findings/scales.ts'
import { groupBy } from '../../../domain/group-by.ts'
import { cachedFacetCounts } from '../../../domain/vulnerabilities/list/counts/cached-counts.ts'
import type { ListScope } from '../../../domain/vulnerabilities/list/filter.ts'
import { findIdentifierNames, findImages, findScannedTypes } from '../../../domain/vulnerabilities/list/overview.ts'
import { type ProjectStatistics, readGrades } from '../../../domain/vulnerabilities/list/statistics.ts'
import { type ConnectionArgs, connectionArguments, connectionOfAll, connectionTypes } from '../connection.ts'
import type { Context, SchemaPart } from '../context.ts'

/** Field of a project, a group and the instance. */
export const scannerField = `
  "Scanners of the vulnerabilities on default branches; null if the caller may not read them."
  vulnerabilityScanners(${connectionArguments}): VulnerabilityScannerConnection`

/** Fields of a project, a group and the instance. */
export const searchFields = `
  "Images of the vulnerabilities on default branches, at most 1,000; null if the caller may not read them."
  vulnerabilityImages(${connectionArguments}): VulnerabilityContainerImageConnection
  "At most 50 names of identifiers that contain the text; null if the caller may not read them."
  vulnerabilityIdentifierSearch(name: String!): [String!]`

/** Fields of a project. */
export const statisticField = `
  "Types of scans; null if the caller may not read vulnerabilities."
  securityScanners: SecurityScanners
  "Number of active vulnerabilities; null if the caller may not read them."
  vulnerabilityStatistic: VulnerabilityStatistic`

/** Field of a group and the instance. */
export const gradeField = `
  "Projects that have a grade, by their grades; the worst grade last."
  vulnerabilityGrades(letterGrade: VulnerabilityGrade): [VulnerableProjectsByGrade!]!`

const scannerTypes = [
  ...(['api_fuzzing', 'cluster_image_scanning', 'container_scanning', 'coverage_fuzzing', 'dast'] as const),
  ...(['dependency_scanning', 'sast', 'secret_detection'] as const),
]

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
"An image in which a scanner has found vulnerabilities."
type VulnerabilityContainerImage { name: String! }
enum SecurityScannerType { ${scannerTypes.map((type) => type.toUpperCase()).join(' ')} }
"Types of scans of a project."
type SecurityScanners {
  "Types of reports that this server reads."
  available: [SecurityScannerType!]
  "Types of which the project has had a report."
  enabled: [SecurityScannerType!]
  "The same as \`enabled\`: this server has no pipelines."
  pipelineRun: [SecurityScannerType!]
}
${connectionTypes('VulnerabilityContainerImage')}${connectionTypes('VulnerabilityScanner')}${connectionTypes('Project')}`,
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

/** Returns the images of a scope. */
export async function listVulnerabilityImages({ deps }: Context, scope: ListScope | null, args: ConnectionArgs) {
  if (!scope) return null
  return connectionOfAll(
    (await findImages(deps, scope)).map((name) => ({ name })),
    args,
  )
}

const minSearched = 3

/** Returns names of identifiers of a scope that contain a text. */
export async function searchIdentifiers(
  { deps }: Context,
  scope: ListScope | null,
  { name }: { name: string },
): Promise<string[] | null> {
  if ([...name].length < minSearched) throw new GraphQLError(`Name should be at least ${minSearched} characters.`)
  return scope && findIdentifierNames(deps, scope, name)
}

/** Returns the types of scans of the only project of a scope. */
export async function describeScans({ deps }: Context, scope: ListScope | null) {
  const [projectId] = scope?.projectIds ?? []
  if (projectId === undefined) return null
  const found = new Set(await findScannedTypes(deps, projectId))
  const enabled = scannerTypes.filter((type) => found.has(type)).map((type) => type.toUpperCase())
  return { available: scannerTypes.map((type) => type.toUpperCase()), enabled, pipelineRun: enabled }
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
