import type { Permission } from '../../../domain/access/permissions.ts'
import type { CveRecord } from '../../../domain/feeds/feeds.ts'
import type { StoredIdentifier, StoredScanner } from '../../../domain/findings/finding.ts'
import { loadRatings, type RateVector } from '../../../domain/reports/formats/fields/cvss-score.ts'
import type { PastEntry } from '../../../domain/vulnerabilities/triage/history/history-entry.ts'
import type { IssueLink } from '../../../domain/vulnerabilities/triage/link.ts'
import { withFinding } from '../../../domain/vulnerabilities/triage/triage.ts'
import type { Vulnerability, VulnerabilityWithFinding } from '../../../domain/vulnerabilities/vulnerability.ts'
import { vulnerabilityUrl } from '../../v4/findings/web-url.ts'
import { type ConnectionArgs, connectionOfAll, emptyConnection } from '../connection.ts'
import { type Context, type SchemaPart, visible } from '../context.ts'
import { globalId } from '../global-id.ts'
import { viewDetails } from './details.ts'
import { externalLinkResolvers, externalLinkTypeResolvers } from './external-links.ts'
import { viewLocation } from './location.ts'
import { noteResolvers, noteTypeResolvers } from './notes.ts'
import { may } from './project-right.ts'
import { vulnerabilityTypes } from './vulnerability-types.ts'

type Source = VulnerabilityWithFinding

const upper = (word: string | null): string | null => word?.toUpperCase() ?? null

/** Loads a user who may have been deleted. */
const personOf = (id: number | null, { load }: Context) => (id === null ? null : load.person(id))

async function urlOf({ vulnerability }: Source, { load }: Context, origin: string): Promise<string | null> {
  const project = await load.project(vulnerability.projectId)
  return project ? vulnerabilityUrl(project.fullPath, vulnerability.id, origin) : null
}

const vulnerabilityResolvers = {
  id: ({ vulnerability }: Source) => globalId('Vulnerability', vulnerability.id),
  uuid: ({ finding }: Source) => finding.uuid,
  title: ({ vulnerability }: Source) => vulnerability.title,
  name: ({ vulnerability }: Source) => vulnerability.title,
  description: ({ vulnerability, finding }: Source) => vulnerability.description ?? finding.description,
  solution: ({ finding }: Source) => finding.solution,
  state: ({ vulnerability }: Source) => upper(vulnerability.state),
  severity: ({ vulnerability }: Source) => upper(vulnerability.severity),
  reportType: ({ vulnerability }: Source) => upper(vulnerability.reportType),
  project: ({ vulnerability }: Source, _: unknown, { load }: Context) => load.project(vulnerability.projectId),
  async scanner({ vulnerability }: Source, _: unknown, { load }: Context) {
    const scanner = await load.scanner(vulnerability.scannerId)
    return scanner && { ...scanner, reportType: vulnerability.reportType }
  },
  identifiers: ({ finding }: Source, _: unknown, { load }: Context) => load.identifiers(finding.id),
  async primaryIdentifier({ finding }: Source, _: unknown, { load }: Context): Promise<StoredIdentifier | undefined> {
    return (await load.identifiers(finding.id))[0]
  },
  location: viewLocation,
  links: async ({ finding }: Source, _: unknown, { load }: Context) => (await load.extras(finding.id)).links,
  cvss: async ({ finding }: Source, _: unknown, { load }: Context) => rated((await load.extras(finding.id)).cvss),
  async falsePositive({ finding }: Source, _: unknown, { load }: Context) {
    const { flags } = await load.extras(finding.id)
    return flags.some(({ type }) => type === 'flagged-as-likely-false-positive')
  },
  async hasRemediations({ finding }: Source, _: unknown, { load }: Context) {
    return (await load.extras(finding.id)).remediations.length > 0
  },
  resolvedOnDefaultBranch: ({ vulnerability }: Source) => vulnerability.isResolvedOnDefaultBranch,
  presentOnDefaultBranch: ({ vulnerability }: Source) => vulnerability.isOnDefaultBranch,
  detectedAt: ({ vulnerability }: Source) => vulnerability.createdAt,
  confirmedAt: ({ vulnerability }: Source) => vulnerability.confirmedAt,
  resolvedAt: ({ vulnerability }: Source) => vulnerability.resolvedAt,
  dismissedAt: ({ vulnerability }: Source) => vulnerability.dismissedAt,
  updatedAt: ({ vulnerability }: Source) => vulnerability.updatedAt,
  confirmedBy: ({ vulnerability }: Source, _: unknown, context: Context) =>
    personOf(vulnerability.confirmedById, context),
  resolvedBy: ({ vulnerability }: Source, _: unknown, context: Context) =>
    personOf(vulnerability.resolvedById, context),
  dismissedBy: ({ vulnerability }: Source, _: unknown, context: Context) =>
    personOf(vulnerability.dismissedById, context),
  dismissalReason: ({ vulnerability }: Source) => upper(vulnerability.dismissalReason),
  async stateComment({ vulnerability }: Source, _: unknown, { load }: Context) {
    return (await load.transitions(vulnerability.id)).at(-1)?.comment ?? null
  },
  async stateTransitions({ vulnerability }: Source, args: ConnectionArgs, { load }: Context) {
    return connectionOfAll(await load.transitions(vulnerability.id), args)
  },
  async issueLinks({ vulnerability }: Source, args: ConnectionArgs & { linkType?: string }, { load }: Context) {
    const links = await load.links(vulnerability.id)
    const { linkType } = args
    return connectionOfAll(linkType ? links.filter((link) => upper(link.linkType) === linkType) : links, args)
  },
  details: viewDetails,
  async cveEnrichment({ finding }: Source, _: unknown, { load }: Context) {
    const known = await load.cves(finding.id)
    const [first] = known.sort((a, b) => (b.epssMillionths ?? 0) - (a.epssMillionths ?? 0))
    return first ?? null
  },
  representationInformation: () => null,
  ...noteResolvers,
  ...externalLinkResolvers,
  mergeRequest: () => null,
  mergeRequests: emptyConnection,
  vulnerabilityPath: (source: Source, _: unknown, context: Context) => urlOf(source, context, ''),
  webUrl: (source: Source, _: unknown, context: Context) => urlOf(source, context, context.origin),
  userPermissions: (source: Source) => source,
}

