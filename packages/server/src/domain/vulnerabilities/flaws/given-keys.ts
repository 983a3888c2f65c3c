import type { Deps } from '../../deps.ts'
import { type AppliedJoin, listGivenKeys, listJoins } from './flaw-change-queries.ts'

/** A finding with the key that its content gives. */
interface OwnKey {
  findingId: number
  vulnerabilityId: number | null
  projectId: number
  key: number
}

/** More joins in a row than users make. */
const maxSteps = 20

/** Returns the keys of findings: those of splits and joins before those of their content. */
export async function applyChanges(deps: Deps, own: readonly OwnKey[]): Promise<Map<number, number>> {
  const given = await listGivenKeys(
    deps.db,
    own.flatMap(({ vulnerabilityId }) => vulnerabilityId ?? []),
  )
  const found = new Map<number, number>()
  const open: OwnKey[] = []
  for (const finding of own) {
    const key = finding.vulnerabilityId === null ? undefined : given.get(finding.vulnerabilityId)
    if (key === undefined) open.push(finding)
    found.set(finding.findingId, key ?? finding.key)
  }
  const joins = await readJoins(deps, open)
  if (joins.length === 0) return found
  const next = new Map(joins.map((join) => [`${join.projectId} ${join.fromKey}`, join.toKey]))
  for (const { findingId, projectId, key } of open) found.set(findingId, follow(next, projectId, key))
  return found
}

/** Reads the joins of keys, and those of the keys that they lead to. */
async function readJoins(deps: Deps, open: readonly OwnKey[]): Promise<AppliedJoin[]> {
  const projectIds = [...new Set(open.map(({ projectId }) => projectId))]
  const known = new Set(open.map(({ key }) => key))
  const joins: AppliedJoin[] = []
  for (let keys = [...known], step = 0; keys.length > 0 && step < maxSteps; step++) {
    const found = await listJoins(deps.db, keys, projectIds)
    joins.push(...found)
    keys = [...new Set(found.map(({ toKey }) => toKey))].filter((key) => !known.has(key))
    for (const key of keys) known.add(key)
  }
  return joins
}

/** Follows joins to the last key. Of a circle, which joins of a group and of a project can form, it is the lowest. */
function follow(next: ReadonlyMap<string, number>, projectId: number, start: number): number {
  const passed = [start]
  for (let step = 0; step < maxSteps; step++) {
    const key = next.get(`${projectId} ${passed.at(-1)}`)
    if (key === undefined) break
    const at = passed.indexOf(key)
    if (at >= 0) return Math.min(...passed.slice(at))
    passed.push(key)
  }
  return passed.at(-1) ?? start
}
