import { setImmediate } from 'node:timers/promises'
import { type Deps, projectTransaction, type RootDeps, withRelaxedDurability } from '../../deps.ts'
import { readGenerations } from '../../feeds/feeds.ts'
import { severities } from '../../findings/scales.ts'
import type { Exposure } from '../../projects/project.ts'
import { confirmExposure } from '../../projects/projects.ts'
import { updateKeys } from '../flaws/flaw-keys.ts'
import { applyFeedRules } from '../rules/apply-job.ts'
import { ageSteps, exposurePoints } from './priority.ts'
import {
  type AgeStep,
  claimApplication,
  findNewExposure,
  hasOutdatedScores,
  listIdsAfter,
  listOfSeverity,
  listUnscored,
  type NewExposure,
  raiseAge,
  releaseApplication,
  saveApplication,
  updateExposure,
} from './score-queries.ts'
import { rescore } from './scores.ts'

const batchSize = 250
/** Another process takes over afterwards. */
const leaseMs = 5 * 60 * 1000
const dayMs = 24 * 60 * 60 * 1000

/**
 * Brings the priorities of all vulnerabilities up to date in batches: after a feed was loaded, for vulnerabilities from
 * before this version, for those that reached an age, and for projects with another exposure. Can be interrupted and
 * run again at any time.
 */
export async function updatePriorities(deps: RootDeps): Promise<void> {
  const outdated = { generations: await readGenerations(deps), ageSteps: ageStepsNow(deps) }
  if (!(await hasOutdatedScores(deps.db, outdated))) return
  const claimed = await claimApplication(deps.db, { now: deps.now(), until: leaseEnd(deps) })
  if (!claimed) return
  try {
    await applyFeeds(deps, claimed)
    await repeat(deps, async (deps) => {
      const ids = await listUnscored(deps.db, batchSize)
      await rescore(deps, ids)
      return ids.length
    })
    await raiseAges(deps)
    await applyExposures(deps)
  } finally {
    await releaseApplication(deps.db)
  }
}

const leaseEnd = (deps: Deps) => new Date(Date.parse(deps.now()) + leaseMs).toISOString()

/** Applies the feeds to all vulnerabilities in the order of their ids, from where the last run has stopped. */
async function applyFeeds(
  deps: RootDeps,
  { generations, afterId }: { generations: string; afterId: number | null },
): Promise<void> {
  const current = await readGenerations(deps)
  let position = generations === current ? afterId : 0
  while (position !== null && !deps.stopping.aborted) {
    const after: number = position
    position = await withRelaxedDurability(deps, async (deps) => {
      const ids = await listIdsAfter(deps.db, after, batchSize)
      await rescore(deps, ids)
      await updateKeys(deps, ids)
      const next = ids.at(-1) ?? null
      await saveApplication(deps.db, { generations: current, afterId: next, runningUntil: leaseEnd(deps) })
      if (next === null) await applyFeedRules(deps)
      return next
    })
    await setImmediate()
  }
}

/** Runs work in transactions of its own until it has nothing more to do. */
async function repeat(deps: RootDeps, work: (deps: Deps) => Promise<number>): Promise<void> {
  while (!deps.stopping.aborted && (await withRelaxedDurability(deps, work)) > 0) await setImmediate()
}

/** Raises the points of the oldest first, so that no vulnerability is changed twice. */
async function raiseAges(deps: RootDeps): Promise<void> {
  for (const step of ageStepsNow(deps)) await repeat(deps, (deps) => raiseAge(deps.db, step, batchSize))
}

function ageStepsNow(deps: Deps): AgeStep[] {
  const now = Date.parse(deps.now())
  return ageSteps.flatMap(({ days, points }) => {
    const createdUntil = new Date(now - days * dayMs).toISOString()
    const younger = [0, ...ageSteps.map((step) => step.points)].filter((former) => former < points)
    return younger.map((former) => ({ points, createdUntil, former }))
  })
}

async function applyExposures(deps: RootDeps): Promise<void> {
  while (!deps.stopping.aborted) {
    const project = await findNewExposure(deps.db)
    if (!project) return
    await applyExposure(deps, project)
  }
}

async function applyExposure(deps: RootDeps, { id: projectId, exposure }: NewExposure): Promise<void> {
  const points = exposurePoints[exposure as Exposure] // the column has only these values
  for (const severity of severities) {
    for (const isOnDefaultBranch of [true, false]) {
      for (let after: number | undefined = 0; after !== undefined && !deps.stopping.aborted; ) {
        const start: number = after
        after = await projectTransaction(deps, projectId, async (deps) => {
          const range = { projectId, isOnDefaultBranch, severity }
          const ids = await listOfSeverity(deps.db, range, start, batchSize)
          await updateExposure(deps.db, ids, points)
          return ids.at(-1)
        })
        await setImmediate()
      }
    }
  }
  if (!deps.stopping.aborted) await confirmExposure(deps, projectId, exposure)
}
