import { setImmediate } from 'node:timers/promises'
import { openCache, perDatabase } from '../../../db/cache.ts'
import type { Deps, RootDeps } from '../../deps.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import type { Topic } from '../topic.ts'
import { listTopicsById } from '../topic-queries.ts'
import { organizationOf } from '../topics.ts'
import { countShared, listNamesAfter, listSmallest, type NamedTopic } from './duplicate-queries.ts'
import { type Form, formOf, isMisspelling, type Reason, reasonsOf, scoreOf } from './likeness.ts'
import { findNeighbours, maxWords } from './neighbours.ts'

/** Pair of topics that are probably duplicates. The topic with more projects comes first. */
export interface Duplicate {
  topics: readonly [Topic, Topic]
  reasons: readonly Reason[]
  score: number
  sharedProjects: number
}

/** Returns a page of duplicates, most probable first. */
export async function findDuplicates(
  deps: RootDeps,
  organizationId: number | undefined,
  page: PageRequest,
): Promise<Page<Duplicate>> {
  const pairs = await pairsOf(deps, await organizationOf(deps, organizationId))
  const wanted = pairs.slice(page.offset, page.offset + page.perPage + 1)
  const topics = await listTopicsById(
    deps.db,
    wanted.flatMap(({ first, second }) => [first, second]),
  )
  const byId = new Map(topics.map((topic) => [topic.id, topic]))
  const rows: Duplicate[] = []
  for (const { first, second, reasons, score, shared } of wanted) {
    const [one, two] = [byId.get(first), byId.get(second)]
    if (one && two) rows.push({ topics: [one, two], reasons, score, sharedProjects: shared })
  }
  return pageOf(page, rows, pairs.length)
}

interface Pair {
  first: number
  second: number
  reasons: Reason[]
  score: number
  shared: number
}

/** Maximum number of pairs in the list. */
const maxPairs = 5000

const tables = ['topics', 'project_topics']
const pairs = perDatabase((changes) => openCache<readonly Pair[]>(changes, tables, 20))

/** Returns all pairs of an organization. Concurrent requests share one search. */
const pairsOf = (deps: RootDeps, organizationId: number): Promise<readonly Pair[]> =>
  pairs(deps.db).getShared(String(organizationId), () => searchPairs(deps, organizationId))

interface Entry extends NamedTopic {
  form: Form
}

async function searchPairs(deps: Deps, organizationId: number): Promise<readonly Pair[]> {
  const entries = await readEntries(deps, organizationId)
  const found = new Map<number, { first: number; second: number; reasons: Reason[] }>()
  const add = (one: number, two: number, reasons: Reason[]) => {
    if (reasons.length === 0 || one === two) return
    const [first, second] = one < two ? [one, two] : [two, one]
    const key = first * maxWords + second
    if (!found.has(key)) found.set(key, { first, second, reasons })
  }
  await pairByStem(entries, add)
  const words = entries.map(({ form }) => form.squashed)
  await findNeighbours(words, (one, two) => {
    if (isMisspelling(words[one] ?? '', words[two] ?? '')) add(one, two, ['spelling'])
  })
  await pairByProjects(deps, entries, (one, two) => {
    const [first, second] = one < two ? [one, two] : [two, one]
    const known = found.get(first * maxWords + second)
    if (!known) found.set(first * maxWords + second, { first, second, reasons: [] })
  })
  return rank(deps, entries, [...found.values()])
}

const sliceSize = 1000

async function readEntries(deps: Deps, organizationId: number): Promise<Entry[]> {
  const entries: Entry[] = []
  for (let after = 0; entries.length < maxWords; ) {
    const names = await listNamesAfter(deps.db, organizationId, after, sliceSize)
    for (const topic of names) entries.push({ ...topic, form: formOf(topic.name) })
    after = names.at(-1)?.id ?? 0
    if (names.length < sliceSize) break
    await setImmediate()
  }
  return entries.slice(0, maxWords)
}

/**
 * Maximum number of topics with one stem that are compared with each other. Further topics are compared with the first
 * one only.
 */
const maxOfOneStem = 20

