import { conflict, notFound, type ReportProblem } from '../../../../platform/failure.ts'
import { instanceUrl } from '../../../../platform/settings/settings.ts'
import type { Caller } from '../../../access/callers.ts'
import { projectEntity } from '../../../audit/audit-event.ts'
import { recordAuditEvent } from '../../../audit/record.ts'
import { forEachBatch } from '../../../batches.ts'
import { type Deps, projectTransaction, type RootDeps } from '../../../deps.ts'
import { findCategoryId } from '../../../findings/findings.ts'
import type { Observation } from '../../../findings/occurrences/occurrence.ts'
import { markAbsent, removeFromCategory } from '../../../findings/occurrences/occurrences.ts'
import { recordEvents } from '../../../hooks/record.ts'
import type { Project } from '../../../projects/project.ts'
import { lockAgainstDeletion } from '../../../projects/projects.ts'
import { applyImportToVulnerabilities } from '../../../vulnerabilities/apply-import/apply-import.ts'
import type { Comparison, HeldAbsences } from '../compare/compare-report.ts'
import type { Import } from '../import.ts'
import { countOpenImports, findImport } from '../import-queries.ts'
import {
  decideHeld,
  deleteHeld,
  holdAbsences,
  insertHeld,
  listHeldOn,
  listStillMissing,
  listSuperseded,
  type StillMissing,
} from './held-absence-queries.ts'

/**
 * Stores the absences that an import holds and notifies the project's webhooks, inside the transaction of the import.
 * An import that is complete or holds absences itself supersedes earlier ones of the same kind.
 */
export async function commitHeld(
  deps: Deps,
  project: Project,
  observation: Observation,
  { held, scans }: Pick<Comparison, 'held' | 'scans'>,
): Promise<void> {
  const { importId } = observation
  if (held || scans.some(({ isComplete }) => isComplete)) {
    for (const id of await listSuperseded(deps.db, observation)) await endWait(deps, id, 'superseded')
  }
  if (!held) return
  await holdAbsences(deps.db, importId, held.count)
  await forEachBatch(held.findingIds, (batch) => insertHeld(deps.db, importId, batch))
  await recordEvents(deps, { kind: 'project', id: project.id }, 'held-report', () => [
    { body: eventOf(deps, project, observation, held) },
  ])
}

export function heldWarnings(held: HeldAbsences | undefined): ReportProblem[] {
  if (!held) return []
  const share = Math.round((held.absent / held.present) * 100)
  const message = `The report would make ${held.absent} of ${held.present} findings of ${held.scanner} absent (${share} %). All absences are held: the findings keep their state until a maintainer applies or discards the absences, or a later complete report has the findings.${held.hasCategory ? '' : ' If the report covers one of several folders or images, send the reports of each with a `category` of its own.'}`
  return [{ type: 'Held', message, pointer: '' }]
}

/** Marks the held findings as absent, or takes them out of the category, as the import would have. Leaves what a later report has. */
export function applyAbsences(deps: RootDeps, project: Project, caller: Caller, id: number): Promise<Import> {
  return projectTransaction(deps, project.id, async (deps) => {
    await lockAgainstDeletion(deps.db, project.id)
    const { ref, category } = await decide(deps, project, id, 'applied')
    const categoryId = category === null ? undefined : await findCategoryId(deps.db, project.id, category)
    const observation = { projectId: project.id, ref, importId: id, categoryId, now: deps.now() }
    const missing = await listStillMissing(deps.db, observation)
    const isElsewhere = ({ isPresent, otherCategories }: StillMissing) => isPresent === true && otherCategories > 0
    const elsewhere = missing.filter(isElsewhere)
    const absent = missing.filter((finding) => !isElsewhere(finding))
    await forEachBatch(idsOf(elsewhere), (batch) => removeFromCategory(deps.db, observation, batch))
    const present = absent.filter(({ isPresent }) => isPresent)
    await forEachBatch(idsOf(present), (batch) => markAbsent(deps.db, observation, batch))
    await applyImportToVulnerabilities(deps, project, {
      ...{ ...observation, userId: caller.user.id, absent: idsOf(absent) },
      ...{ observed: [], changed: [], newOnRef: [], reappeared: [], moved: [] },
    })
    await deleteHeld(deps.db, id)
    await recordAbsences(deps, project, id, { done: 'applied', absent: missing.length })
    return reload(deps, id)
  })
}

/** Records the decision about the held absences of a report. */
function recordAbsences(
  deps: Deps,
  project: Project,
  id: number,
  { done, absent }: { done: 'applied' | 'discarded'; absent?: number },
): Promise<void> {
  return recordAuditEvent(deps, `security_report_absences_${done}`, {
    entity: projectEntity(project),
    message: `${done === 'applied' ? 'Applied' : 'Discarded'} the held absences of a report`,
    target: { type: 'SecurityReport', id, name: `report ${id}` },
    ...(absent !== undefined && { extra: { absent } }),
  })
}

const idsOf = (findings: readonly StillMissing[]) => findings.map(({ id }) => id)

/** Leaves the held findings as they are. */
export function discardAbsences(deps: RootDeps, project: Project, id: number): Promise<Import> {
  return projectTransaction(deps, project.id, async (deps) => {
    await decide(deps, project, id, 'discarded')
    await deleteHeld(deps.db, id)
    await recordAbsences(deps, project, id, { done: 'discarded' })
    return reload(deps, id)
  })
}

async function decide(deps: Deps, project: Project, id: number, state: 'applied' | 'discarded'): Promise<Import> {
  const found = await findImport(deps.db, id)
  if (!found || found.projectId !== project.id) throw notFound()
  // An import that compares its report with the present findings must not lose them meanwhile.
  const { count } = await countOpenImports(deps.db, { projectId: project.id }, 1)
  if (count > 0) throw conflict('Reports of this project are being imported. Try again when they are done.')
  if (!(await decideHeld(deps.db, id, state)))
    throw conflict(`The absences of this report are not held (${found.absences}).`)
  return found
}

/** Ends the waits of all held absences of a ref. */
export async function endWaitsOf(deps: Deps, place: { projectId: number; ref: string }): Promise<void> {
  for (const id of await listHeldOn(deps.db, place)) await endWait(deps, id, 'superseded')
}

async function endWait(deps: Deps, id: number, state: 'superseded'): Promise<void> {
  await decideHeld(deps.db, id, state)
  await deleteHeld(deps.db, id)
}

async function reload(deps: Deps, id: number): Promise<Import> {
  const found = await findImport(deps.db, id)
  if (!found) throw notFound()
  return found
}

/** Returns the event of a held report. It is not an event of GitLab. */
const eventOf = (
  { settings }: Deps,
  project: Project,
  { importId, ref, now }: Observation,
  { scanner, present, count }: HeldAbsences,
) => ({
  object_kind: 'security_report' as const,
  event_name: 'absences_held' as const,
  project: { id: project.id, name: project.name, path_with_namespace: project.fullPath },
  object_attributes: {
    id: importId,
    ref,
    scanner,
    present,
    absent: count,
    created_at: now,
    url: `${instanceUrl(settings)}/${project.fullPath}/-/reports/${importId}`,
  },
})
