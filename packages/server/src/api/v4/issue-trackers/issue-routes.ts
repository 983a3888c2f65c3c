import Type from 'typebox'
import { findIssueOf, requestIssue, requestIssues } from '../../../domain/trackers/issues.ts'
import { findEffectiveTracker, findTrackerOfIssue } from '../../../domain/trackers/trackers.ts'
import { assertAreOfProject } from '../../../domain/vulnerabilities/triage/bulk.ts'
import { integerList } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { parameterProblem } from '../../../platform/failure.ts'
import { route } from '../route.ts'
import { createdIssueView, requestedIssueView, viewTrackerIssue } from './views.ts'

const maxSelected = 100

export const trackerIssueRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/vulnerabilities/:id/issue',
    summary: 'Get the issue that was requested for a vulnerability, and the issue tracker of its project',
    permission: 'issue.read',
    status: 200,
    output: requestedIssueView,
    async handle({ deps, project, vulnerability }) {
      const issue = await findIssueOf(deps, vulnerability.id)
      const tracker = await findEffectiveTracker(deps, project)
      const followed = issue && (await findTrackerOfIssue(deps, issue))
      return {
        issue: issue ? viewTrackerIssue(issue) : null,
        tracker: tracker ? { kind: tracker.kind, url: tracker.url, project: tracker.place } : null,
        synchronization: followed ? { at: followed.polledAt, error: followed.syncError } : null,
      }
    },
  }),
  route({
    method: 'POST',
    path: '/vulnerabilities/:id/issue',
    summary: 'Create an issue for a vulnerability in the issue tracker of its project, at most once',
    permission: 'issue.create',
    status: 202,
    output: createdIssueView,
    handle: async ({ deps, project, vulnerability, caller }) =>
      viewTrackerIssue(await requestIssue(deps, project, vulnerability.id, caller)),
  }),
  route({
    method: 'POST',
    path: '/projects/:id/vulnerabilities/issues',
    summary: 'Create one issue for each of these vulnerabilities in the issue tracker of the project',
    permission: 'issue.create-many',
    input: Type.Object({ vulnerability_ids: integerList({ description: `At most ${maxSelected}` }) }),
    status: 202,
    output: Type.Object({
      requested: Type.Integer(),
      unchanged: Type.Integer({ description: 'Vulnerabilities that have an issue, or for which one is being created' }),
    }),
    async handle({ deps, project, caller, input }) {
      const ids = input.vulnerability_ids
      if (ids.length === 0) throw parameterProblem('vulnerability_ids is empty')
      if (ids.length > maxSelected) throw parameterProblem(`vulnerability_ids has more than ${maxSelected} values`)
      await assertAreOfProject(deps, project, ids)
      return requestIssues(deps, project, ids, caller)
    },
  }),
]