let rate: RateVector | undefined

/** Returns the vectors that are valid, with their scores. */
function rated(vectors: readonly { vendor: string; vector: string }[]) {
  rate ??= loadRatings()
  const rateVector = rate
  return vectors.flatMap(({ vendor, vector }) => {
    const rating = rateVector(vector)
    return rating ? [{ vendor, vector, ...rating, severity: upper(rating.severity) }] : []
  })
}

/** Returns a vulnerability if the caller has a permission for it. Throws as the guard does. */
async function permitVulnerability({ permit }: Context, permission: Permission, id: number) {
  const { resources } = await permit(permission, String(id))
  return resources['vulnerability'] as Vulnerability // rows of vulnerabilities provide one
}

export const vulnerabilitySchema: SchemaPart = {
  types: vulnerabilityTypes,
  resolvers: {
    Query: {
      async vulnerability(_: unknown, { id }: { id: number }, context: Context) {
        const vulnerability = await visible(permitVulnerability(context, 'vulnerability.read', id))
        return vulnerability && withFinding(context.deps, vulnerability)
      },
    },
    Vulnerability: vulnerabilityResolvers,
    VulnerabilityScanner: {
      id: ({ id }: StoredScanner) => globalId('Vulnerabilities::Scanner', id),
      reportType: ({ reportType }: { reportType: string }) => upper(reportType),
      reportTypeHumanized: ({ reportType }: { reportType: string }) => humanized(reportType),
    },
    VulnerabilityStateTransitionType: {
      id: ({ id }: PastEntry) => globalId('Vulnerabilities::StateTransition', id),
      fromState: ({ from }: PastEntry) => upper(from),
      toState: ({ to }: PastEntry) => upper(to),
      dismissalReason: ({ dismissalReason }: PastEntry) => upper(dismissalReason),
    },
    VulnerabilityIssueLink: {
      id: ({ id }: IssueLink) => globalId('Vulnerabilities::IssueLink', id),
      linkType: ({ linkType }: IssueLink) => upper(linkType),
      issue: ({ url, ...link }: IssueLink) => ({ ...link, webUrl: url }),
    },
    ...noteTypeResolvers,
    ...externalLinkTypeResolvers,
    CveEnrichment: {
      epssScore: ({ epssMillionths }: CveRecord) => (epssMillionths ?? 0) / 1_000_000,
      isKnownExploit: ({ isKev }: CveRecord) => isKev,
    },
    VulnerabilityPermissions: {
      adminVulnerability: may('vulnerability.bulk', 'project'),
      adminVulnerabilityIssueLink: may('vulnerability.link', 'vulnerability'),
      adminVulnerabilityExternalIssueLink: may('vulnerability.link', 'vulnerability'),
      readVulnerability: may('vulnerability.list', 'project'),
      createVulnerabilityExport: may('export.create', 'project'),
      createVulnerabilityFeedback: may('vulnerability.bulk', 'project'),
      readVulnerabilityFeedback: may('vulnerability.list', 'project'),
      updateVulnerabilityFeedback: may('vulnerability.bulk', 'project'),
      destroyVulnerabilityFeedback: may('vulnerability.bulk', 'project'),
    },
  },
}

/** Returns a word of the scales as a title: `secret_detection` becomes `Secret detection`. */
function humanized(word: string): string {
  if (word === 'sast' || word === 'dast') return word.toUpperCase()
  const spaced = word.replaceAll('_', ' ')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}
