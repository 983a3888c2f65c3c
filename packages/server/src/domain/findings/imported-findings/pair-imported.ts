import { groupBy } from '../../group-by.ts'
import { type ImportKey, importRanks } from './import-key.ts'

interface Keyed {
  keys: readonly ImportKey[]
  line: number
}

export interface ImportedPair<Record, Finding> {
  record: Record
  finding: Finding
}

/** Maximum number of lines between a record and the finding that it is, if several have the same rule and file. */
const maxLines = 20

/**
 * Pairs records of another product with findings of scanners, each with at most one. The most reliable key comes first;
 * an ambiguous key pairs nothing, unless lines or the lack of a place decide.
 */
export function pairImported<Record extends Keyed, Finding extends Keyed>(
  records: readonly Record[],
  findings: readonly Finding[],
): ImportedPair<Record, Finding>[] {
  const pairs: ImportedPair<Record, Finding>[] = []
  const paired = new Set<Keyed>()
  const isFree = (one: Keyed) => !paired.has(one)
  const byKey = groupBy(
    findings.flatMap((finding) => finding.keys.map(({ key }) => ({ key, finding }))),
    ({ key }) => key,
  )
  for (const rank of Object.values(importRanks).sort((a, b) => a - b)) {
    const ofRank = records.flatMap((record) =>
      isFree(record) ? record.keys.flatMap((own) => (own.rank === rank ? [{ key: own.key, record }] : [])) : [],
    )
    for (const [key, group] of groupBy(ofRank, ({ key }) => key)) {
      const own = group.map(({ record }) => record).filter(isFree)
      const known = (byKey.get(key) ?? []).map(({ finding }) => finding).filter(isFree)
      const isOrdered = rank === importRanks.place || rank === importRanks.anywhere
      for (const pair of isOrdered ? inOrder(own, known) : closest(own, known)) {
        if (!isFree(pair.record) || !isFree(pair.finding)) continue
        paired.add(pair.record).add(pair.finding)
        pairs.push(pair)
      }
    }
  }
  return pairs
}

function inOrder<Record extends Keyed, Finding extends Keyed>(
  records: readonly Record[],
  findings: readonly Finding[],
): ImportedPair<Record, Finding>[] {
  const sorted = findings.toSorted((a, b) => a.line - b.line)
  return records
    .toSorted((a, b) => a.line - b.line)
    .flatMap((record, index) => {
      const finding = sorted[index]
      return finding ? [{ record, finding }] : []
    })
}

/** Pairs the only record with the only finding, and otherwise those with the smallest distances in lines. */
function closest<Record extends Keyed, Finding extends Keyed>(
  records: readonly Record[],
  findings: readonly Finding[],
): ImportedPair<Record, Finding>[] {
  const [record, finding] = [records[0], findings[0]]
  if (record && finding && records.length === 1 && findings.length === 1) return [{ record, finding }]
  // Without a limit, one rule with very many findings in one file would take quadratic time.
  if (records.length * findings.length > maxCompared) return []
  const distances = records.flatMap((record) =>
    findings.flatMap((finding) => {
      const distance = Math.abs(record.line - finding.line)
      return record.line > 0 && finding.line > 0 && distance <= maxLines ? [{ record, finding, distance }] : []
    }),
  )
  return distances.sort((a, b) => a.distance - b.distance)
}

const maxCompared = 1_000_000
