import type { DismissalReason } from '../findings/scales.ts'
import type { Project } from '../projects/project.ts'
import type { Change } from '../vulnerabilities/triage/change.ts'
import type { Effect, PlannedStatement } from './plan.ts'
import type { VexDocument, VexFormat, VexStatement } from './statement.ts'

/** Result of an import, or of a dry run. */
export interface VexImport {
  format: VexFormat
  documentId: string | undefined
  isDryRun: boolean
  /** Numbers of statements. */
  statements: number
  unmatched: number
  /** Numbers of vulnerabilities. */
  changed: number
  /** Dismissals that await approval. */
  requested: number
  unchanged: number
  kept: number
  /** Vulnerabilities of projects in which the caller may not triage. */
  refused: number
  bulkIds: readonly number[]
  /** At most `maxListed` statements, those that change something first. */
  effects: readonly StatementEffect[]
}

interface StatementEffect {
  statement: VexStatement
  /** Absent: the statement matches no vulnerability. */
  project: Project | undefined
  action: Change['action'] | 'none'
  dismissalReason: DismissalReason | undefined
  reason: string
  matched: number
  changed: number
  requested: number
  kept: number
  refused: number
  samples: readonly Pick<Effect['candidate'], 'id' | 'title' | 'state'>[]
}

const maxListed = 1000
const maxSamples = 5

/** What the statements of a document do in a project. */
export interface PlannedProject {
  project: Project
  planned: readonly PlannedStatement[]
}

export interface PlannedDocument {
  document: VexDocument
  projects: readonly PlannedProject[]
  /** Why statements match no vulnerability. */
  unmatched: ReadonlyMap<VexStatement, string>
}

export function describeVex(
  { document: { format, id, statements }, projects, unmatched }: PlannedDocument,
  { bulkIds, isDryRun }: { bulkIds: readonly number[]; isDryRun: boolean },
): VexImport {
  const effects = projects.flatMap(({ planned }) => planned.flatMap(({ effects }) => effects))
  const count = (test: (effect: Effect) => boolean) => effects.filter(test).length
  const [changed, kept] = [count(isChanged), count(({ isKept }) => isKept === true)]
  const requested = count(({ isRequested }) => isRequested === true)
  const refused = count(({ isRefused }) => isRefused === true)
  const matched = new Set(effects.map(({ candidate }) => candidate.id)).size
  const described = [
    ...projects.flatMap(({ project, planned }) =>
      planned.filter(({ effects }) => effects.length > 0).map((one) => describeStatement(one, project)),
    ),
    ...[...unmatched].map(([statement, unmatched]) => describeStatement({ statement, effects: [], unmatched })),
  ]
  return {
    ...{ format, documentId: id, isDryRun, statements: statements.length, unmatched: unmatched.size },
    ...{ changed, requested, refused, kept, unchanged: matched - changed - requested - refused - kept, bulkIds },
    effects: described.sort((a, b) => rankOf(a) - rankOf(b)).slice(0, maxListed),
  }
}

const isChanged = ({ change, isRequested }: Effect) => change !== undefined && !isRequested

const rankOf = ({ action, refused }: StatementEffect) => (action !== 'none' ? 0 : refused > 0 ? 1 : 2)

function describeStatement({ statement, effects, unmatched }: PlannedStatement, project?: Project): StatementEffect {
  const changing = effects.filter(({ change }) => change)
  const shown = changing.length > 0 ? changing : effects
  const change = changing[0]?.change
  return {
    statement,
    project,
    action: change?.action ?? 'none',
    dismissalReason: change?.action === 'dismiss' ? change.dismissalReason : undefined,
    reason: unmatched ?? shown[0]?.reason ?? '',
    matched: effects.length,
    changed: effects.filter(isChanged).length,
    requested: effects.filter(({ isRequested }) => isRequested).length,
    kept: effects.filter(({ isKept }) => isKept).length,
    refused: effects.filter(({ isRefused }) => isRefused).length,
    samples: shown.slice(0, maxSamples).map(({ candidate: { id, title, state } }) => ({ id, title, state })),
  }
}
