import { type InvalidAttributes, invalid, limitReached, notFound } from '../../../platform/failure.ts'
import type { AuditEventName } from '../../audit/event-name.ts'
import { type Deps, transaction } from '../../deps.ts'
import { lineageOf } from '../../namespaces/namespace.ts'
import { lockNamespace } from '../../namespaces/namespaces.ts'
import { lockInstance } from '../../namespaces/organizations.ts'
import { placeIds, recordNamedChange } from '../../projects/audited-place.ts'
import { lockProject } from '../../projects/projects.ts'
import type { DismissalTemplate, TemplateDraft, TemplatePlace } from './dismissal-template.ts'
import {
  countTemplates,
  deleteTemplate,
  findNamed,
  findTemplate,
  insertTemplate,
  listUsable,
  updateTemplate,
} from './dismissal-template-queries.ts'

/** Maximum number of templates of a project, a group or the instance. */
const maxTemplates = 50
const maxName = 100
const maxComment = 10_000

/** Returns the templates of a place, then those of the groups above it, the closest first, then those of the instance. */
export async function findTemplates({ db }: Deps, place: TemplatePlace): Promise<DismissalTemplate[]> {
  const { project, group } = place
  const namespace = project?.namespace ?? group
  const namespaceIds = namespace ? lineageOf(namespace) : []
  const found = await listUsable(db, { projectId: project?.id ?? null, namespaceIds })
  const rank = ({ projectId, namespaceId }: DismissalTemplate) =>
    projectId === null ? namespaceIds.indexOf(namespaceId ?? 0) : namespaceIds.length
  return found.sort((a, b) => rank(b) - rank(a))
}

export function createTemplate(deps: Deps, place: TemplatePlace, draft: TemplateDraft): Promise<DismissalTemplate> {
  assertValid(draft)
  return transaction(deps, async (deps) => {
    await lockPlace(deps, place)
    if ((await countTemplates(deps.db, placeIds(place))) >= maxTemplates) {
      throw limitReached(`there may be up to ${maxTemplates} templates here`)
    }
    if (await findNamed(deps.db, placeIds(place), draft.name)) throw nameTaken()
    const created = await insertTemplate(deps.db, placeIds(place), draft, deps.now())
    await recordTemplate(deps, 'dismissal_template_created', place, { after: created })
    return created
  })
}

export function changeTemplate(
  deps: Deps,
  place: TemplatePlace,
  id: number,
  changes: Partial<TemplateDraft>,
): Promise<DismissalTemplate> {
  return transaction(deps, async (deps) => {
    await lockPlace(deps, place)
    const before = await getTemplate(deps, place, id)
    const draft: TemplateDraft = { ...before, ...changes }
    assertValid(draft)
    const named = await findNamed(deps.db, placeIds(place), draft.name)
    if (named !== undefined && named !== id) throw nameTaken()
    await updateTemplate(deps.db, id, draft, deps.now())
    const after = await getTemplate(deps, place, id)
    await recordTemplate(deps, 'dismissal_template_updated', place, { after, before })
    return after
  })
}

export function removeTemplate(deps: Deps, place: TemplatePlace, id: number): Promise<void> {
  return transaction(deps, async (deps) => {
    const before = await getTemplate(deps, place, id)
    await deleteTemplate(deps.db, id)
    await recordTemplate(deps, 'dismissal_template_destroyed', place, { after: before })
  })
}

/** Returns a template of the place itself; those of the levels above are changed there. */
async function getTemplate({ db }: Deps, place: TemplatePlace, id: number): Promise<DismissalTemplate> {
  const found = await findTemplate(db, placeIds(place), id)
  if (!found) throw notFound()
  return found
}

/** Concurrent changes of a place wait, so that names stay unique and the number within the limit. */
async function lockPlace({ db }: Deps, { project, group }: TemplatePlace): Promise<void> {
  if (project) await lockProject(db, project.id)
  else if (group) await lockNamespace(db, group.id)
  else await lockInstance(db)
}

const nameTaken = () => invalid({ name: ['has already been taken'] })

function assertValid({ name, comment }: TemplateDraft): void {
  const problems: InvalidAttributes = {
    ...(name === '' && { name: ["can't be blank"] }),
    ...([...name].length > maxName && { name: [`is too long (maximum is ${maxName} characters)`] }),
    ...([...comment].length > maxComment && { comment: [`is too long (maximum is ${maxComment} characters)`] }),
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

const messages = {
  dismissal_template_created: 'Created a dismissal template',
  dismissal_template_updated: 'Changed a dismissal template',
  dismissal_template_destroyed: 'Deleted a dismissal template',
} as const satisfies Partial<Record<AuditEventName, string>>

const auditedFields = {
  name: 'name',
  reason: 'dismissal_reason',
  comment: 'comment',
  untilDays: 'until_days',
  isUntilFixed: 'until_fixed',
} as const

function recordTemplate(
  deps: Deps,
  name: keyof typeof messages,
  place: TemplatePlace,
  change: { after: DismissalTemplate; before?: DismissalTemplate },
): Promise<void> {
  const event = { message: messages[name], type: 'DismissalTemplate', fields: auditedFields }
  return recordNamedChange(deps, name, place, { ...event, ...change })
}
