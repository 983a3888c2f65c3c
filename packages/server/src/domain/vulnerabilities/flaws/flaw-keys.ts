import type { Deps } from '../../deps.ts'
import { listAliases } from '../../feeds/feeds.ts'
import { enqueue } from '../../jobs/job.ts'
import { listPromotedIds } from '../vulnerability-queries.ts'
import { type Alias, advisoriesOf, canonicalNames, isCve, maxNames, statedAliases } from './advisory.ts'
import { insertAliases, listStatedAliases } from './alias-queries.ts'
import { flawOf, keyOfFlaw } from './flaw.ts'
import { listFlawFindings, type StoredFlawFinding, updateFlawKeys } from './flaw-queries.ts'
import { applyChanges } from './given-keys.ts'

export const aliasKind = 'flaw-aliases'

/** Returns the keys of findings by id, and stores aliases that they state for the first time. */
export async function readFlawKeys(deps: Deps, findingIds: readonly number[]): Promise<Map<number, number>> {
  return keysOf(deps, await listFlawFindings(deps.db, 'id', findingIds))
}

/** Computes the keys of vulnerabilities from their findings, and stores what has changed. Returns the number of changes. */
export async function updateKeys(deps: Deps, vulnerabilityIds: readonly number[]): Promise<number> {
  const findings = await listFlawFindings(deps.db, 'vulnerability_id', vulnerabilityIds)
  const keys = await keysOf(deps, findings)
  const known = new Map(findings.map(({ vulnerabilityId, findingId }) => [vulnerabilityId, keys.get(findingId)]))
  const inOrder = [...vulnerabilityIds].sort((a, b) => a - b)
  // A vulnerability without a finding is alone in its group.
  return updateFlawKeys(
    deps.db,
    inOrder.map((id) => ({ id, flawKey: known.get(id) ?? id })),
  )
}

/** Computes the keys of the vulnerabilities of findings. */
export async function updateFlawsOfFindings(deps: Deps, findingIds: readonly number[]): Promise<void> {
  await updateKeys(deps, await listPromotedIds(deps.db, findingIds))
}

async function keysOf(deps: Deps, findings: readonly StoredFlawFinding[]): Promise<Map<number, number>> {
  const names = findings.map(({ identifiers }) => identifiers.map(({ externalId }) => externalId))
  const aliases = await readAliases(deps, advisoriesOf(names.flat()))
  const stated = await recordAliases(deps, names, aliases)
  const canonical = canonicalNames(trusted(aliases.osv, [...aliases.stated, ...stated]))
  return applyChanges(
    deps,
    findings.map((finding) => ({ ...finding, key: keyOfFlaw(flawOf(finding, canonical)) })),
  )
}

/** Returns the canonical names of advisories of findings that have another one. */
export async function canonicalOf(deps: Deps, findings: readonly StoredFlawFinding[]): Promise<Map<string, string>> {
  const names = findings.flatMap(({ identifiers }) => identifiers.map(({ externalId }) => externalId))
  const { osv, stated } = await readAliases(deps, advisoriesOf(names))
  return canonicalNames(trusted(osv, stated))
}

/** Aliases of a feed, and those that reports stated. */
interface Aliases {
  osv: readonly Alias[]
  stated: readonly Alias[]
}

/** Returns the names, and all names that aliases connect with them. */
export async function readConnected(deps: Deps, names: readonly string[]): Promise<string[]> {
  const { osv, stated } = await readAliases(deps, names)
  return [...new Set([...names, ...[...osv, ...stated].flatMap(({ name, alias }) => [name, alias])])]
}

/** Reads all aliases that are connected with the names. */
async function readAliases({ db }: Deps, names: readonly string[]): Promise<Aliases> {
  const known = new Set(names)
  const found: { osv: Alias[]; stated: Alias[] } = { osv: [], stated: [] }
  // A set of more names than the limit is ignored, so no chain of aliases has to be read further.
  for (let step = 0, next = [...names]; next.length > 0 && step < maxNames; step++) {
    const osv = await listAliases(db, next)
    const stated = await listStatedAliases(db, next)
    found.osv.push(...osv)
    found.stated.push(...stated)
    next = [...new Set([...osv, ...stated].map(({ alias }) => alias))].filter((name) => !known.has(name))
    for (const name of next) known.add(name)
  }
  return found
}

/** Reports must not change what the feed says about a name. */
function trusted(osv: readonly Alias[], stated: readonly Alias[]): Alias[] {
  const named = new Set(osv.map(({ name }) => name))
  const isTrusted = (name: string) => isCve(name) || !named.has(name)
  return [...osv, ...stated.filter(({ name, alias }) => isTrusted(name) && isTrusted(alias))]
}

/** Stores unknown aliases and queues the job that applies them to other vulnerabilities. Returns those that were unknown. */
async function recordAliases(deps: Deps, names: readonly (readonly string[])[], known: Aliases): Promise<Alias[]> {
  const keys = new Set([...known.osv, ...known.stated].map(({ name, alias }) => `${name} ${alias}`))
  const counts = new Map<string, number>()
  for (const { name } of known.stated) counts.set(name, (counts.get(name) ?? 0) + 1)
  const unknown: Alias[] = []
  for (const stated of names.flatMap(statedAliases)) {
    const { name, alias } = stated
    // A CVE with so many names has no single advisory, and reading them would take long.
    const count = counts.get(alias) ?? 0
    if (keys.has(`${name} ${alias}`) || count >= maxNames) continue
    keys.add(`${name} ${alias}`)
    counts.set(alias, count + 1)
    unknown.push(stated)
  }
  if (unknown.length > 0 && (await insertAliases(deps.db, unknown)) > 0) {
    await enqueue(deps, { kind: aliasKind, key: aliasKind, payload: {} })
  }
  return unknown
}
