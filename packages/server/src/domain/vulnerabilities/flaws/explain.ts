import type { Deps } from '../../deps.ts'
import { groupBy } from '../../group-by.ts'
import { advisoriesOf, type canonicalNames, compareNames } from './advisory.ts'
import { type Flaw, flawOf, keyOfFlaw } from './flaw.ts'
import { type KeyOrigin, listKeyOrigins } from './flaw-change-queries.ts'
import { canonicalOf } from './flaw-keys.ts'
import { listFlawFindings, type StoredFlawFinding } from './flaw-queries.ts'

/** Why vulnerabilities are one flaw. */
export interface Explained {
  /** Names of its advisories, the canonical one first; otherwise identifiers of a finding. */
  identifiers: string[]
  package: string | null
  /** Sentences in plain English. */
  explanation: string[]
}

const maxIdentifiers = 20

/** Explains flaws by some of their members. */
export async function explainFlaws(
  deps: Deps,
  flaws: readonly { key: number; firstIds: readonly number[] }[],
): Promise<Map<number, Explained>> {
  const ids = flaws.flatMap(({ firstIds }) => firstIds)
  const findings = await listFlawFindings(deps.db, 'vulnerability_id', ids)
  const canonical = await canonicalOf(deps, findings)
  const byId = new Map(findings.map((finding) => [finding.vulnerabilityId, finding]))
  const origins = groupBy(
    await listKeyOrigins(
      deps.db,
      flaws.map(({ key }) => key),
      ids,
    ),
    ({ toKey }) => toKey,
  )
  return new Map(
    flaws.map(({ key, firstIds }) => {
      const members = firstIds.flatMap((id) => byId.get(id) ?? [])
      const explained = explain(key, members, canonical)
      return [key, { ...explained, explanation: [...explained.explanation, ...changesInWords(origins.get(key) ?? [])] }]
    }),
  )
}

const changesInWords = (origins: readonly KeyOrigin[]): string[] =>
  origins.map(({ kind, username, createdAt }) => {
    const done = kind === 'split' ? 'Split from its group' : 'Joined with another group'
    return `${done} by ${username === null ? 'a deleted user' : `@${username}`} on ${createdAt.slice(0, 10)}`
  })

function explain(
  key: number,
  members: readonly StoredFlawFinding[],
  canonical: ReturnType<typeof canonicalNames>,
): Explained {
  const flaws = members.map((member) => flawOf(member, canonical))
  const own = flaws.find((flaw) => keyOfFlaw(flaw) === key)
  const flaw = own ?? flaws[0]
  const identifiers = identifiersOf(flaw, members)
  const explanation = flaw ? sentencesOf(flaw, identifiers) : []
  return { identifiers, package: flaw?.kind === 'package' ? flaw.package : null, explanation }
}

function identifiersOf(flaw: Flaw | undefined, members: readonly StoredFlawFinding[]): string[] {
  const names = members.flatMap(({ identifiers }) => identifiers.map(({ externalId }) => externalId))
  if (flaw?.kind !== 'package') return [...new Set(names)].slice(0, maxIdentifiers)
  const advisories = advisoriesOf(names).sort(compareNames)
  const all = advisories.length > 0 ? [flaw.name, ...advisories] : names
  return [...new Set(all)].slice(0, maxIdentifiers)
}

function sentencesOf(flaw: Flaw, identifiers: readonly string[]): string[] {
  if (flaw.kind === 'single') return ['No advisory, package or place is known, so it is alone']
  if (flaw.kind === 'location') {
    const family = flaw.family === 'secret' ? 'Secrets in the same place' : `Same weakness or rule: ${flaw.family}`
    return [family, `Same place: ${flaw.place}`, 'Same project']
  }
  const aliases = advisoriesOf(identifiers).filter((name) => name !== flaw.name)
  const alias = aliases.length > 0 ? ` (${aliases.length === 1 ? 'alias' : 'aliases'} ${aliases.join(', ')})` : ''
  return [
    `Same vulnerability: ${flaw.name}${alias}`,
    flaw.package === null ? 'No package is known' : `Same package: ${flaw.package}`,
  ]
}
