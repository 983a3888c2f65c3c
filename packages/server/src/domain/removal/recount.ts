import type { Db } from '../../db/db.ts'
import { type Deps, transaction } from '../deps.ts'
import { countWrongOccurrences, refreshOccurrences } from '../findings/occurrences/occurrences.ts'
import { hasWrongStarCount, listProjectIds, lockProjects, recountStars } from '../projects/projects.ts'
import { countWronglyInherited, inheritTopics } from '../topics/group-topics/inherited-topics.ts'
import {
  correctDays,
  correctFacetCounts,
  correctPromoted,
  countWrongDays,
  countWrongFacetCounts,
  listWronglyPromoted,
  lockWithVulnerabilities,
} from '../vulnerabilities/list/counts/recount.ts'
import { listIdsIn } from './finding-removal-queries.ts'

/** Columns that are derived from other rows, by the problem that the doctor reports when they are wrong. */
export const derivedColumns = {
  'wrong upload usage': ['upload_usage.files', 'upload_usage.bytes'],
  'wrong topic counts': ['topics.total_projects_count', 'topics.non_private_projects_count'],
  'wrong vulnerability counts': ['vulnerability_counts.total', 'vulnerability_counts.seconds'],
  'wrong vulnerability growth': ['vulnerability_days.growth'],
  'wrong star count': ['projects.star_count'],
  'wrong inherited topics': ['project_topics.inherited'],
  'wrong promoted findings': [
    'promoted_findings.vulnerability_id',
    'promoted_findings.facets',
    'promoted_findings.scanner_id',
  ],
  'wrong severity or state of occurrences': ['occurrences.severity', 'occurrences.state'],
} as const

export type WrongFigure = keyof typeof derivedColumns

interface ProjectFigure {
  kind: WrongFigure
  /** Returns the number of wrong rows. */
  countWrong(db: Db, projectId: number): Promise<number>
  correct(deps: Deps, projectId: number): Promise<void>
}

const batchSize = 1000

const projectFigures: readonly ProjectFigure[] = [
  {
    kind: 'wrong vulnerability counts',
    countWrong: countWrongFacetCounts,
    correct: correctFacetCounts,
  },
  {
    kind: 'wrong vulnerability growth',
    countWrong: countWrongDays,
    correct: correctDays,
  },
  {
    kind: 'wrong star count',
    countWrong: async (db, projectId) => ((await hasWrongStarCount(db, projectId)) ? 1 : 0),
    correct: (deps, projectId) => recountStars(deps, [projectId]),
  },
  {
    kind: 'wrong inherited topics',
    countWrong: countWronglyInherited,
    correct: (deps, projectId) => inheritTopics(deps, [projectId]),
  },
  {
    kind: 'wrong promoted findings',
    countWrong: (db, projectId) =>
      sumOfBatches(db, projectId, async (ids) => (await listWronglyPromoted(db, ids)).length),
    correct: async (deps, projectId) => {
      await sumOfBatches(deps.db, projectId, (ids) => correctPromoted(deps, ids))
    },
  },
  {
    kind: 'wrong severity or state of occurrences',
    countWrong: (db, projectId) => sumOfBatches(db, projectId, (ids) => countWrongOccurrences(db, ids)),
    correct: async ({ db }, projectId) => {
      await sumOfBatches(db, projectId, (ids) => correctOccurrences(db, ids))
    },
  },
]

/**
 * Compares the stored figures of every project with the rows that they are derived from. With `fix`, corrects them in
 * one transaction per project. Each comparison is one statement, so concurrent changes are not reported as errors.
 */
export async function recountProjects(deps: Deps, fix: boolean): Promise<{ kind: WrongFigure; what: string }[]> {
  const findings: { kind: WrongFigure; what: string }[] = []
  for (let after = 0; ; ) {
    const projectIds = await listProjectIds(deps.db, after, batchSize)
    for (const projectId of projectIds) {
      const wrong: ProjectFigure[] = []
      for (const figure of projectFigures) {
        const rows = await figure.countWrong(deps.db, projectId)
        if (rows === 0) continue
        wrong.push(figure)
        findings.push({ kind: figure.kind, what: `project ${projectId}, ${rows} ${rows === 1 ? 'row' : 'rows'}` })
      }
      if (fix && wrong.length > 0) await correctAll(deps, projectId, wrong)
    }
    after = projectIds.at(-1) ?? after
    if (projectIds.length < batchSize) return findings
  }
}

function correctAll(deps: Deps, projectId: number, figures: readonly ProjectFigure[]): Promise<void> {
  return transaction(deps, async (deps) => {
    // Two concurrent corrections would each add the same difference.
    await lockProjects(deps.db, [projectId])
    for (const figure of figures) await figure.correct(deps, projectId)
  })
}

async function correctOccurrences(db: Db, findingIds: readonly number[]): Promise<number> {
  const wrong = await countWrongOccurrences(db, findingIds)
  if (wrong === 0) return 0
  await lockWithVulnerabilities(db, findingIds)
  await refreshOccurrences(db, findingIds)
  return wrong
}

/** Calls `work` with the ids of the project's findings in batches. Returns the sum of the results. */
async function sumOfBatches(
  db: Db,
  projectId: number,
  work: (findingIds: readonly number[]) => Promise<number>,
): Promise<number> {
  const ids = await listIdsIn(db, 'findings', projectId)
  let sum = 0
  for (let start = 0; start < ids.length; start += batchSize) sum += await work(ids.slice(start, start + batchSize))
  return sum
}