async function pairByStem(
  entries: readonly Entry[],
  add: (one: number, two: number, reasons: Reason[]) => void,
): Promise<void> {
  const stems = new Map<string, number[]>()
  for (const [index, { form }] of entries.entries()) {
    const others = stems.get(form.stem)
    if (others) {
      for (const other of others.length > maxOfOneStem ? others.slice(0, 1) : others) {
        const known = entries[other]
        if (known) add(other, index, reasonsOf(known.form, form))
      }
      others.push(index)
    } else {
      stems.set(form.stem, [index])
    }
    if (index % sliceSize === 0) await setImmediate()
  }
}

/** Topics with fewer projects give no evidence; those with more are too expensive to compare. */
const [leastProjects, maxProjects] = [3, 2000]
const assignmentsPerSlice = 4000
/** Maximum number of topics with the same hash value. A more common value gives no evidence. */
const maxAgreeing = 30

/**
 * Adds pairs of topics whose signatures agree in at least two of four values. The number of shared projects is counted
 * later.
 */
async function pairByProjects(
  deps: Deps,
  entries: readonly Entry[],
  add: (one: number, two: number) => void,
): Promise<void> {
  const indexes = new Map<number, number>()
  const agreeing = Array.from({ length: 4 }, () => new Map<number, number[]>())
  const take = async (ids: readonly number[]) => {
    for (const { topicId, least } of await listSmallest(deps.db, ids)) {
      for (const [order, value] of least.entries()) {
        const group = agreeing[order]?.get(value)
        if (group) group.push(indexes.get(topicId) ?? 0)
        else agreeing[order]?.set(value, [indexes.get(topicId) ?? 0])
      }
    }
    await setImmediate()
  }
  let ids: number[] = []
  let assignments = 0
  for (const [index, { id, projects }] of entries.entries()) {
    if (projects < leastProjects || projects > maxProjects) continue
    indexes.set(id, index)
    ids.push(id)
    assignments += projects
    if (assignments < assignmentsPerSlice) continue
    await take(ids)
    ids = []
    assignments = 0
  }
  if (ids.length > 0) await take(ids)

  const seen = new Set<number>()
  for (const orders of agreeing) {
    for (const group of orders.values()) {
      if (group.length > maxAgreeing) continue
      for (const [position, first] of group.entries()) {
        for (const second of group.slice(position + 1)) {
          const key = Math.min(first, second) * maxWords + Math.max(first, second)
          if (seen.has(key)) add(first, second)
          seen.add(key)
        }
      }
    }
    await setImmediate()
  }
}

/** Minimum share of projects with both topics, among the projects with either one, that counts as a reason. */
const leastOverlap = 0.6

async function rank(
  deps: Deps,
  entries: readonly Entry[],
  found: readonly { first: number; second: number; reasons: Reason[] }[],
): Promise<readonly Pair[]> {
  const pairs: Pair[] = []
  const likely = [...found]
    .sort((a, b) => scoreOf(b.reasons, 0) - scoreOf(a.reasons, 0) || a.first - b.first || a.second - b.second)
    .filter(({ reasons }, index) => reasons.length === 0 || index < maxPairs)
    .slice(0, 2 * maxPairs)
  for (let start = 0; start < likely.length; start += 200) {
    const slice = likely.slice(start, start + 200).flatMap(({ first, second, reasons }) => {
      const [one, two] = [entries[first], entries[second]]
      if (!one || !two) return []
      return one.projects >= two.projects ? [{ one, two, reasons }] : [{ one: two, two: one, reasons }]
    })
    // Skips very large topics.
    const compared = slice.filter(({ two }) => two.projects > 0 && two.projects <= maxProjects)
    const counted = await countShared(
      deps.db,
      compared.map(({ one, two }) => ({ first: two.id, second: one.id })),
    )
    const sharedBy = new Map(counted.map(({ first, second, shared }) => [`${first} ${second}`, shared]))
    for (const { one, two, reasons } of slice) {
      const shared = sharedBy.get(`${two.id} ${one.id}`) ?? 0
      const either = one.projects + two.projects - shared
      const overlap = shared >= leastProjects && either > 0 ? shared / either : 0
      const all: Reason[] = overlap >= leastOverlap ? [...reasons, 'shared_projects'] : reasons
      if (all.length === 0) continue
      const score = scoreOf(reasons, overlap >= leastOverlap ? overlap : 0)
      pairs.push({ first: one.id, second: two.id, reasons: all, score, shared })
    }
    await setImmediate()
  }
  return pairs
    .sort((a, b) => b.score - a.score || b.shared - a.shared || a.first - b.first || a.second - b.second)
    .slice(0, maxPairs)
}
