import { severityRanks } from '../../findings/scales.ts'
import { groupBy } from '../../group-by.ts'
import type { CountedCell } from './cell-queries.ts'
import type { VulnerabilitySort } from './filter.ts'
import type { Position, Stretch } from './list-queries.ts'

/** A contiguous segment of a list: one severity, or everything when sorted by time. */
export interface Run {
  stretches: readonly Stretch[]
  total: number
  /** Positions before the first row and after the last one. */
  first: Position
  last: Position
}

/**
 * Returns the segments of a list in order. `all` are the existing facet counts, `wanted` those that match the filter.
 */
export function layOut(all: readonly CountedCell[], wanted: readonly CountedCell[], sort: VulnerabilitySort): Run[] {
  if (wanted.length === 0) return []
  if (sort === 'detected_asc') return [run(all, wanted, { severity: 0, id: 0 }, { severity: 0, id: end })]
  if (sort === 'detected_desc') return [run(all, wanted, { severity: 0, id: end }, { severity: 0, id: 0 })]
  const bySeverity = groupBy(wanted, ({ severity }) => severityRanks[severity])
  const worstFirst = [...bySeverity].sort(([a], [b]) => b - a)
  const ordered = sort === 'severity_desc' ? worstFirst : worstFirst.reverse()
  return ordered.map(([severity, cells]) => run(all, cells, { severity, id: end }, { severity, id: 0 }))
}

/** Larger than any id. */
const end = Number.MAX_SAFE_INTEGER

function run(all: readonly CountedCell[], cells: readonly CountedCell[], first: Position, last: Position): Run {
  const stretches = stretchesOf(all, cells)
  return { stretches, total: cells.reduce((sum, { total }) => sum + total, 0), first, last }
}

/** Returns one index range per facet count, or a single one where all counts of a severity match. */
function stretchesOf(all: readonly CountedCell[], cells: readonly CountedCell[]): Stretch[] {
  const sizes = new Map([...groupBy(all, shelf)].map(([key, group]) => [key, group.length]))
  return [...groupBy(cells, shelf)].flatMap(([key, group]): Stretch[] => {
    const [some] = group
    if (!some || group.length < (sizes.get(key) ?? 0)) {
      return group.map(({ projectId, isOnDefaultBranch, severity, ...cell }) => ({
        projectId,
        isOnDefaultBranch,
        severity,
        cell: { isOnDefaultBranch, severity, ...cell },
      }))
    }
    const { projectId, isOnDefaultBranch, severity } = some
    return [{ projectId, isOnDefaultBranch, severity }]
  })
}

const shelf = ({ projectId, isOnDefaultBranch, severity }: CountedCell) =>
  `${projectId} ${isOnDefaultBranch} ${severity}`
