import { hash } from 'node:crypto'
import { columnValues } from '../../../db/column-values.ts'
import { type InvalidAttributes, invalid } from '../../../platform/failure.ts'
import { type Deps, projectTransaction } from '../../deps.ts'
import type { IdentifierContent } from '../../findings/finding.ts'
import { contentColumns } from '../../findings/finding-content.ts'
import { createFindings, upsertIdentifiers, upsertScanners } from '../../findings/findings.ts'
import { insertOccurrences } from '../../findings/occurrences/occurrences.ts'
import { confidenceRanks, type Severity, type State, severityRanks } from '../../findings/scales.ts'
import type { Project } from '../../projects/project.ts'
import { lockAgainstDeletion } from '../../projects/projects.ts'
import type { User } from '../../users/user.ts'
import { recordDecision } from '../triage/audited-decisions.ts'
import { applyChange, type Change, entryOf } from '../triage/change.ts'
import { changeVulnerability, saveChanges } from '../triage/triage.ts'
import type { VulnerabilityWithFinding } from '../vulnerability.ts'
import { promoteFinding } from './promotion.ts'

/** A vulnerability that a user describes, such as one from a penetration test. */
export interface ManualVulnerability {
  name: string
  description: string
  solution: string | null
  severity: Severity
  state: State
  scanner: { externalId: string; name: string; vendor: string }
  identifiers: readonly ManualIdentifier[]
}

interface ManualIdentifier {
  name: string
  url: string
  externalType?: string | undefined
  externalId?: string | undefined
}

/** Creates a vulnerability without a report. No report of a scanner ever changes or resolves it. */
export function createManually(
  deps: Deps,
  project: Project,
  author: User,
  draft: ManualVulnerability,
): Promise<VulnerabilityWithFinding> {
  assertValid(draft)
  return projectTransaction(deps, project.id, async (deps) => {
    await lockAgainstDeletion(deps.db, project.id)
    const created = await promoteFinding(deps, project, author, await storeFinding(deps, project, draft))
    const change = changes[draft.state]
    const { vulnerability } = created
    if (!change) return created
    if (change.action === 'dismiss' && vulnerability.ruleEffects?.dismissal) {
      return replaceDismissal(deps, project, author, created)
    }
    return changeVulnerability(deps, project, author, { id: vulnerability.id, change })
  })
}

/** Changes of a new vulnerability into each state. */
const changes: Record<State, Change | undefined> = {
  detected: undefined,
  confirmed: { action: 'confirm' },
  resolved: { action: 'resolve' },
  dismissed: { action: 'dismiss' },
}

/** Replaces the dismissal of a rule by one of the user, so that the vulnerability stays dismissed without the rule. */
async function replaceDismissal(
  deps: Deps,
  project: Project,
  author: User,
  { vulnerability: before, ...shown }: VulnerabilityWithFinding,
): Promise<VulnerabilityWithFinding> {
  const change = { action: 'dismiss' } as const
  const context = { userId: author.id, now: deps.now() }
  const detected = applyChange(before, { action: 'revert' }, before.severity, context)
  const after = detected && applyChange(detected, change, before.severity, context)
  if (!after) throw new Error('a dismissal by a rule was not replaced')
  const entry = entryOf({ before, after }, change, context)
  await saveChanges(deps, project.id, [{ before, after, entry }], context.now)
  await recordDecision(deps, project, author, { vulnerability: after, entry, group: undefined })
  return { ...shown, vulnerability: after }
}

/** Stores the finding on the default branch, and returns its id. */
async function storeFinding(deps: Deps, project: Project, draft: ManualVulnerability): Promise<number> {
  const { db, now } = deps
  const identifiers = draft.identifiers.map(identifierOf)
  await upsertScanners(db, project.id, [draft.scanner], now())
  const ids = await upsertIdentifiers(db, project.id, identifiers)
  const uuid = newUuid(deps)
  const row = columnValues(rowOf(draft, uuid, identifiers), contentColumns)
  const identifierIds = [...new Set(identifiers.flatMap(({ fingerprint }) => ids.get(fingerprint) ?? []))]
  const source = { projectId: project.id, importId: null, now: now() }
  const stored = await createFindings(db, source, [{ uuid, row, identifierIds, keys: [] }])
  const id = stored.get(uuid)
  if (id === undefined) throw new Error('an inserted finding returned no id')
  await insertOccurrences(db, { ...source, ref: project.defaultBranch, categoryId: undefined }, [id])
  return id
}

