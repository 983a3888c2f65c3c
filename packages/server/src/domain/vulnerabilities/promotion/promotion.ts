import { invalid } from '../../../platform/failure.ts'
import { projectEntity } from '../../audit/audit-event.ts'
import { recordAuditEvent } from '../../audit/record.ts'
import { forEachBatch } from '../../batches.ts'
import { type Deps, projectTransaction } from '../../deps.ts'
import { attachFinding, attachFindings } from '../../findings/findings.ts'
import { severityOf } from '../../findings/scales.ts'
import type { Project } from '../../projects/project.ts'
import { lockAgainstDeletion } from '../../projects/projects.ts'
import type { User } from '../../users/user.ts'
import { dueOnBy } from '../due-dates/due-date.ts'
import { findPolicyOfProject } from '../due-dates/due-date-policy-queries.ts'
import { readFlawKeys } from '../flaws/flaw-keys.ts'
import { addToFacetCounts, type CountChange, newlyDetected } from '../list/counts/count-change-queries.ts'
import { listWithFindings } from '../list/list-queries.ts'
import { upsertPromoted } from '../list/promoted-queries.ts'
import { noScores, readScores } from '../priority/scores.ts'
import { openAssignment } from '../project-files/codeowners/assign-owners.ts'
import { applyRules, loadRules, type ProjectRules } from '../rules/apply-rules.ts'
import { listHeld } from '../rules/held-findings.ts'
import { dismissSuppressed } from '../suppressions/apply-suppressions.ts'
import { titleOf } from '../title.ts'
import { insertCreated } from '../triage/history/history-queries.ts'
import { recordVulnerabilityChanges } from '../triage/history/vulnerability-events.ts'
import type { VulnerabilityWithFinding } from '../vulnerability.ts'
import { insertVulnerabilities, insertVulnerability, listUnattachedFindings, lockFinding } from './promotion-queries.ts'

/** Turns a finding, given by id or uuid, into a vulnerability that users can triage. */
export function promoteFinding(
  deps: Deps,
  project: Project,
  author: User,
  reference: number | string,
): Promise<VulnerabilityWithFinding> {
  return projectTransaction(deps, project.id, async (deps) => {
    await lockAgainstDeletion(deps.db, project.id)
    const finding = await lockFinding(deps.db, project.id, reference)
    if (!finding || finding.vulnerabilityId !== null) throw notPromotable()

    const now = deps.now()
    const fixAvailableAt = finding.hasFix ? now : null
    const policy = await findPolicyOfProject(deps.db, project.id)
    const vulnerability = await insertVulnerability(deps.db, {
      projectId: project.id,
      authorId: author.id,
      title: titleOf(finding.name),
      severity: finding.severity,
      confidence: finding.confidence,
      reportType: finding.reportType,
      scannerId: finding.scannerId,
      dueOn: dueOnBy(policy, { ...finding, createdAt: now, fixAvailableAt }),
      fixAvailableAt,
      scores: (await readScores(deps, [finding.id])).get(finding.id) ?? noScores,
      flawKey: (await readFlawKeys(deps, [finding.id])).get(finding.id),
      now,
    })
    // Two requests may get this far; only one of them attaches.
    const attached = await attachFinding(deps.db, finding.id, vulnerability.id, vulnerability.createdAt)
    if (!attached) throw notPromotable()
    await upsertPromoted(deps.db, [vulnerability.id])
    const created = newlyDetected({ ...finding, isOnDefaultBranch: true })
    await addToFacetCounts(deps.db, project.id, [created], vulnerability.createdAt)
    await insertCreated(deps.db, [vulnerability.id], author.id, vulnerability.createdAt)
    const rules = await loadRules(deps, project)
    const applied = rules && (await applyRules(deps, project, rules, { ids: [vulnerability.id], announces: false }))
    const suppressed = await dismissSuppressed(deps, project, finding.isSuppressed ? [finding.id] : [])
    await addToFacetCounts(deps.db, project.id, [...(applied?.counts ?? []), ...suppressed], vulnerability.createdAt)
    await recordVulnerabilityChanges(deps, project.id, [vulnerability.id])
    await recordAuditEvent(deps, 'vulnerability_created', {
      entity: projectEntity(project),
      message: 'Created a vulnerability from a finding',
      target: { type: 'Vulnerability', id: vulnerability.id, name: vulnerability.title },
      author,
    })
    const assign = await openAssignment(deps, project)
    if (assign) await assign([vulnerability.id], { importId: null, now })
    // Read again, because rules and suppressions may have changed it.
    const [promoted] = await listWithFindings(deps.db, [vulnerability.id])
    if (!promoted) throw new Error('a promoted finding has no vulnerability')
    return promoted
  })
}

