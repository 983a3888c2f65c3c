import { transaction } from '../../../domain/deps.ts'
import { linkTypes } from '../../../domain/vulnerabilities/triage/link.ts'
import { createLink } from '../../../domain/vulnerabilities/triage/links.ts'
import type { Vulnerability } from '../../../domain/vulnerabilities/vulnerability.ts'
import { refused } from '../../../platform/failure.ts'
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
  types: mutationTypes(
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
  resolvers: {
    Mutation: {
      vulnerabilityIssueLinkCreate: (_: unknown, { input }: { input: LinkInput }, context: Context) =>
        payloadOf(input, async () => ({ issueLinks: await createLinks(context, input) })),
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
