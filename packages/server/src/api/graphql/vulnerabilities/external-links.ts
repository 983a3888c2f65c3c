import type { IssueLink } from '../../../domain/vulnerabilities/triage/link.ts'
import type { VulnerabilityWithFinding } from '../../../domain/vulnerabilities/vulnerability.ts'
import { type ConnectionArgs, connectionArguments, connectionOfAll, connectionTypes } from '../connection.ts'
import type { Context } from '../context.ts'
import { globalId } from '../global-id.ts'

export const externalLinkFields = `
  "Those of the issue links whose issue the tracker of the project has created in Jira."
  externalIssueLinks(${connectionArguments}): VulnerabilityExternalIssueLinkConnection!`

export const externalLinkTypes = `
"A link to an issue that was created in Jira."
type VulnerabilityExternalIssueLink {
  id: ID!
  linkType: VulnerabilityExternalIssueLinkType!
  externalIssue: ExternalIssue
}
enum VulnerabilityExternalIssueLinkType { CREATED }
enum VulnerabilityExternalIssueLinkExternalTracker { JIRA }
"An issue in Jira, as it was last known."
type ExternalIssue {
  title: String
  "Key of the issue, such as SEC-7."
  relativeReference: String
  status: String
  externalTracker: String
  webUrl: String
  createdAt: Time
  updatedAt: Time
}
${connectionTypes('VulnerabilityExternalIssueLink')}`

/** A link and the key of its issue in Jira. */
interface ExternalLink extends IssueLink {
  issueKey: string | null
}

export const externalLinkResolvers = {
  async externalIssueLinks({ vulnerability }: VulnerabilityWithFinding, args: ConnectionArgs, { load }: Context) {
    const created = await load.jiraIssues(vulnerability.id)
    const links = created.length > 0 ? await load.links(vulnerability.id) : []
    const keys = new Map(created.map(({ linkId, issueKey }) => [linkId, issueKey]))
    const external = links.flatMap((link): ExternalLink[] =>
      keys.has(link.id) ? [{ ...link, issueKey: keys.get(link.id) ?? null }] : [],
    )
    return connectionOfAll(external, args)
  },
}

export const externalLinkTypeResolvers = {
  VulnerabilityExternalIssueLink: {
    id: ({ id }: ExternalLink) => globalId('Vulnerabilities::ExternalIssueLink', id),
    linkType: () => 'CREATED',
    externalIssue: ({ title, issueKey, state, url, createdAt, updatedAt }: ExternalLink) => ({
      title,
      relativeReference: issueKey,
      status: state,
      externalTracker: 'jira',
      webUrl: url,
      createdAt,
      updatedAt,
    }),
  },
}
