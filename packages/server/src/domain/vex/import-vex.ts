import { instanceUrl } from '../../platform/settings.ts'
import type { Deps } from '../deps.ts'
import { projectTransaction, type RootDeps } from '../deps.ts'
import type { DismissalReason } from '../findings/scales.ts'
import type { Project } from '../projects/project.ts'
import type { User } from '../users/user.ts'
import type { Change } from '../vulnerabilities/triage/change.ts'
import { changeGroups } from '../vulnerabilities/triage/change-groups.ts'
import { findCandidates } from './candidates.ts'
import { startMatcher } from './match.ts'
import { type Effect, markRequests, type PlannedStatement, planStatements } from './plan.ts'
import { readVex } from './read-vex.ts'
import type { VexDocument, VexFormat, VexStatement } from './statement.ts'

export interface VexOptions {
  /** Ref whose vulnerabilities the document is about. Absent: the default branch. */
  ref?: string | undefined
  /** Also changes what users decided after a statement. */
  override?: boolean | undefined
  isDryRun?: boolean | undefined
}

/** Result of an import, or of a dry run. */
export interface VexImport {
  format: VexFormat
  documentId: string | undefined
  isDryRun: boolean
  /** Numbers of statements. */
  statements: number
  unmatched: number
  /** Numbers of vulnerabilities. */
  changed: number
  /** Dismissals that await approval. */
  requested: number
  unchanged: number
  kept: number
  bulkIds: readonly number[]
  /** At most `maxListed` statements, those that change something first. */
  effects: readonly StatementEffect[]
}

interface StatementEffect {
  statement: VexStatement
  action: Change['action'] | 'none'
  dismissalReason: DismissalReason | undefined
  reason: string
  matched: number
  changed: number
  requested: number
  kept: number
  samples: readonly Pick<Effect['candidate'], 'id' | 'title' | 'state'>[]
}

const maxListed = 1000
const maxSamples = 5

/** Applies the statements of a VEX document to the vulnerabilities of a project, or describes what they would change. */
export async function importVex(
  deps: RootDeps,
  project: Project,
  user: User,
  { bytes, options }: { bytes: Buffer; options: VexOptions },
): Promise<VexImport> {
  const document = readVex(bytes)
  if (options.isDryRun) return describe(document, await plan(deps, project, document, options), [], true)
  return projectTransaction(deps, project.id, async (deps) => {
    const planned = await plan(deps, project, document, options)
    return describe(document, planned, await changeGroups(deps, project, user, groupsOf(planned)), false)
  })
}

async function plan(
  deps: Deps,
  project: Project,
  { statements }: VexDocument,
  { ref, override = false }: VexOptions,
): Promise<PlannedStatement[]> {
  const ids = new Set(statements.flatMap(({ ids }) => ids).map((id) => id.toLowerCase()))
  const candidates = await findCandidates(deps, project.id, [...ids], ref)
  const matcher = startMatcher(candidates, { project, instanceUrl: instanceUrl(deps.settings) })
  const planned = planStatements(statements, matcher, override)
  await markRequests(deps, project.id, planned)
  return planned
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

function describe(
  { format, id, statements }: VexDocument,
  planned: readonly PlannedStatement[],
  bulkIds: readonly number[],
  isDryRun: boolean,
): VexImport {
  const effects = planned.flatMap(({ effects }) => effects)
  const changed = effects.filter(isChanged).length
  const requested = effects.filter(({ isRequested }) => isRequested).length
  const kept = effects.filter(({ isKept }) => isKept).length
  return {
    format,
    documentId: id,
    isDryRun,
    statements: statements.length,
    unmatched: planned.filter(({ unmatched }) => unmatched !== undefined).length,
    changed,
    requested,
    kept,
    unchanged: new Set(effects.map(({ candidate }) => candidate.id)).size - changed - requested - kept,
    bulkIds,
    effects: planned
      .map(describeStatement)
      .sort((a, b) => Number(b.action !== 'none') - Number(a.action !== 'none'))
      .slice(0, maxListed),
  }
}

const isChanged = ({ change, isRequested }: Effect) => change !== undefined && !isRequested

function describeStatement({ statement, effects, unmatched }: PlannedStatement): StatementEffect {
  const changing = effects.filter(({ change }) => change)
  const shown = changing.length > 0 ? changing : effects
  const change = changing[0]?.change
  return {
    statement,
    action: change?.action ?? 'none',
    dismissalReason: change?.action === 'dismiss' ? change.dismissalReason : undefined,
    reason: unmatched ?? shown[0]?.reason ?? '',
    matched: effects.length,
    changed: effects.filter(isChanged).length,
    requested: effects.filter(({ isRequested }) => isRequested).length,
    kept: effects.filter(({ isKept }) => isKept).length,
    samples: shown.slice(0, maxSamples).map(({ candidate: { id, title, state } }) => ({ id, title, state })),
  }
}
