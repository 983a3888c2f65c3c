import type { ResponseOf, Schemas } from '@alcove/client'
import { useContext, useState } from 'react'
import { severities } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ActionForm } from '../../components/form/action-form.tsx'
import { SelectField, TextField } from '../../components/form/field.tsx'
import { ForWriters } from '../../components/form/for-writers.tsx'
import { formatCount, inWords } from '../../components/format.ts'
import { ConfirmDialog } from '../../components/overlay/dialog.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { useLinks } from '../../components/page/screens.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Tabs } from '../../components/page/tabs.tsx'
import { Table } from '../../components/table.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { GroupContext } from '../../nouns/group/group.ts'
import { ProjectContext } from '../../nouns/project/project.ts'
import { texts } from './texts.ts'

const groupPath = '/groups/{id}/due_date_policy'

/** Returns the project, the group or the instance whose policy the page shows. */
function usePolicyPlace() {
  const project = useContext(ProjectContext)
  const group = useContext(GroupContext)
  const noun = project ? 'project' : group ? 'group' : 'instance'
  const paths = { project: '/projects/{id}/due_date_policy', group: groupPath, instance: '/admin/due_date_policy' }
  return {
    noun,
    id: project?.project.id ?? group?.group.id ?? 0,
    // The operations of all places have the types of a group's. The client fills only parameters that the path has.
    path: paths[noun] as typeof groupPath,
    links: useLinks('settings', noun, project ?? group ?? undefined),
  } as const
}

const bases = [
  { value: 'detection', label: texts.detection },
  { value: 'fix', label: texts.availabilityOfAFix },
] as const

type Basis = (typeof bases)[number]['value']
type Policy = NonNullable<Policies['own']>
type Policies = Schemas['DueDatePolicies']

/** Settings of the due date policy of a project, of a group or of the instance. */
export function DueDates() {
  const { noun, id, path, links } = usePolicyPlace()
  const query = useApiQuery(`GET ${path}`, { path: { id } })
  return (
    <Page title={texts.dueDates} lead={texts.daysUntilOpenVulnerabilities}>
      {noun !== 'instance' && <Tabs label={texts.settingsSections} tabs={links} />}
      <QueryResult query={query}>{(policies) => <Found policies={policies} id={id} path={path} />}</QueryResult>
    </Page>
  )
}

function Found({ policies, id, path }: { policies: Policies; id: number; path: typeof groupPath }) {
  const { own, inherited, update } = policies
  return (
    <>
      {update && update.state !== 'finished' && (
        <p role="status">
          {update.state === 'failed'
            ? texts.theLastUpdateOfDue
            : texts.dueDatesAreBeing(
                update.total ? texts.of(formatCount(update.done ?? 0), formatCount(update.total)) : '',
              )}
        </p>
      )}
      {!own && (
        <p>
          {inherited
            ? texts.thePolicyOfApplies(
                inherited.level === 'group' ? texts.aGroupAbove : texts.theInstance,
                describe(inherited),
              )
            : texts.thereIsNoPolicy}
        </p>
      )}
      <ForWriters>
        <Panel title={own ? texts.policy : texts.setAPolicy}>
          <PolicyForm key={own?.updated_at} own={own} id={id} path={path} />
        </Panel>
      </ForWriters>
    </>
  )
}

const daysOf = (policy: Policy, severity: (typeof severities)[number]) => policy[`${severity}_days`]

function describe(policy: Policy): string {
  const days = severities.flatMap((severity) => {
    const count = daysOf(policy, severity)
    return count === null ? [] : `${inWords(severity)} ${texts.days(count)}`
  })
  return days.join(', ') || texts.noDueDates
}

function PolicyForm({ own, id, path }: { own: Policy | null; id: number; path: typeof groupPath }) {
  const [basis, setBasis] = useState<Basis>(own?.counted_from ?? 'detection')
  const [isAsked, setAsked] = useState(false)
  const place = { path: { id } }
  const save = useAction(`PUT ${path}`, { done: texts.policySavedDueDates, showsErrors: true })
  const preview = useAction(`POST ${path}/preview`, { showsErrors: true })
  const remove = useAction(`DELETE ${path}`, { done: texts.policyRemoved, onDone: () => setAsked(false) })

  function bodyOf(form: HTMLFormElement) {
    const data = new FormData(form)
    const days = severities.flatMap((severity) => {
      const text = String(data.get(`${severity}_days`) ?? '').trim()
      return text === '' ? [] : [[`${severity}_days`, Number(text)] as const]
    })
    return { counted_from: basis, ...Object.fromEntries(days) }
  }

  return (
    <>
      <ActionForm
        action={save.error ? save : { error: preview.error, isPending: save.isPending }}
        fields={severities.map((severity) => `${severity}_days`)}
        submit={texts.savePolicy}
        aside={
          <>
            <Button
              isBusy={preview.isPending}
              onClick={({ currentTarget: { form } }) => form && preview.mutate({ ...place, body: bodyOf(form) })}
            >
              {texts.preview}
            </Button>
            {own && (
              <Button kind="danger" onClick={() => setAsked(true)}>
                {texts.removePolicy}
              </Button>
            )}
          </>
        }
        onSubmit={(_text, form) => save.mutate({ ...place, body: bodyOf(form) })}
      >
        <SelectField<Basis> label={texts.countedFrom} choices={bases} value={basis} onChoose={setBasis} />
        {severities.map((severity) => (
          <TextField
            key={severity}
            label={texts.daysSeverity(inWords(severity))}
            name={`${severity}_days`}
            type="number"
            min={0}
            max={3650}
            defaultValue={own === null ? '' : (daysOf(own, severity) ?? '')}
          />
        ))}
        <p className="muted small">{texts.leaveAFieldEmpty}</p>
      </ActionForm>
      {preview.data && <Preview preview={preview.data} />}
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={texts.removeTheDueDate}
        lead={texts.thePolicyOfTheNext}
        confirm={texts.removePolicy}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(place)}
      />
    </>
  )
}

function Preview({ preview }: { preview: ResponseOf<'POST /groups/{id}/due_date_policy/preview'> }) {
  return (
    <div className="stack-tight" role="status">
      <p>{texts.nothingIsSavedYet(formatCount(preview.projects))}</p>
      <Table
        label={texts.preview}
        head={[texts.severity, texts.open, texts.newDueDate, texts.overdueNow, texts.overdueThen]}
      >
        {severities.map((severity) => {
          const counts = preview[severity]
          return (
            <tr key={severity}>
              <th scope="row">{inWords(severity)}</th>
              <td>{formatCount(counts.open)}</td>
              <td>{formatCount(counts.changed)}</td>
              <td>{formatCount(counts.overdue_before)}</td>
              <td>{formatCount(counts.overdue_after)}</td>
            </tr>
          )
        })}
      </Table>
    </div>
  )
}