/** GitLab has one message for an unknown finding, one of another project, and one that is attached already. */
const notPromotable = () => invalid({ base: ['finding is not found or is already attached to a vulnerability'] })

/**
 * Promotes those of the findings that have no vulnerability, inside the caller's transaction, and returns their number.
 * Findings that the default branch has never observed are listed only for their branches until it does. The author is
 * null if the account has been deleted since the request.
 */
export async function promoteFindings(
  deps: Deps,
  project: Project,
  authorId: number | null,
  { findingIds, isAutomatic }: PromotedFindings,
): Promise<number> {
  if (findingIds.length === 0) return 0
  const counts: CountChange[] = []
  const rules = await loadRules(deps, project)
  const assign = await openAssignment(deps, project)
  let promoted = 0
  await forEachBatch(findingIds, async (batch) => {
    const held = rules && isAutomatic ? await listHeld(deps, rules, batch) : undefined
    const ids = held ? batch.filter((id) => !held.has(id)) : batch
    const done = await promoteBatch(deps, project, authorId, { findingIds: ids, rules })
    await assign?.(done.vulnerabilityIds, { importId: null, now: deps.now() })
    counts.push(...done.counts)
    promoted += done.vulnerabilityIds.length
  })
  await addToFacetCounts(deps.db, project.id, counts, deps.now())
  return promoted
}

export interface PromotedFindings {
  findingIds: readonly number[]
  /** Whether an import promotes them, so that a rule can hold them back. */
  isAutomatic: boolean
}

/** Records one event for all findings that a request or an import has promoted. */
export async function recordPromotion(
  deps: Deps,
  project: Project,
  author: User | null,
  { promoted, importId }: { promoted: number; importId?: number },
): Promise<void> {
  if (promoted === 0) return
  await recordAuditEvent(deps, 'vulnerabilities_promoted', {
    entity: projectEntity(project),
    message: `Created ${promoted} vulnerabilities from findings`,
    author,
    ...(importId !== undefined && { target: { type: 'SecurityReport', id: importId, name: `report ${importId}` } }),
    extra: { promoted },
  })
}

async function promoteBatch(
  deps: Deps,
  project: Project,
  authorId: number | null,
  { findingIds, rules }: { findingIds: readonly number[]; rules: ProjectRules | undefined },
): Promise<{ vulnerabilityIds: number[]; counts: CountChange[] }> {
  const unattached = await listUnattachedFindings(deps.db, findingIds, project.defaultBranch)
  if (unattached.length === 0) return { vulnerabilityIds: [], counts: [] }
  const now = deps.now()
  const policy = await findPolicyOfProject(deps.db, project.id)
  const ids = unattached.map(({ id }) => id)
  const scores = await readScores(deps, ids)
  const flawKeys = await readFlawKeys(deps, ids)
  const drafts = unattached.map((finding) => {
    const fixAvailableAt = finding.hasFix ? now : null
    const dueOn = dueOnBy(policy, { severity: severityOf(finding.severity), createdAt: now, fixAvailableAt })
    const flawKey = flawKeys.get(finding.id)
    const score = scores.get(finding.id) ?? noScores
    return { ...finding, ...score, title: titleOf(finding.name), dueOn, fixAvailableAt, flawKey }
  })
  const vulnerabilityIds = await insertVulnerabilities(deps.db, { projectId: project.id, authorId, now }, drafts)
  await attachFindings(
    deps.db,
    drafts.map(({ id }, index) => ({ findingId: id, vulnerabilityId: vulnerabilityIds[index] })),
    now,
  )
  await upsertPromoted(deps.db, vulnerabilityIds)
  await insertCreated(deps.db, vulnerabilityIds, authorId, now)
  const ruled = rules && (await applyRules(deps, project, rules, { ids: vulnerabilityIds, announces: false }))
  const suppressed = unattached.flatMap(({ id, isSuppressed }) => (isSuppressed ? id : []))
  const dismissed = await dismissSuppressed(deps, project, suppressed)
  await recordVulnerabilityChanges(deps, project.id, vulnerabilityIds)
  const counts = unattached.map((finding) => newlyDetected({ ...finding, severity: severityOf(finding.severity) }))
  return { vulnerabilityIds, counts: [...counts, ...(ruled?.counts ?? []), ...dismissed] }
}
