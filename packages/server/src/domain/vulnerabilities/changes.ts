import { instanceUrl } from '../../platform/settings.ts'
import type { Deps } from '../deps.ts'
import { groupBy } from '../group-by.ts'
import { inSlices } from '../slices.ts'
import { findListeners } from '../webhooks/record.ts'
import { type AnnouncedVulnerability, findNewestVulnerability, listAnnounced, listLinked } from './changes-queries.ts'
import type { StoredIdentifier } from './finding.ts'
import { listIdentifiers } from './finding-queries.ts'

/**
 * Writes down for the project's webhooks that these vulnerabilities are new or have changed, as they are now. In the
 * transaction that changes them; where nobody listens it costs one small query.
 */
export async function recordVulnerabilityChanges(
  deps: Deps,
  projectId: number,
  vulnerabilityIds: readonly number[],
): Promise<void> {
  if (vulnerabilityIds.length === 0) return
  const listeners = await findListeners(deps, projectId)
  if (listeners.isNobody) return
  await inSlices(vulnerabilityIds, async (slice) => listeners.record(await describeChanged(deps, slice)))
  await listeners.send()
}

/** What is told of the newest vulnerability of a project, to try a webhook; `undefined` when there is none. */
export async function describeNewestVulnerability(deps: Deps, projectId: number): Promise<object | undefined> {
  const id = await findNewestVulnerability(deps.db, projectId)
  const [described] = id === undefined ? [] : await describeChanged(deps, [id])
  return described
}

async function describeChanged(deps: Deps, ids: readonly number[]): Promise<object[]> {
  const changed = await listAnnounced(deps.db, ids)
  const findingIds = changed.map(({ findingId }) => findingId)
  const identifiersOf = groupBy(await listIdentifiers(deps.db, findingIds), ({ findingId }) => findingId)
  const linksOf = groupBy(await listLinked(deps.db, ids), ({ vulnerabilityId }) => vulnerabilityId)
  return changed.map((vulnerability) => {
    const { id, findingId } = vulnerability
    return describe(deps, vulnerability, identifiersOf.get(findingId) ?? [], linksOf.get(id) ?? [])
  })
}

/** The body of a `Vulnerability Hook` (contract 7). */
function describe(
  { settings }: Deps,
  changed: AnnouncedVulnerability,
  identifiers: readonly StoredIdentifier[],
  links: Awaited<ReturnType<typeof listLinked>>,
) {
  return {
    object_kind: 'vulnerability',
    object_attributes: {
      url: `${instanceUrl(settings)}/${changed.projectPath}/-/security/vulnerabilities/${changed.id}`,
      title: changed.title,
      state: changed.state,
      project_id: changed.projectId,
      location: changed.location,
      cvss: changed.cvss.map(({ vector, vendor }) => ({ vector, vendor })),
      severity: changed.severity,
      severity_overridden: changed.isSeverityOverridden,
      identifiers: identifiers.map(({ name, externalId, externalType, url }) => ({
        name,
        external_id: externalId,
        external_type: externalType,
        url,
      })),
      issues: links.map(({ title, url, createdAt, updatedAt }) => ({
        title,
        url,
        created_at: createdAt,
        updated_at: updatedAt,
      })),
      report_type: changed.reportType,
      confirmed_at: changed.confirmedAt,
      confirmed_by_id: changed.confirmedById,
      dismissed_at: changed.dismissedAt,
      dismissed_by_id: changed.dismissedById,
      resolved_at: changed.resolvedAt,
      resolved_by_id: changed.resolvedById,
      auto_resolved: changed.isAutoResolved,
      resolved_on_default_branch: changed.isResolvedOnDefaultBranch,
      created_at: changed.createdAt,
      updated_at: changed.updatedAt,
    },
  }
}
