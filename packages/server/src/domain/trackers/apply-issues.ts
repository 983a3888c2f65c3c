import { projectTransaction, type RootDeps } from '../deps.ts'
import { updateLinkedIssue } from '../vulnerabilities/triage/links.ts'
import type { RemoteIssue } from './tracker-issue.ts'
import { listSynchronizedLinks, markSynchronized } from './tracker-issue-queries.ts'

/** Stores titles and states of those issues that belong to vulnerabilities. */
export async function applyIssues(deps: RootDeps, trackerId: number, issues: readonly RemoteIssue[]): Promise<void> {
  const byKey = new Map(issues.map((issue) => [issue.key, issue]))
  const links = await listSynchronizedLinks(deps.db, trackerId, [...byKey.keys()])
  for (const link of links) {
    const issue = byKey.get(link.issueKey)
    if (!issue || (issue.state === link.state && issue.title === link.title)) continue
    const closedAt = issue.state === 'closed' ? issue.updatedAt : null
    await projectTransaction(deps, link.projectId, (deps) =>
      updateLinkedIssue(deps, link.linkId, { title: issue.title, state: issue.state, closedAt }),
    )
  }
  const ids = links.map(({ linkId }) => linkId)
  if (ids.length > 0) await markSynchronized(deps.db, ids, deps.now())
}
