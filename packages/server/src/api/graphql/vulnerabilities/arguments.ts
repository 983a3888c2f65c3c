import { GraphQLError } from 'graphql'
import { listScannersOf } from '../../../domain/findings/findings.ts'
import type { DismissalReason, Severity, State } from '../../../domain/findings/scales.ts'
import type { ListScope, VulnerabilityFilter, VulnerabilitySort } from '../../../domain/vulnerabilities/list/filter.ts'
import { type ConnectionArgs, connectionArguments } from '../connection.ts'
import type { Context } from '../context.ts'

/** Filters of GitLab's schema, of lists and of counts. */
export const filterArguments = `
    projectId: [ID!]
    reportType: [VulnerabilityReportType!]
    severity: [VulnerabilitySeverity!]
    state: [VulnerabilityState!]
    owaspTopTen: [VulnerabilityOwaspTop10!]
    identifierName: String
    scanner: [String!]
    scannerId: [VulnerabilitiesScannerID!]
    hasResolution: Boolean
    hasAiResolution: Boolean
    hasIssues: Boolean
    hasMergeRequest: Boolean
    hasRemediations: Boolean
    image: [String!]
    clusterAgentId: [ID!]
    dismissalReason: [VulnerabilityDismissalReason!]
    owaspTopTen2021: [VulnerabilityOwasp2021Top10!]
    reachability: VulnerabilityReachabilityType
    validityCheck: [VulnerabilityFindingTokenStatusState!]
    policyViolations: PolicyViolations
    policyAutoDismissed: Boolean
    falsePositive: Boolean`

/** Types of the filters that GitLab has only with advanced search. */
export const advancedFilterTypes = `
enum VulnerabilityOwasp2021Top10 { ${Array.from({ length: 10 }, (_, index) => `A${index + 1}_2021`).join(' ')} NONE }
enum VulnerabilityReachabilityType { IN_USE NOT_FOUND UNKNOWN }
enum VulnerabilityFindingTokenStatusState { ACTIVE INACTIVE UNKNOWN }
enum PolicyViolations { DISMISSED_IN_MR }`

export const listArguments = `${connectionArguments}${filterArguments}
    clusterId: [ID!]
    sort: VulnerabilitySort = severity_desc`

export interface FilterArgs {
  projectId?: string[] | null
  reportType?: string[] | null
  severity?: string[] | null
  state?: string[] | null
  owaspTopTen?: string[] | null
  identifierName?: string | null
  scanner?: string[] | null
  scannerId?: number[] | null
  hasResolution?: boolean | null
  hasAiResolution?: boolean | null
  hasIssues?: boolean | null
  hasMergeRequest?: boolean | null
  hasRemediations?: boolean | null
  image?: string[] | null
  clusterId?: string[] | null
  clusterAgentId?: string[] | null
  dismissalReason?: string[] | null
  owaspTopTen2021?: string[] | null
  reachability?: string | null
  validityCheck?: string[] | null
  policyViolations?: string | null
  policyAutoDismissed?: boolean | null
  falsePositive?: boolean | null
}

export interface VulnerabilityArgs extends FilterArgs, ConnectionArgs {
  sort?: VulnerabilitySort | null
}

/** Filters that GitLab refuses without advanced search. */
const advanced = [
  ...(['owaspTopTen2021', 'reachability', 'validityCheck'] as const),
  ...(['policyViolations', 'policyAutoDismissed', 'falsePositive'] as const),
] satisfies (keyof FilterArgs)[]

const isGiven = (value: unknown) => value !== undefined && value !== null

/**
 * Returns the filter, or undefined when nothing can match. Scanners outside the scope match nothing, because any other
 * result would confirm guesses of their external ids.
 */
export async function readFilterArgs(
  { deps }: Context,
  scope: ListScope | null,
  args: FilterArgs,
): Promise<VulnerabilityFilter | undefined> {
  if (advanced.some((name) => isGiven(args[name]))) {
    throw new GraphQLError('Require advanced vulnerability management to be enabled!')
  }
  const owaspTopTen = lowered(args.owaspTopTen)
  if (owaspTopTen?.includes('none') && owaspTopTen.length > 1) {
    throw new GraphQLError(
      "Incompatible argument: owasp_top_ten. 'NONE' wildcard cannot be combined with other OWASP top 10 values.",
    )
  }
  // No vulnerability has any of these.
  if (args.hasMergeRequest || args.hasAiResolution || args.clusterId?.length || args.clusterAgentId?.length) {
    return undefined
  }
  const byId = args.scannerId?.length
    ? await listScannersOf(deps.db, scope?.projectIds ?? [], args.scannerId)
    : undefined
  const named = byId?.map(({ externalId }) => externalId)
  const scanner = args.scanner?.length ? args.scanner : undefined
  const identifierName = args.identifierName?.trim()
  return {
    reportTypes: lowered(args.reportType),
    // Each value of the enums is a word of the scales.
    severities: lowered(args.severity) as Severity[] | undefined,
    states: lowered(args.state) as State[] | undefined,
    dismissalReasons: lowered(args.dismissalReason) as DismissalReason[] | undefined,
    scanners: named && scanner ? named.filter((name) => scanner.includes(name)) : (named ?? scanner),
    identifiers: identifierName ? [identifierName] : undefined,
    isResolvedOnDefaultBranch: args.hasResolution ?? undefined,
    hasIssue: args.hasIssues ?? undefined,
    hasRemediations: args.hasRemediations ?? undefined,
    images: args.image?.length ? args.image : undefined,
    owaspTopTen,
  }
}

/** Returns undefined for an empty list, which GitLab ignores. */
function lowered(words: readonly string[] | null | undefined): string[] | undefined {
  return words?.length ? words.map((word) => word.toLowerCase()) : undefined
}

/** Returns the ids of projects, which may lack the prefix of global ids. */
export function readProjectIds(written: readonly string[] | null | undefined): number[] | undefined {
  return written?.map((id) => {
    const [, digits] = /^(?:gid:\/\/gitlab\/Project\/)?(\d{1,15})$/.exec(id) ?? []
    if (digits === undefined) throw new GraphQLError(`${JSON.stringify(id.slice(0, 200))} is not the id of a project`)
    return Number(digits)
  })
}
