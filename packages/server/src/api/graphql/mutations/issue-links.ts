import { transaction } from '../../../domain/deps.ts'
import type { Project } from '../../../domain/projects/project.ts'
import { requestIssue } from '../../../domain/trackers/issues.ts'
import { findEffectiveTracker } from '../../../domain/trackers/trackers.ts'
import { linkTypes } from '../../../domain/vulnerabilities/triage/link.ts'
import { createLink, findLinkedVulnerability, removeLink } from '../../../domain/vulnerabilities/triage/links.ts'
import type { Vulnerability } from '../../../domain/vulnerabilities/vulnerability.ts'
import { notFound, refused, unprocessable } from '../../../platform/failure.ts'
import type { Context, SchemaPart } from '../context.ts'
import { assertSelection } from './change-selected.ts'
import { callerOf, type MutationInput, mutationTypes, payloadOf, permitWrite } from './mutation.ts'

interface LinkInput extends MutationInput {
  issueId?: number | null
  issueUrl?: string | null
  issueTitle?: string | null
  linkType?: string | null
  vulnerabilityIds: number[]
}

export const issueLinkSchema: SchemaPart = {
  types: [
    mutationTypes(
      'vulnerabilityIssueLinkCreate',
      `  "Issues of GitLab; this server has none, so a link needs issueUrl."
  issueId: IssueID
  "Address of the issue in its tracker."
  issueUrl: String
  issueTitle: String
  linkType: VulnerabilityIssueLinkType = RELATED
  "At most 100."
  vulnerabilityIds: [VulnerabilityID!]!`,
      '  issueLinks: [VulnerabilityIssueLink!]',
    ),
    mutationTypes('vulnerabilityIssueLinkDestroy', '  id: VulnerabilitiesIssueLinkID!', ''),
    mutationTypes('vulnerabilityExternalIssueLinkDestroy', '  id: VulnerabilitiesExternalIssueLinkID!', ''),
    mutationTypes(
      'vulnerabilityExternalIssueLinkCreate',
      `  id: VulnerabilityID!
  linkType: VulnerabilityExternalIssueLinkType!
  externalTracker: VulnerabilityExternalIssueLinkExternalTracker!`,
      `  "Null until a job has created the issue in Jira."
  externalIssueLink: VulnerabilityExternalIssueLink`,
    ),
  ].join(''),
  resolvers: {
    Mutation: {
      vulnerabilityIssueLinkCreate: (_: unknown, { input }: { input: LinkInput }, context: Context) =>
        payloadOf(input, async () => ({ issueLinks: await createLinks(context, input) })),
      vulnerabilityIssueLinkDestroy: destroyLink,
      vulnerabilityExternalIssueLinkDestroy: destroyLink,
      vulnerabilityExternalIssueLinkCreate: (_: unknown, { input }: { input: IdInput }, context: Context) =>
        payloadOf(input, () => requestJiraIssue(context, input.id)),
    },
  },
}

/** Links vulnerabilities to one issue, all or none. */
async function createLinks(context: Context, { vulnerabilityIds, issueUrl, issueTitle, linkType }: LinkInput) {
  const { user } = callerOf(context)
  assertSelection(vulnerabilityIds)
  const vulnerabilities: Vulnerability[] = []
  for (const id of [...new Set(vulnerabilityIds)].sort((a, b) => a - b)) {
    const { vulnerability } = await permitWrite(context, 'vulnerability.link', id)
    vulnerabilities.push(vulnerability as Vulnerability) // rows of vulnerabilities provide one
  }
  if (!issueUrl) throw refused('issueUrl is missing: this server has no issues, only their addresses')
  const type = linkTypes.find((word) => word === linkType?.toLowerCase()) ?? 'related'
  return transaction(context.deps, async (deps) => {
    const links = []
    for (const vulnerability of vulnerabilities) {
      const draft = { url: issueUrl, title: issueTitle ?? undefined, linkType: type }
      links.push(await createLink(deps, vulnerability, user, draft))
    }
    return links
  })
}

interface IdInput extends MutationInput {
  id: number
}

function destroyLink(_: unknown, { input }: { input: IdInput }, context: Context) {
  return payloadOf(input, async () => {
    const { user } = callerOf(context)
    const vulnerabilityId = await findLinkedVulnerability(context.deps, input.id)
    if (vulnerabilityId === undefined) throw notFound()
    const { vulnerability } = await permitWrite(context, 'vulnerability.link', vulnerabilityId)
    await removeLink(context.deps, vulnerability as Vulnerability, user, input.id) // this row provides one
    return {}
  })
}

/** Requests an issue in the tracker of the project, which must be Jira. */
async function requestJiraIssue(context: Context, id: number) {
  const caller = callerOf(context)
  const resources = await permitWrite(context, 'issue.create', id)
  const { project } = resources as { project: Project } // of this row
  const tracker = await findEffectiveTracker(context.deps, project)
  if (tracker?.kind !== 'jira') throw unprocessable('Jira integration is not configured')
  const issue = await requestIssue(context.deps, project, id, caller)
  if (issue.state === 'failed') throw unprocessable(issue.error ?? 'The issue was not created')
  return {}
}
