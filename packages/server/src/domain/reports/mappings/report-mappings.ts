import { invalid, limitReached, notFound } from '../../../platform/failure.ts'
import type { AuditEventName } from '../../audit/event-name.ts'
import { type Deps, transaction } from '../../deps.ts'
import { lineageOf } from '../../namespaces/namespace.ts'
import { findNamespaceById, lockNamespace } from '../../namespaces/namespaces.ts'
import { placeIds, recordNamedChange } from '../../projects/audited-place.ts'
import type { Project } from '../../projects/project.ts'
import { lockProject } from '../../projects/projects.ts'
import { type Mapping, parseMapping } from '../formats/generic/mapping.ts'
import type { MappingDraft, MappingPlace, ReportMapping } from './report-mapping.ts'
import {
  deleteMapping,
  findMapping,
  insertMapping,
  listMappings,
  listUsable,
  updateMapping,
} from './report-mapping-queries.ts'

/** Maximum number of mappings of a project or group. */
const maxMappings = 100
const maxName = 100

export function findMappings({ db }: Deps, place: MappingPlace): Promise<ReportMapping[]> {
  return listMappings(db, placeIds(place), maxMappings)
}

export async function getMapping({ db }: Deps, place: MappingPlace, id: number): Promise<ReportMapping> {
  const found = await findMapping(db, placeIds(place), id)
  if (!found) throw notFound()
  return found
}

export function createMapping(deps: Deps, place: MappingPlace, draft: MappingDraft): Promise<ReportMapping> {
  assertValid(draft)
  return transaction(deps, async (deps) => {
    await lockPlace(deps, place)
    if ((await findMappings(deps, place)).length >= maxMappings) {
      throw limitReached(`a project or group may have up to ${maxMappings} mappings`)
    }
    const created = await insertMapping(deps.db, placeIds(place), draft, deps.now())
    if (!created) throw nameTaken()
    await recordMapping(deps, 'report_mapping_created', place, { after: created })
    return created
  })
}

export function changeMapping(
  deps: Deps,
  place: MappingPlace,
  id: number,
  changes: Partial<MappingDraft>,
): Promise<ReportMapping> {
  return transaction(deps, async (deps) => {
    await lockPlace(deps, place)
    const before = await getMapping(deps, place, id)
    const draft = { name: changes.name ?? before.name, mapping: changes.mapping ?? before.mapping }
    assertValid(draft)
    const others = (await findMappings(deps, place)).filter((other) => other.id !== id)
    if (others.some(({ name }) => name === draft.name)) throw nameTaken()
    await updateMapping(deps.db, id, draft, deps.now())
    const after = await getMapping(deps, place, id)
    await recordMapping(deps, 'report_mapping_updated', place, { after, before })
    return after
  })
}

export async function removeMapping(deps: Deps, place: MappingPlace, id: number): Promise<void> {
  await transaction(deps, async (deps) => {
    const before = await getMapping(deps, place, id)
    await deleteMapping(deps.db, id)
    await recordMapping(deps, 'report_mapping_destroyed', place, { after: before })
  })
}

/** Returns the mappings that reports of a project can name: its own, and those of the groups above it, closest first. */
export async function findUsableMappings(deps: Deps, project: Project, name?: string): Promise<ReportMapping[]> {
  const namespace = await findNamespaceById(deps.db, project.namespace.id)
  const namespaceIds = namespace ? lineageOf(namespace) : []
  const found = await listUsable(deps.db, { projectId: project.id, namespaceIds }, name)
  const rank = ({ namespaceId }: ReportMapping) =>
    namespaceId === null ? namespaceIds.length : namespaceIds.indexOf(namespaceId)
  return found.sort((a, b) => rank(b) - rank(a))
}

/** Returns the mapping that a report names: that of the project, or of the closest group above it. */
export async function findMappingNamed(deps: Deps, project: Project, name: string): Promise<Mapping | undefined> {
  const [closest] = await findUsableMappings(deps, project, name)
  if (!closest) return undefined
  const mapping = parseMapping(JSON.stringify(closest.mapping))
  // It was valid when it was stored.
  if (typeof mapping === 'string') throw invalid({ mapping: [mapping] })
  return mapping
}

async function lockPlace({ db }: Deps, { project, group }: MappingPlace): Promise<void> {
  if (project) await lockProject(db, project.id)
  else await lockNamespace(db, group.id)
}

const nameTaken = () => invalid({ name: ['has already been taken'] })

function assertValid({ name, mapping }: MappingDraft): void {
  const length = [...name].length
  if (length === 0) throw invalid({ name: ["can't be blank"] })
  if (length > maxName) throw invalid({ name: [`is too long (maximum is ${maxName} characters)`] })
  // A parameter that begins so is the mapping itself.
  if (name.startsWith('{')) throw invalid({ name: ['must not begin with {'] })
  const parsed = parseMapping(JSON.stringify(mapping))
  if (typeof parsed === 'string') throw invalid({ mapping: [parsed] })
}

const messages = {
  report_mapping_created: 'Created a report mapping',
  report_mapping_updated: 'Changed a report mapping',
  report_mapping_destroyed: 'Deleted a report mapping',
} as const satisfies Partial<Record<AuditEventName, string>>

function recordMapping(
  deps: Deps,
  name: keyof typeof messages,
  place: MappingPlace,
  change: { after: ReportMapping; before?: ReportMapping },
): Promise<void> {
  const fields = { name: 'name', mapping: 'mapping' }
  return recordNamedChange(deps, name, place, { message: messages[name], type: 'ReportMapping', fields, ...change })
}
