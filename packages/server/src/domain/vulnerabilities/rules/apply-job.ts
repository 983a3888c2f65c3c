import { setImmediate } from 'node:timers/promises'
import { type Deps, projectTransaction, type RootDeps, transaction, withRelaxedDurability } from '../../deps.ts'
import { type AnyJobKind, jobKind, type RunningJob } from '../../jobs/job.ts'
import { findProjectById } from '../../projects/projects.ts'
import { type RulesJob, rulesKey, rulesKind } from '../../projects/queue-rules.ts'
import { addToFacetCounts } from '../list/counts/count-change-queries.ts'
import { applyRules, compileRules, readConditions } from './apply-rules.ts'
import type { CompiledRule } from './match-rules.ts'
import type { RuleOwner } from './rule.ts'
import {
  advanceRun,
  beginRun,
  countVulnerabilities,
  listFeedOwners,
  listRuledProjects,
  listRulesFor,
  listRuleVersions,
  listTimedOwners,
  listVulnerabilityIds,
  markEvaluated,
  type OwnerRow,
  type RulePosition,
  resetRun,
} from './rule-queries.ts'
import { applyAgain } from './rules.ts'

/**
 * Applies all rules to the vulnerabilities of an owner after a rule was changed, or a project was transferred. Its
 * position is stored with each batch, so that it continues there after an interruption.
 */
export const rulesJob: AnyJobKind = jobKind<RulesJob>({
  kind: rulesKind,
  concurrency: 1,
  maxAttempts: 10,
  coalesces: true,
  run,
})

const batchSize = 250
/** Ids that are read at once, because no index has the vulnerabilities of a project in the order of ids. */
const idsPerStatement = 20_000

async function run(deps: RootDeps, { payload: { owner }, ...job }: RunningJob<RulesJob>): Promise<undefined> {
  const key = rulesKey(owner)
  let position = await withRelaxedDurability(deps, (deps) => beginRun(deps.db, key))
  const total = await countVulnerabilities(deps.db, await listRuledProjects(deps.db, owner, 0))
  const compiled: CompiledRules = { versions: '', rules: [] }
  for (const projectId of await listRuledProjects(deps.db, owner, position.projectId)) {
    const reached = await applyToProject(deps, { key, projectId, position, total, compiled }, job)
    // The rules have changed; another job begins again.
    if (!reached) return undefined
    position = reached
  }
  await transaction(deps, (deps) => resetRun(deps.db, key))
  return undefined
}

interface ProjectRun {
  key: string
  projectId: number
  position: RulePosition
  total: number
  compiled: CompiledRules
}

/** The rules that a run has compiled. It compiles again when others apply. */
interface CompiledRules {
  versions: string
  rules: readonly CompiledRule[]
}

/** Applies the rules to a project after the position. Returns the new position, or `undefined` if the rules have changed. */
async function applyToProject(
  deps: RootDeps,
  { key, projectId, position, total, compiled }: ProjectRun,
  { signal, progress }: Pick<RunningJob<RulesJob>, 'signal' | 'progress'>,
): Promise<RulePosition | undefined> {
  let from = position
  for (;;) {
    const afterId = from.projectId === projectId ? from.vulnerabilityId : 0
    const ids = await listVulnerabilityIds(deps.db, projectId, afterId, idsPerStatement)
    for (let start = 0; start < ids.length; start += batchSize) {
      signal.throwIfAborted()
      const batch = ids.slice(start, start + batchSize)
      const to = { projectId, vulnerabilityId: batch.at(-1) ?? afterId, done: from.done + batch.length }
      if (!(await applyBatch(deps, { key, from, to, compiled }, batch))) return undefined
      await progress(Math.min(to.done, total), total)
      from = to
      await setImmediate()
    }
    if (ids.length < idsPerStatement) return from
  }
}

/** Applies the rules that exist then to a batch, in one transaction. Returns false if the rules have changed before. */
function applyBatch(
  deps: Deps,
  { key, from, to, compiled }: Pick<ProjectRun, 'key' | 'compiled'> & { from: RulePosition; to: RulePosition },
  ids: readonly number[],
): Promise<boolean> {
  const { projectId } = to
  const work = async (deps: Deps) => {
    // First, because a change of the rules deletes this row.
    if (!(await advanceRun(deps.db, key, from, to))) return false
    const project = await findProjectById(deps.db, projectId)
    if (!project) return true
    // Without any rule, this reverts what former ones have changed.
    const rules = await readConditions(deps, project, await compileChanged(deps, projectId, compiled))
    const { counts } = await applyRules(deps, project, rules, { ids })
    await addToFacetCounts(deps.db, projectId, counts, deps.now())
    return true
  }
  // A batch that a power failure loses is repeated with the job.
  return projectTransaction(deps, projectId, work, { isRelaxed: true })
}

/** Returns the rules of a project, compiled when others apply than for the previous batch. */
async function compileChanged(
  deps: Deps,
  projectId: number,
  compiled: CompiledRules,
): Promise<readonly CompiledRule[]> {
  const versions = JSON.stringify(await listRuleVersions(deps.db, projectId))
  if (versions !== compiled.versions) {
    const rules = await compileRules(deps, await listRulesFor(deps.db, projectId))
    Object.assign(compiled, { versions, rules })
  }
  return compiled.rules
}

/** Queues the rules whose outcome depends on the day, once a day. Without such rules it reads one index and writes nothing. */
export async function applyTimedRules(deps: RootDeps): Promise<void> {
  const today = deps.now().slice(0, 10)
  for (const row of await listTimedOwners(deps.db, today)) {
    const owner = ownerOf(row)
    await transaction(deps, async (deps) => {
      await markEvaluated(deps.db, owner, today)
      await applyAgain(deps, owner)
    })
  }
}

/** Queues the rules whose outcome depends on feeds, in the transaction that completes their use. */
export async function applyFeedRules(deps: Deps): Promise<void> {
  for (const row of await listFeedOwners(deps.db)) await applyAgain(deps, ownerOf(row))
}

function ownerOf({ level, projectId, namespaceId }: OwnerRow): RuleOwner {
  return level === 'instance' ? { kind: level } : { kind: level, id: projectId ?? namespaceId ?? 0 }
}
