import { setImmediate } from 'node:timers/promises'
import { projectTransaction, type RootDeps } from '../../deps.ts'
import { findProjectById } from '../../projects/projects.ts'
import { lockVulnerabilities } from '../triage/triage-queries.ts'
import { type ExpiredRequest, findRequest, listExpired } from './dismissal-request-queries.ts'
import { endRequest, recordDecided } from './dismissal-requests.ts'

const batchSize = 100

/** Ends requests for dismissals that were not decided in time. */
export async function expireRequests(deps: RootDeps): Promise<void> {
  for (let more = true; more; ) {
    const expired = await listExpired(deps.db, deps.now(), batchSize)
    for (const one of expired) await expireRequest(deps, one)
    more = expired.length === batchSize
    await setImmediate()
  }
}

/** Another process may have ended the request, or a user may have decided it. */
function expireRequest(deps: RootDeps, { id, projectId, vulnerabilityId }: ExpiredRequest): Promise<void> {
  return projectTransaction(deps, projectId, async (deps) => {
    const now = deps.now()
    const project = await findProjectById(deps.db, projectId)
    const [vulnerability] = await lockVulnerabilities(deps.db, projectId, [vulnerabilityId])
    const request = await findRequest(deps.db, projectId, id)
    if (!project || !vulnerability || request?.state !== 'pending') return
    await endRequest(deps, project, {
      request,
      vulnerability,
      decision: { state: 'expired', userId: null, comment: null, now },
      entry: { vulnerabilityId, kind: 'dismissal_expired', details: { dismissal_request_id: id } },
    })
    await recordDecided(deps, project, request, 'vulnerability_dismissal_expired')
  })
}
