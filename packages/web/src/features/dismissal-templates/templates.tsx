import { useContext, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ForWriters } from '../../components/form/for-writers.tsx'
import { inWords } from '../../components/format.ts'
import { ConfirmDialog } from '../../components/overlay/dialog.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { useLinks } from '../../components/page/screens.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Tabs } from '../../components/page/tabs.tsx'
import { Table } from '../../components/table.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import {
  type DismissalTemplate,
  operationsOf,
  type TemplatePlace,
} from '../../nouns/dismissal-template/template-place.ts'
import { GroupContext } from '../../nouns/group/group.ts'
import { ProjectContext } from '../../nouns/project/project.ts'
import { TemplateForm } from './template-form.tsx'
import { texts } from './texts.ts'

/** Settings of the dismissal templates of a project, of a group or of the instance. */
export function DismissalTemplates() {
  const project = useContext(ProjectContext)
  const group = useContext(GroupContext)
  const place: TemplatePlace = project
    ? { kind: 'project', id: project.project.id }
    : group
      ? { kind: 'group', id: group.group.id }
      : { kind: 'instance' }
  const links = useLinks('settings', place.kind, project ?? group ?? undefined)
  const { path, id } = operationsOf(place)
  const query = useApiQuery(`GET ${path}`, { path: { id } })
  return (
    <Page title={texts.dismissalTemplates} lead={texts.aTemplateFillsIn}>
      {place.kind !== 'instance' && <Tabs label={texts.settingsSections} tabs={links} />}
      <QueryResult query={query}>{(templates) => <Found templates={templates} place={place} />}</QueryResult>
    </Page>
  )
}

function Found({ templates, place }: { templates: readonly DismissalTemplate[]; place: TemplatePlace }) {
  const [edited, setEdited] = useState<DismissalTemplate | 'new'>()
  const own = templates.filter(({ level, group_id }) => isOf(place, level, group_id))
  const inherited = templates.filter((template) => !own.includes(template))
  return (
    <>
      <ForWriters>
        {edited ? (
          <Panel title={edited === 'new' ? texts.addATemplate : texts.editName(edited.name)}>
            <TemplateForm
              key={edited === 'new' ? 0 : edited.id}
              template={edited === 'new' ? undefined : edited}
              place={place}
              onClose={() => setEdited(undefined)}
            />
          </Panel>
        ) : (
          <p>
            <Button kind="primary" onClick={() => setEdited('new')}>
              {texts.addTemplate}
            </Button>
          </p>
        )}
        {own.length === 0 ? (
          <p>{texts.thereAreNoTemplates}</p>
        ) : (
          <Table label={texts.dismissalTemplates} head={[...columns, '']}>
            {own.map((template) => (
              <tr key={template.id}>
                <th scope="row">{template.name}</th>
                <Values template={template} />
                <td>
                  <Actions template={template} place={place} onEdit={() => setEdited(template)} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </ForWriters>
      {inherited.length > 0 && (
        <Panel title={texts.templatesOfTheLevels}>
          <Table label={texts.inheritedTemplates} head={columns}>
            {inherited.map((template) => (
              <tr key={template.id}>
                <th scope="row">
                  {template.name} <Badge>{template.level === 'group' ? texts.group : texts.instance}</Badge>
                </th>
                <Values template={template} />
              </tr>
            ))}
          </Table>
        </Panel>
      )}
    </>
  )
}

const columns = [texts.name, texts.reason, texts.comment, texts.end]

const isOf = (place: TemplatePlace, level: DismissalTemplate['level'], groupId: number | null): boolean =>
  level === place.kind && (place.kind !== 'group' || groupId === place.id)

function Values({ template }: { template: DismissalTemplate }) {
  return (
    <>
      <td>{inWords(template.dismissal_reason)}</td>
      <td>{template.comment}</td>
      <td>{endInWords(template)}</td>
    </>
  )
}

function endInWords({ until_days: days, until_fixed: isUntilFixed }: DismissalTemplate): string {
  if (days === null) return isUntilFixed ? texts.whenAFix : texts.none
  return isUntilFixed ? texts.either(texts.afterDays(days), texts.whenAFix) : texts.afterDays(days)
}

interface ActionsProps {
  template: DismissalTemplate
  place: TemplatePlace
  onEdit: () => void
}

function Actions({ template, place, onEdit }: ActionsProps) {
  const [isAsked, setAsked] = useState(false)
  const { path, id } = operationsOf(place)
  const remove = useAction(`DELETE ${path}/{template_id}`, { done: texts.templateDeleted })
  return (
    <div className="row">
      <Button size="small" kind="quiet" aria-label={texts.editName(template.name)} onClick={onEdit}>
        {texts.edit}
      </Button>
      <Button size="small" kind="quiet" aria-label={texts.deleteName(template.name)} onClick={() => setAsked(true)}>
        {texts.delete}
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={texts.deleteTheTemplate(template.name)}
        lead={texts.dismissalsStay}
        confirm={texts.deleteTemplate}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate({ path: { id, template_id: template.id } })}
      />
    </div>
  )
}
