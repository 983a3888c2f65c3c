import type { DismissalReason, State } from '../../findings/scales.ts'
import type { ExportedRow } from '../exported-rows.ts'

/** Writes a VEX document: its start, each statement, and its end. */
export interface VexWriter {
  /** Returns the start, which may depend on whether a statement follows. */
  head: (hasStatements: boolean) => string
  /** Returns the JSON of a statement, or `undefined` for a vulnerability without an id or a component. */
  statement: (row: ExportedRow) => string | undefined
  tail: (hasStatements: boolean) => string
}

/** Facts of the document. */
export interface VexOrigin {
  /** Address of the instance. */
  instance: string
  /** Id of the export. */
  id: number
  now: string
  /** Name of the exported project or group. */
  title: string
}

export interface VexRow {
  /** Address of the vulnerability, by which an import recognises it. */
  address: string
  /** Address of the project. */
  project: string
  /** Ids of the vulnerability, the primary one first. */
  ids: readonly [string, ...string[]]
  /** Package URL, or the name of the package or image. */
  component: string
  name: string
  version: string | undefined
  state: State
  dismissalReason: DismissalReason | null
  /** The user's explanation of the last decision. */
  comment: string | undefined
  solution: string | undefined
  decidedAt: string
}

const idTypes: ReadonlySet<string> = new Set([
  'cve',
  'ghsa',
  'osv',
  'rhsa',
  'usn',
  'snyk',
  'rustsec',
  'pysec',
  'go',
  'gms',
  'elsa',
  'alas',
])

/** Returns the facts of a vulnerability for VEX, or `undefined` if it has no public id or no component. */
export function vexRowOf(row: ExportedRow, { instance }: Pick<VexOrigin, 'instance'>): VexRow | undefined {
  const { project, vulnerability, finding, identifiers, remarks } = row
  const [primary, ...aliases] = identifiers
    .filter(({ externalType }) => idTypes.has(externalType.toLowerCase()))
    .map(({ externalId }) => externalId)
  const { file, image, dependency } = finding.location as Record<string, unknown> // as reported
  const { package: reported, version } = (dependency ?? {}) as Record<string, unknown> // as reported
  const { name } = (reported ?? {}) as Record<string, unknown> // as reported
  const component = [finding.packageUrl, name, image, file].find((text) => typeof text === 'string' && text !== '')
  if (primary === undefined || typeof component !== 'string') return undefined
  const decision = remarks.findLast(({ kind }) => kind === 'state')
  return {
    address: `${instance}/${project.fullPath}/-/security/vulnerabilities/${vulnerability.id}`,
    project: `${instance}/${project.fullPath}`,
    ids: [primary, ...new Set(aliases.filter((id) => id !== primary))],
    component,
    name: typeof name === 'string' && name !== '' ? name : component,
    version: typeof version === 'string' && version !== '' ? version : undefined,
    state: vulnerability.state,
    dismissalReason: vulnerability.dismissalReason,
    comment: decision?.comment?.trim() || undefined,
    solution: finding.solution?.trim() || undefined,
    decidedAt: decision?.createdAt ?? vulnerability.createdAt,
  }
}

/** Returns the status; a product whose risk is accepted is affected. */
export function statusOf({ state, dismissalReason }: VexRow) {
  if (state === 'resolved') return 'fixed'
  if (state === 'detected') return 'under_investigation'
  return state === 'confirmed' || dismissalReason === 'acceptable_risk' ? 'affected' : 'not_affected'
}

/** Justifications of OpenVEX and CSAF. A dismissal without a reason has an explanation in words only. */
export const justifications: Readonly<Record<DismissalReason, string | undefined>> = {
  acceptable_risk: undefined,
  false_positive: 'vulnerable_code_not_present',
  mitigating_control: 'inline_mitigations_already_exist',
  used_in_tests: 'vulnerable_code_not_in_execute_path',
  not_applicable: 'vulnerable_code_not_in_execute_path',
}

/** Returns why the product is not affected, in words. */
export function impactOf({ comment, dismissalReason }: VexRow): string {
  return comment ?? `Dismissed${dismissalReason ? `: ${dismissalReason.replaceAll('_', ' ')}` : ''}`
}

/** Returns what users of an affected product can do. */
export function actionOf({ dismissalReason, comment, solution }: VexRow): string {
  const accepted = dismissalReason === 'acceptable_risk' ? 'The risk is accepted.' : undefined
  return [accepted, comment, solution].filter(Boolean).join(' ') || 'No action is known.'
}
