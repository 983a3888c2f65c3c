import { setImmediate } from 'node:timers/promises'
import { instanceUrl } from '../../platform/settings/settings.ts'
import { type Deps, projectTransaction, type RootDeps, transaction } from '../deps.ts'
import type { Namespace } from '../namespaces/namespace.ts'
import { isStillPermitted } from '../projects/current-rights.ts'
import type { Project } from '../projects/project.ts'
import { listProjectsById, lockAgainstDeletion } from '../projects/projects.ts'
import type { Visitor } from '../projects/visible.ts'
import type { User } from '../users/user.ts'
import type { ListScope } from '../vulnerabilities/list/filter.ts'
import { readableScope } from '../vulnerabilities/list/readable-scope.ts'
import type { Change } from '../vulnerabilities/triage/change.ts'
import { changeGroups } from '../vulnerabilities/triage/change-groups.ts'
import { findCandidates, listProjectsWith } from './candidates.ts'
import { describeVex, type PlannedDocument, type PlannedProject, type VexImport } from './describe-vex.ts'
import { type MatchCost, startMatcher } from './match.ts'
import { markRequests, type PlannedStatement, planStatements, refuseChanges } from './plan.ts'
import { readVex } from './read-vex.ts'
import { rejectedVex, type VexDocument, type VexStatement } from './statement.ts'

interface VexOptions {
  /** Ref whose vulnerabilities the document is about. Absent: the default branch. */
  ref?: string | undefined
  /** Also changes what users decided after a statement. */
  override?: boolean | undefined
  isDryRun?: boolean | undefined
}

export interface ReceivedVex {
  bytes: Buffer
  options: VexOptions
}

/** Applies the statements of a VEX document to the vulnerabilities of a project, or describes what they would change. */
export async function importVex(
  deps: RootDeps,
  project: Project,
  user: User,
  { bytes, options: { isDryRun = false, ...options } }: ReceivedVex,
): Promise<VexImport> {
  const document = readVex(bytes)
  const plan = async (deps: Deps): Promise<PlannedDocument> => {
    const planned = await planProject(deps, project, { document, options, cost: { comparisons: 0, matches: 0 } })
    const unmatched = planned.flatMap(({ statement, unmatched }) =>
      unmatched === undefined ? [] : ([[statement, unmatched]] as const),
    )
    return { document, projects: [{ project, planned }], unmatched: new Map(unmatched) }
  }
  if (isDryRun) return describeVex(await plan(deps), { bulkIds: [], isDryRun })
  return projectTransaction(deps, project.id, async (deps) => {
    const planned = await plan(deps)
    return describeVex(planned, { bulkIds: await applyPlan(deps, user, planned.projects), isDryRun })
  })
}

/** Maximum number of vulnerabilities of a group that one document changes, in one transaction. */
const maxChanged = 10_000

/**
 * Applies the statements of a VEX document to the projects of a group whose vulnerabilities the caller may read: all of
 * them, or none. In projects in which they may not triage, statements change nothing and are reported as refused.
 */
export async function importVexOfGroup(
  deps: RootDeps,
  group: Namespace,
  caller: Visitor,
  { bytes, options: { isDryRun = false, ...options } }: ReceivedVex,
): Promise<VexImport> {
  const document = readVex(bytes)
  const scope = await readableScope(deps, caller, { group })
  const plan = (deps: Deps) => planGroup(deps, caller, scope, { document, options })
  if (isDryRun) return describeVex(await plan(deps), { bulkIds: [], isDryRun })
  return transaction(deps, async (deps) => {
    const planned = await plan(deps)
    const all = planned.projects.flatMap(({ planned }) => planned.flatMap(({ effects }) => effects))
    if (all.filter(({ change }) => change).length > maxChanged) {
      throw rejectedVex(
        `The document changes more than ${maxChanged} vulnerabilities of the group. Import it into its projects.`,
      )
    }
    return describeVex(planned, { bulkIds: await applyPlan(deps, caller.user, planned.projects), isDryRun })
  })
}

interface ReadDocument {
  document: VexDocument
  options: Omit<VexOptions, 'isDryRun'>
}

async function planGroup(
  deps: Deps,
  caller: Visitor,
  scope: ListScope,
  { document, options }: ReadDocument,
): Promise<PlannedDocument> {
  const requester = { userId: caller.user.id, asAdmin: caller.isAdmin }
  const projectIds = await listProjectsWith(deps, scope, idsOf(document), options.ref)
  const projects: PlannedProject[] = []
  const cost = { comparisons: 0, matches: 0 }
  for (const project of (await listProjectsById(deps.db, projectIds)).sort((a, b) => a.id - b.id)) {
    const all = await planProject(deps, project, { document, options, cost })
    const planned = all.filter(({ effects }) => effects.length > 0)
    if (!(await isStillPermitted(deps, 'vex.import', project, requester))) refuseChanges(project, planned)
    if (planned.length > 0) projects.push({ project, planned })
    await setImmediate()
  }
  const matched = new Set(projects.flatMap(({ planned }) => planned.map(({ statement }) => statement)))
  const others = document.statements.filter((statement) => !matched.has(statement))
  return { document, projects, unmatched: new Map(others.map((one) => [one, reasonOfNone(one)])) }
}

function reasonOfNone({ ids, components, products }: VexStatement): string {
  const [component] = [...components, ...products]
  const place = component === undefined ? '' : ` in ${component}`
  return `no project of the group has ${ids[0] ?? 'a vulnerability without an id'}${place}`
}

const idsOf = ({ statements }: VexDocument): string[] => [
  ...new Set(statements.flatMap(({ ids }) => ids).map((id) => id.toLowerCase())),
]

async function planProject(
  deps: Deps,
  project: Project,
  { document, options: { ref, override = false }, cost }: ReadDocument & { cost: MatchCost },
): Promise<PlannedStatement[]> {
  const candidates = await findCandidates(deps, project.id, idsOf(document), ref)
  const matcher = startMatcher(candidates, { project, instanceUrl: instanceUrl(deps.settings), cost })
  const planned = planStatements(document.statements, matcher, override)
  await markRequests(deps, project.id, planned)
  return planned
}

/** Changes the vulnerabilities in the order of projects. Returns the ids of the bulk changes. */
async function applyPlan(deps: Deps, user: User, projects: readonly PlannedProject[]): Promise<number[]> {
  const bulkIds: number[] = []
  if (projects.length > 1) for (const { project } of projects) await lockAgainstDeletion(deps.db, project.id)
  for (const { project, planned } of projects) {
    bulkIds.push(...(await changeGroups(deps, project, user, groupsOf(planned))))
  }
  return bulkIds
}

/** Returns the ids of the vulnerabilities by the change that is the same for them. */
function groupsOf(planned: readonly PlannedStatement[]): { change: Change; ids: number[] }[] {
  const groups = new Map<string, { change: Change; ids: number[] }>()
  for (const { effects } of planned) {
    for (const { change, candidate } of effects) {
      if (!change) continue
      const key = JSON.stringify(change)
      const group = groups.get(key) ?? { change, ids: [] }
      group.ids.push(candidate.id)
      groups.set(key, group)
    }
  }
  return [...groups.values()]
}
