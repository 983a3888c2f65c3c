import { invalid } from '../../../platform/failure.ts'
import type { Deps } from '../../deps.ts'
import { listIdentifiers } from '../../findings/findings.ts'
import { advisoriesOf, compareNames, isCve, statedAliases } from '../flaws/advisory.ts'
import { listMatchedRows, type MatchedRow } from './finding-queries.ts'
import { escapeGlob } from './globs.ts'
import type { RuleDraft, RuleMatch } from './rule.ts'

const maxLabel = 200

/** Returns the name and the conditions of a rule for the flaw of a vulnerability, wherever it is found. */
export async function describeFlaw(
  { db }: Pick<Deps, 'db'>,
  { vulnerabilityId, findingId }: { vulnerabilityId: number; findingId: number },
): Promise<Pick<RuleDraft, 'name' | 'match'>> {
  const [row] = await listMatchedRows(db, 'id', [findingId])
  const identifiers = await listIdentifiers(db, [findingId])
  const [primary] = identifiers
  if (!row || !primary) throw unmatched()
  const advisories = namesOf(identifiers.flatMap(({ name, externalId }) => [name, externalId]))
  const packages = packagesOf(row)
  const isInCode = row.reportType === 'sast' || row.reportType === 'secret_detection'
  const match: RuleMatch =
    packages || (advisories.length > 0 && !isInCode)
      ? { identifiers: advisories.length > 0 ? advisories : [primary.name], ...(packages && { packages }) }
      : { scanners: [row.scanner], ruleIds: [primary.externalId], paths: [escapeGlob(pathOf(row))] }
  const label = [advisories[0] ?? primary.name, packages?.[0] ?? match.paths?.[0]].filter(Boolean).join(' in ')
  return { name: `${[...label].slice(0, maxLabel).join('')} (vulnerability ${vulnerabilityId})`, match }
}

/** Returns the names of one advisory: a CVE and its stated aliases, or else another name. */
function namesOf(identifiers: readonly string[]): string[] {
  const names = advisoriesOf(identifiers)
  const first = names.find(isCve) ?? names.sort(compareNames)[0]
  if (first === undefined) return []
  return [first, ...statedAliases(names).map(({ name }) => name)]
}

function packagesOf({ packageKey, packageName, location }: MatchedRow): string[] | undefined {
  const { dependency } = location as { dependency?: { package?: { name?: unknown } | null } | null } // of any report type
  const reported = dependency?.package?.name
  const name = packageKey ?? (typeof reported === 'string' ? reported.toLowerCase() : packageName)
  return name?.trim() ? [name] : undefined
}

function pathOf({ location }: MatchedRow): string {
  const { file, path } = location as { file?: unknown; path?: unknown } // of any report type
  const found = [file, path].find((text) => typeof text === 'string' && text.replace(/^(\.\/|\/)/, '').trim() !== '')
  if (typeof found !== 'string') throw unmatched()
  return found
}

const unmatched = () =>
  invalid({ scope: ['cannot be `group`, because the vulnerability has no advisory, package or file to find it by'] })
