import { instanceUrl } from '../../../platform/settings/settings.ts'
import type { Deps } from '../../deps.ts'
import { describePlace, describeProject } from '../../hooks/describe-place.ts'
import type { HookOwner } from '../../hooks/hook.ts'
import type { ImportEvent } from '../../hooks/hook-event-body.ts'
import { recordEvents } from '../../hooks/record.ts'
import { findSampleProject } from '../../hooks/sample-place.ts'
import { sampleId } from '../../hooks/sample-user.ts'
import type { Import, ImportCounts } from './import.ts'
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
    return [{ body: describe(deps, name, place.project, { ...found, id }) }]
  })
}

/** Returns the event of an invented import for a test delivery. */
export async function sampleImportEvent(deps: Deps, owner: HookOwner): Promise<ImportEvent> {
  const project = await findSampleProject(deps, owner)
  return describe(deps, 'report_imported', describeProject(deps, project), {
    id: sampleId,
    state: 'done',
    ref: project.defaultBranch,
    category: null,
    commitSha: null,
    format: 'gitlab',
    reportType: 'sast',
    scannerName: 'Sample scanner',
    counts: { new: 1, known: 0, gone: 0, returned: 0, promoted: 0 },
    outcome: { problems: [] },
    createdAt: deps.now(),
  })
}

type AnnouncedImport = Pick<
  Import,
  'state' | 'ref' | 'category' | 'commitSha' | 'format' | 'reportType' | 'scannerName' | 'createdAt'
> & {
  id: number
  counts: Pick<ImportCounts, 'new' | 'known' | 'gone' | 'returned' | 'promoted'>
  outcome: { problems: readonly { message: string }[] }
}

function describe(
  { settings }: Deps,
  name: ImportEvent['event_name'],
  project: ReturnType<typeof describeProject>,
  found: AnnouncedImport,
) {
  const { id, counts, outcome } = found
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
    url: `${instanceUrl(settings)}/${project.path_with_namespace}/-/reports/${id}`,
  }
  return { object_kind: 'security_report' as const, event_name: name, project, object_attributes }
}
