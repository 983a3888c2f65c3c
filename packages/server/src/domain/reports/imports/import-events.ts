import { instanceUrl } from '../../../platform/settings.ts'
import type { Deps } from '../../deps.ts'
import { describePlace } from '../../hooks/describe-place.ts'
import type { ImportEvent } from '../../hooks/hook-event-body.ts'
import { recordEvents } from '../../hooks/record.ts'
import { findImport } from './import-queries.ts'

/** Records a webhook event of an import with its result, in the transaction that stores it. Not an event of GitLab. */
export function recordImportEvent(
  deps: Deps,
  name: ImportEvent['event_name'],
  { id, projectId }: { id: number; projectId: number },
): Promise<void> {
  const owner = { kind: 'project', id: projectId } as const
  return recordEvents(deps, owner, 'import', async () => {
    const [found, place] = [await findImport(deps.db, id), await describePlace(deps, owner)]
    if (!found || !place || !('project' in place)) return []
    const { counts, outcome } = found
    const object_attributes = {
      id,
      state: found.state,
      ref: found.ref,
      category: found.category,
      commit_sha: found.commitSha,
      format: found.format,
      report_type: found.reportType,
      scanner: found.scannerName,
      new: counts.new,
      known: counts.known,
      absent: counts.gone,
      reappeared: counts.returned,
      promoted: counts.promoted,
      error: name === 'report_failed' ? (outcome.problems[0]?.message ?? null) : null,
      created_at: found.createdAt,
      url: `${instanceUrl(deps.settings)}/${place.project.path_with_namespace}/-/reports/${id}`,
    }
    return [{ body: { object_kind: 'security_report' as const, event_name: name, ...place, object_attributes } }]
  })
}