function rowOf(draft: ManualVulnerability, uuid: string, identifiers: readonly IdentifierContent[]) {
  const { name, description, solution, severity, scanner } = draft
  const location = { description }
  const entry = { name, description, solution, severity, scanner, identifiers: draft.identifiers, location }
  const rawMetadata = JSON.stringify(entry)
  return {
    uuid,
    report_type: 'generic',
    scanner: scanner.externalId,
    primary_identifier: identifiers[0]?.fingerprint,
    name,
    description,
    solution,
    severity: severityRanks[severity],
    confidence: confidenceRanks.unknown,
    cve: null,
    location,
    // It never equals that of another finding.
    location_fingerprint: sha1(`manually-created-vulnerability-${uuid}`),
    details: {},
    extras: { links: [], flags: [], evidence: null, assets: [], cvss: [], remediations: [], signatures: [] },
    metadata_version: 'manual:1.0',
    digest: sha1(`${uuid}${rawMetadata}`),
    raw_metadata: rawMetadata,
    package_url: null,
    package_key: null,
    package_name: null,
  }
}

const sha1 = (text: string) => hash('sha1', text)

/** Guesses a missing type from the name, as GitLab does. */
function identifierOf({ name, url, externalType, externalId = name }: ManualIdentifier): IdentifierContent {
  const type = externalType ?? /^(cve|cwe)-/i.exec(name)?.[1]?.toLowerCase() ?? 'other'
  return { name, url, externalType: type, externalId, fingerprint: sha1(`${type}:${externalId}`) }
}

/** Returns a random UUID. */
function newUuid({ random }: Deps): string {
  const hex = random(16).toString('hex')
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16)
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`]
  return [...parts, hex.slice(20)].join('-')
}

const maxName = 255
const maxDescription = 15_000
const maxSolution = 7_000
const maxUrl = 2048
/** Maximum number of identifiers of a finding, as in reports. */
const maxIdentifiers = 20

function assertValid({ name, description, solution, scanner, identifiers }: ManualVulnerability): void {
  const problems: InvalidAttributes = {
    ...problemsOf('name', name, maxName),
    ...problemsOf('description', description, maxDescription),
    ...(solution !== null && problemsOf('solution', solution, maxSolution)),
    ...problemsOf('scanner id', scanner.externalId, maxName),
    ...problemsOf('scanner name', scanner.name, maxName),
    ...problemsOf('scanner vendor', scanner.vendor, maxName),
    ...(identifiers.length === 0 && { identifiers: ["can't be blank"] }),
    ...(identifiers.length > maxIdentifiers && { identifiers: [`are too many (maximum is ${maxIdentifiers})`] }),
  }
  for (const { name, url, externalType = 'other', externalId = name } of identifiers) {
    Object.assign(problems, problemsOf('identifier name', name, maxName))
    Object.assign(problems, problemsOf('identifier type', externalType, maxName))
    Object.assign(problems, problemsOf('identifier id', externalId, maxName))
    if (!isAddress(url)) Object.assign(problems, { 'identifier url': ['is no address of http, https or ftp'] })
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

function problemsOf(attribute: string, text: string, max: number): InvalidAttributes {
  if (text.trim() === '' || text.includes('\0')) return { [attribute]: ["can't be blank"] }
  return [...text].length > max ? { [attribute]: [`is too long (maximum is ${max} characters)`] } : {}
}

const isAddress = (url: string) =>
  url.length <= maxUrl && URL.canParse(url) && ['http:', 'https:', 'ftp:'].includes(new URL(url).protocol)
