import Type from 'typebox'
import {
  findIssueOf,
  maxRequestedIssues,
  requestIssue,
  requestIssues,
  synchronizationOf,
} from '../../../domain/trackers/issues.ts'
import { findEffectiveTracker, findTrackerOfIssue } from '../../../domain/trackers/trackers.ts'
import { flag } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { parameterProblem } from '../../../platform/failure.ts'
import { route } from '../route.ts'
import { oneSelection, selectionFields, selectionFrom } from '../vulnerabilities/selection.ts'
import { createdIssueView, requestedIssueView, trackerPlaceView, viewTrackerIssue, viewTrackerPlace } from './views.ts'

const issuesInput = Type.Object(
  {
    ...selectionFields,
    dry_run: flag({ default: false, description: 'Dry run: return what would be created without creating anything' }),
  },
  oneSelection,
)

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
      const synchronization = issue && synchronizationOf(issue, await findTrackerOfIssue(deps, issue))
      return {
        issue: issue ? viewTrackerIssue(issue) : null,
        tracker: tracker ? viewTrackerPlace(tracker) : null,
        synchronization: synchronization ?? null,
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
    summary: `Create one issue for each of at most ${maxRequestedIssues} vulnerabilities in the issue tracker of the project`,
    permission: 'issue.create-many',
    input: issuesInput,
    status: 200,
    isUnfinished: ({ dry_run: isDryRun }) => !isDryRun,
    output: Type.Object({
      requested: Type.Integer(),
      unchanged: Type.Integer({ description: 'Vulnerabilities that have an issue, or for which one is being created' }),
      dry_run: Type.Boolean(),
      tracker: trackerPlaceView,
    }),
    async handle({ deps, project, caller, input }) {
      if (input.vulnerability_ids?.length === 0) throw parameterProblem('vulnerability_ids is empty')
      const { tracker, ...counts } = await requestIssues(deps, project, caller, {
        selection: selectionFrom(input, caller),
        expectedCount: input.expected_count,
        isDryRun: input.dry_run,
      })
      return { ...counts, dry_run: input.dry_run, tracker: viewTrackerPlace(tracker) }
    },
  }),
]
