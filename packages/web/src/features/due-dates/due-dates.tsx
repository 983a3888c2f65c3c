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
  { value: 'detection', label: 'Detection' },
  { value: 'fix', label: 'Availability of a fix' },
] as const

type Basis = (typeof bases)[number]['value']
type Policy = NonNullable<Policies['own']>
type Policies = Schemas['DueDatePolicies']

/** Settings of the due date policy of a project, of a group or of the instance. */
export function DueDates() {
  const { noun, id, path, links } = usePolicyPlace()
  const query = useApiQuery(`GET ${path}`, { path: { id } })
  return (
    <Page
      title="Due dates"
      lead="Days until open vulnerabilities are due, by severity. The closest policy applies: the project, the groups above, then the instance."
    >
      {noun !== 'instance' && <Tabs label="Settings sections" tabs={links} />}
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
            ? 'The last update of due dates failed.'
            : `Due dates are being updated${update.total ? `: ${formatCount(update.done ?? 0)} of ${formatCount(update.total)}` : ''}.`}
        </p>
      )}
      {!own && (
        <p>
          {inherited
            ? `The policy of ${inherited.level === 'group' ? 'a group above' : 'the instance'} applies: ${describe(inherited)}.`
            : 'There is no policy, so vulnerabilities have no due dates unless users set them.'}
        </p>
      )}
      <ForWriters>
        <Panel title={own ? 'Policy' : 'Set a policy'}>
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
    return count === null ? [] : `${inWords(severity)} ${count} ${count === 1 ? 'day' : 'days'}`
  })
  return days.join(', ') || 'no due dates'
}

function PolicyForm({ own, id, path }: { own: Policy | null; id: number; path: typeof groupPath }) {
  const [basis, setBasis] = useState<Basis>(own?.counted_from ?? 'detection')
  const [isAsked, setAsked] = useState(false)
  const place = { path: { id } }
  const save = useAction(`PUT ${path}`, { done: 'Policy saved. Due dates are being updated.', showsErrors: true })
  const preview = useAction(`POST ${path}/preview`, { showsErrors: true })
  const remove = useAction(`DELETE ${path}`, { done: 'Policy removed.', onDone: () => setAsked(false) })

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
        submit="Save policy"
        aside={
          <>
            <Button
              isBusy={preview.isPending}
              onClick={({ currentTarget: { form } }) => form && preview.mutate({ ...place, body: bodyOf(form) })}
            >
              Preview
            </Button>
            {own && (
              <Button kind="danger" onClick={() => setAsked(true)}>
                Remove policy
              </Button>
            )}
          </>
        }
        onSubmit={(_text, form) => save.mutate({ ...place, body: bodyOf(form) })}
      >
        <SelectField<Basis> label="Counted from" choices={bases} value={basis} onChoose={setBasis} />
        {severities.map((severity) => (
          <TextField
            key={severity}
            label={`${inWords(severity)}: days`}
            name={`${severity}_days`}
            type="number"
            min={0}
            max={3650}
            defaultValue={own === null ? '' : (daysOf(own, severity) ?? '')}
          />
        ))}
        <p className="muted small">Leave a field empty for no due date. Dates that users have set stay.</p>
      </ActionForm>
      {preview.data && <Preview preview={preview.data} />}
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title="Remove the due date policy?"
        lead="The policy of the next level applies then. Without one, the due dates that the policy has set are removed."
        confirm="Remove policy"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(place)}
      />
    </>
  )
}

function Preview({ preview }: { preview: ResponseOf<'POST /groups/{id}/due_date_policy/preview'> }) {
  return (
    <div className="stack-tight" role="status">
      <p>Nothing is saved yet. Projects without a closer policy: {formatCount(preview.projects)}.</p>
      <Table label="Preview" head={['Severity', 'Open', 'New due date', 'Overdue now', 'Overdue then']}>
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
