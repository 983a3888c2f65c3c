import type { Db } from '../../db/db.ts'
import type { Deps } from '../deps.ts'
import { groupBy } from '../group-by.ts'
import type { Feed, FeedFile, KevEntry } from './feed.ts'
import { listFeedRows, newestRejected } from './feed-queries.ts'
import { listAliases, listKevEntries, listKnownExploited, listScores } from './threat-queries.ts'

export { listAliases } from './threat-queries.ts'

const maxRejected = 20

/** Returns the feeds, and the files that were rejected, newest first. */
export async function readFeeds({ db }: Deps): Promise<{ feeds: Feed[]; rejected: FeedFile[] }> {
  const [feeds, rejected] = await Promise.all([listFeedRows(db), newestRejected(db, maxRejected)])
  return { feeds, rejected }
}

/** Returns the numbers of the loads in use, which change with every load. */
export async function readGenerations({ db }: Deps): Promise<string> {
  return (await listFeedRows(db)).map(({ generation }) => generation).join(' ')
}

/** What the feeds have of the CVEs of a vulnerability. */
export interface Threat {
  /** The highest score. Null if no CVE has one. */
  epss: { scoreMillionths: number; percentileMillionths: number } | null
  isKev: boolean
}

/** Returns, for each list of identifiers, what the feeds have of its CVEs and of those that are its aliases. */
export async function readThreats({ db }: Deps, lists: readonly (readonly string[])[]): Promise<Threat[]> {
  const cvesOfLists = await readCvesOfLists(db, lists)
  const all = [...new Set(cvesOfLists.flat())]
  if (all.length === 0) return lists.map(() => ({ epss: null, isKev: false }))
  const scores = new Map((await listScores(db, all)).map((score) => [score.cve, score]))
  const exploited = new Set(await listKnownExploited(db, all))
  return cvesOfLists.map((cves) => {
    const found = cves.flatMap((cve) => scores.get(cve) ?? [])
    const [highest] = found.sort((a, b) => b.scoreMillionths - a.scoreMillionths)
    return { epss: highest ?? null, isKev: cves.some((cve) => exploited.has(cve)) }
  })
}

/** Returns, for each list of identifiers, its CVEs and those that are its aliases. */
async function readCvesOfLists(db: Db, lists: readonly (readonly string[])[]): Promise<string[][]> {
  const named = lists.map((names) => names.map((name) => name.toUpperCase()).filter(isAdvisory))
  const names = [...new Set(named.flat())]
  const aliases = groupBy(names.length === 0 ? [] : await listAliases(db, names), ({ name }) => name)
  const cvesOf = (names: readonly string[]) =>
    new Set([...names, ...names.flatMap((name) => aliases.get(name)?.map(({ alias }) => alias) ?? [])].filter(isCve))
  return named.map((names) => [...cvesOf(names)])
}

/** Returns further identifiers of the same vulnerabilities, by identifier, in capitals. */
export async function readAliases({ db }: Deps, names: readonly string[]): Promise<Map<string, readonly string[]>> {
  const wanted = [...new Set(names.map((name) => name.trim().toUpperCase()).filter(isAdvisory))]
  const rows = wanted.length === 0 ? [] : await listAliases(db, wanted)
  const aliases = groupBy(rows, ({ name }) => name)
  return new Map([...aliases].map(([name, found]) => [name, found.map(({ alias }) => alias)]))
}

/** What the feeds have of one CVE. */
export interface CveRecord {
  cve: string
  epssMillionths: number | null
  isKev: boolean
}

/** Returns what the feeds have of CVEs, which are in capitals; nothing of those that they do not know. */
export async function readCves({ db }: Deps, cves: readonly string[]): Promise<Map<string, CveRecord>> {
  const scores = new Map((await listScores(db, cves)).map(({ cve, scoreMillionths }) => [cve, scoreMillionths]))
  const exploited = new Set(await listKnownExploited(db, cves))
  const known = cves.filter((cve) => scores.has(cve) || exploited.has(cve))
  return new Map(known.map((cve) => [cve, { cve, epssMillionths: scores.get(cve) ?? null, isKev: exploited.has(cve) }]))
}

/** Returns, for each list of identifiers, the entries of the KEV catalogue for its CVEs and those that are its aliases. */
export async function readKevEntries({ db }: Deps, lists: readonly (readonly string[])[]): Promise<KevEntry[][]> {
  const cvesOfLists = await readCvesOfLists(db, lists)
  const all = [...new Set(cvesOfLists.flat())]
  const entries = all.length === 0 ? [] : await listKevEntries(db, all)
  return cvesOfLists.map((cves) => entries.filter(({ cve }) => cves.includes(cve)))
}

export const isCve = (name: string) => name.startsWith('CVE-')

/** Rules of scanners and weaknesses have no advisories, and are most identifiers. */
const isAdvisory = (name: string) => /^[A-Z]{2,20}-/.test(name) && !name.startsWith('CWE-')
