/** Two names of one advisory. */
export interface Alias {
  name: string
  alias: string
}

/** Advisories have a handful of names. Those of a larger set are not one vulnerability. */
export const maxNames = 50

/** Prefixes of databases that give each vulnerability a name of its own. */
const singlePrefixes = new Set(
  'CVE GHSA PYSEC GO RUSTSEC OSV GSD RSEC HSEC BIT MAL PSF SNYK GMS JLSEC CURL UVI'.split(' '),
)

/** Prefixes of advisories that may describe several vulnerabilities. */
const collectivePrefixes = new Set(
  'RHSA RHBA RHEA USN DSA DLA DTSA ELSA ALAS ALAS2 ALSA RLSA RXSA MGASA OESA PHSA LSN UBUNTU SUSE-SU OPENSUSE-SU TEMP'.split(
    ' ',
  ),
)

const prefixOf = (name: string): string => /^((?:OPEN)?SUSE-SU|[A-Z0-9]{2,10})-./.exec(name)?.[1] ?? ''

/** Returns the names of advisories among identifiers, in capitals and in their order. */
export function advisoriesOf(identifiers: readonly string[]): string[] {
  const names = identifiers.map((name) => name.trim().toUpperCase())
  return [...new Set(names)].filter((name) => {
    const prefix = prefixOf(name)
    return name.length <= 255 && (singlePrefixes.has(prefix) || collectivePrefixes.has(prefix))
  })
}

export const isCve = (name: string): boolean => name.startsWith('CVE-')

/**
 * Returns the aliases that a finding states: with a single CVE, the names of other databases that name each
 * vulnerability are those of the CVE.
 */
export function statedAliases(identifiers: readonly string[]): Alias[] {
  const names = advisoriesOf(identifiers).filter((name) => singlePrefixes.has(prefixOf(name)))
  const [cve, another] = names.filter(isCve)
  if (cve === undefined || another !== undefined || names.length > maxNames) return []
  return names.flatMap((name) => (name === cve ? [] : [{ name, alias: cve }]))
}

const rankOf = (name: string) => (isCve(name) ? 0 : name.startsWith('GHSA-') ? 1 : 2)

/** Orders CVEs before GHSAs before other names. */
export function compareNames(a: string, b: string): number {
  return rankOf(a) - rankOf(b) || (a < b ? -1 : a > b ? 1 : 0)
}

/**
 * Returns the canonical names of those that have another one. Names connected by aliases have the first of them, a CVE if
 * there is one. Two CVEs are never one vulnerability: among names that connect several, each has the CVE that is its
 * direct and only one.
 */
export function canonicalNames(aliases: readonly Alias[]): Map<string, string> {
  const neighbours = new Map<string, Set<string>>()
  const connect = (name: string, other: string) => {
    const known = neighbours.get(name)
    if (known) known.add(other)
    else neighbours.set(name, new Set([other]))
  }
  for (const { name, alias } of aliases) {
    connect(name, alias)
    connect(alias, name)
  }
  const canonical = new Map<string, string>()
  const isVisited = new Set<string>()
  for (const start of neighbours.keys()) {
    if (isVisited.has(start)) continue
    const names = connectedTo(start, neighbours)
    for (const name of names) isVisited.add(name)
    for (const [name, first] of namesOfSet(names, neighbours)) if (name !== first) canonical.set(name, first)
  }
  return canonical
}

type Neighbours = ReadonlyMap<string, ReadonlySet<string>>

function connectedTo(start: string, neighbours: Neighbours): string[] {
  const found = new Set([start])
  for (const name of found) for (const other of neighbours.get(name) ?? []) found.add(other)
  return [...found].sort(compareNames)
}

/** Returns the canonical name of each name of a connected set in its order. */
function namesOfSet(names: readonly string[], neighbours: Neighbours): [string, string][] {
  const [first, second] = names
  if (first === undefined || names.length > maxNames) return []
  if (second === undefined || !isCve(second)) return names.map((name) => [name, first])
  return names.map((name) => {
    const [cve, another] = isCve(name) ? [] : [...(neighbours.get(name) ?? [])].filter(isCve)
    return [name, cve !== undefined && another === undefined ? cve : name]
  })
}
