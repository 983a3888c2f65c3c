import Type from 'typebox'
import type { IssueLink } from '../../../domain/vulnerabilities/triage/link.ts'
import { linkTypes } from '../../../domain/vulnerabilities/triage/link.ts'
import { createLink, findLinks, removeLink } from '../../../domain/vulnerabilities/triage/links.ts'
import { withFinding } from '../../../domain/vulnerabilities/triage/triage.ts'
import type { BasicVulnerability } from '../../../domain/vulnerabilities/vulnerability.ts'
import { integer, oneOf, optional, text } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { notFound, parameterProblem } from '../../../platform/failure.ts'
import { route } from '../route.ts'
import { nullableUser, viewBasicUser } from '../users/views.ts'
import { nullableTimestamp, timestamp } from '../views.ts'
import { viewChanged, vulnerabilityView } from './views.ts'

const linkType = Type.Unsafe<(typeof linkTypes)[number]>({ type: 'string', enum: linkTypes })

/**
 * Fields of an issue that GitLab's clients read. Title and state are those of the tracker where Alcove follows the issue.
 * The other fields that only the tracker has contain the values of a new issue.
 */
const issueFields = {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Integer(),
  title: Type.String(),
  description: Type.Null(),
  state: Type.String(),
  created_at: timestamp,
  updated_at: timestamp,
  closed_at: nullableTimestamp,
  closed_by: Type.Null(),
  labels: Type.Array(Type.String()),
  milestone: Type.Null(),
  assignees: Type.Array(Type.Object({})),
  author: nullableUser,
  type: Type.String(),
  assignee: Type.Null(),
  user_notes_count: Type.Integer(),
  merge_requests_count: Type.Integer(),
  upvotes: Type.Integer(),
  downvotes: Type.Integer(),
  due_date: Type.Null(),
  confidential: Type.Boolean(),
  discussion_locked: Type.Null(),
  issue_type: Type.String(),
  web_url: Type.String(),
}

const issueView = Type.Object(issueFields, { title: 'LinkedIssue' })
const linkedIssueView = Type.Object(
  { ...issueFields, vulnerability_link_id: Type.Integer(), vulnerability_link_type: linkType },
  { title: 'VulnerabilityIssue' },
)
const linkView = Type.Object(
  { id: Type.Integer(), vulnerability: vulnerabilityView, issue: issueView, link_type: linkType },
  { title: 'VulnerabilityIssueLink' },
)

function viewIssue(link: IssueLink, projectId: number, origin: string) {
  return {
    id: link.id,
    iid: numberIn(link.url) ?? link.id,
    project_id: projectId,
    title: link.title,
    description: null,
    state: link.state,
    created_at: link.createdAt,
    updated_at: link.updatedAt,
    closed_at: link.closedAt,
    closed_by: null,
    labels: [],
    milestone: null,
    assignees: [],
    author: link.author && viewBasicUser(link.author, origin),
    type: 'ISSUE',
    assignee: null,
    user_notes_count: 0,
    merge_requests_count: 0,
    upvotes: 0,
    downvotes: 0,
    due_date: null,
    confidential: false,
    discussion_locked: null,
    issue_type: 'issue',
    web_url: link.url,
  }
}

/** Returns the issue number at the end of a tracker's URL: `…/issues/12`, `…/browse/SHOP-12`. */
export function numberIn(url: string): number | undefined {
  const [digits] = /\d{1,15}$/.exec(new URL(url).pathname.replace(/\/$/, '')) ?? []
  return digits === undefined ? undefined : Number(digits)
}

const viewLinkedIssue = (link: IssueLink, { projectId }: BasicVulnerability, origin: string) => ({
  ...viewIssue(link, projectId, origin),
  vulnerability_link_id: link.id,
  vulnerability_link_type: link.linkType,
})

export const vulnerabilityLinkRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/vulnerabilities/:id/issue_links',
    summary: 'List the issues that a vulnerability is linked to',
    permission: 'vulnerability.read',
    status: 200,
    output: Type.Array(linkedIssueView),
    handle: async ({ deps, vulnerability, origin }) =>
      (await findLinks(deps, [vulnerability.id])).map((link) => viewLinkedIssue(link, vulnerability, origin)),
  }),
  route({
    method: 'POST',
    path: '/vulnerabilities/:id/issue_links',
    summary: 'Link a vulnerability to an issue in any tracker',
    permission: 'vulnerability.link',
    input: Type.Object({
      url: optional(text({ allowBlank: false, description: 'URL of the issue; http or https' })),
      title: optional(text({ description: 'Default: the URL' })),
      link_type: oneOf(linkTypes, {
        default: 'related',
        description: 'A vulnerability can have at most one `created` link',
      }),
      target_issue_iid: optional(
        integer({ description: 'GitLab’s parameter; never found, because projects have no issues' }),
      ),
      target_project_id: optional(text({ description: 'GitLab’s parameter; see `target_issue_iid`' })),
    }),
    status: 201,
    output: linkView,
    async handle({ deps, project, vulnerability, caller, input, origin }) {
      const { url, title } = input
      if (input.target_issue_iid !== undefined) throw notFound()
      if (url === undefined) throw parameterProblem('target_issue_iid is missing')
      const link = await createLink(deps, vulnerability, caller.user, { url, title, linkType: input.link_type })
      return {
        id: link.id,
        vulnerability: await viewChanged(deps, project, await withFinding(deps, vulnerability), origin),
        issue: viewIssue(link, project.id, origin),
        link_type: link.linkType,
      }
    },
  }),
  route({
    method: 'DELETE',
    path: '/vulnerabilities/:id/issue_links/:issue_link_id',
    summary: 'Remove the link between a vulnerability and an issue',
    permission: 'vulnerability.link',
    input: Type.Object({ issue_link_id: integer() }),
    status: 200,
    output: linkView,
    async handle({ deps, project, vulnerability, caller, input, origin }) {
      const link = await removeLink(deps, vulnerability, caller.user, input.issue_link_id)
      return {
        id: link.id,
        vulnerability: await viewChanged(deps, project, await withFinding(deps, vulnerability), origin),
        issue: viewIssue(link, project.id, origin),
        link_type: link.linkType,
      }
    },
  }),
]
