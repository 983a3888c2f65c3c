import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../../components/button.tsx'
import { TextArea, TextField } from '../../components/field.tsx'
import { ForWriters } from '../../components/for-writers.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { Problem, problemsOf } from '../../components/problem.tsx'
import { TypedConfirm } from '../../components/typed-confirm.tsx'
import { visibilityOf } from '../../components/visibility.tsx'
import { VisibilityField } from '../../components/visibility-field.tsx'
import { useAction, useAnswer } from '../../data/api.ts'
import { groupAddress, useGroup } from '../../nouns/group/group.ts'

/** What owners may change. */
export function GroupSettings() {
  return (
    <Page title="Settings">
      <ForWriters>
        <General />
        <Address />
        <Removal />
      </ForWriters>
    </Page>
  )
}

function General() {
  const { group } = useGroup()
  const [visibility, setVisibility] = useState(visibilityOf(group.visibility))
  const parent = useAnswer(
    'GET /groups/{id}',
    { path: { id: group.parent_id ?? 0 }, query: { with_projects: false } },
    { isEnabled: group.parent_id !== null },
  )
  const action = useAction('PUT /groups/{id}', { showsErrors: true, done: 'Saved.' })
  const { fields, rest } = problemsOf(action.error, ['name', 'description', 'visibility_level'])
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const body = { name: text('name'), description: text('description'), visibility }
    action.mutate({ path: { id: group.id }, body })
  }
  return (
    <Panel title="General">
      <form className="form" onSubmit={submit}>
        <TextField label="Name" name="name" required defaultValue={group.name} error={fields['name']} />
        <TextArea
          label="Description"
          name="description"
          defaultValue={group.description}
          hint="Markdown. Everybody who may see the group sees it."
          error={fields['description']}
        />
        <VisibilityField
          value={visibility}
          most={parent.data ? visibilityOf(parent.data.visibility) : 'public'}
          within={parent.data && `the group ${parent.data.name}`}
          onChange={setVisibility}
          error={fields['visibility_level']}
        />
        <Problem text={rest} />
        <div>
          <Button type="submit" kind="primary" isBusy={action.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Panel>
  )
}

function Address() {
  const { group } = useGroup()
  const [, navigate] = useLocation()
  const [path, setPath] = useState(group.path)
  const action = useAction('PUT /groups/{id}', {
    showsErrors: true,
    done: 'The path was changed.',
    onDone: ({ full_path: place }) => navigate(`${groupAddress(place)}/-/settings`),
  })
  const { fields, rest } = problemsOf(action.error, ['path'])
  const above = group.full_path.slice(0, -group.path.length)
  return (
    <Panel title="Address">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          action.mutate({ path: { id: group.id }, body: { path: path.trim() } })
        }}
      >
        <TextField
          label="Path"
          required
          value={path}
          onChange={({ target }) => setPath(target.value)}
          hint={`Its address is /groups/${above}${path.trim() || group.path}. Everything in the group moves along; old addresses lead to the new ones, until something else takes the old path.`}
          error={fields['path']}
        />
        <Problem text={rest} />
        <div>
          <Button type="submit" isBusy={action.isPending} disabled={path.trim() === group.path}>
            Change the path
          </Button>
        </div>
      </form>
    </Panel>
  )
}

function Removal() {
  const { group } = useGroup()
  const [, navigate] = useLocation()
  const [isAsked, setAsked] = useState(false)
  const above = group.full_path.split('/').slice(0, -1).join('/')
  const remove = useAction('DELETE /groups/{id}', {
    done: `${group.full_path} was deleted.`,
    isLeaving: true,
    onDone: () => navigate(above ? groupAddress(above) : '/explore/groups'),
  })
  return (
    <Panel title="Delete">
      <p>With the group go its subgroups and projects, and all that is in them.</p>
      <div>
        <Button kind="danger" onClick={() => setAsked(true)}>
          Delete the group
        </Button>
      </div>
      {isAsked && (
        <TypedConfirm
          title={`Delete ${group.name}?`}
          lead="Its subgroups, its projects and everything in them are gone at once, and for good."
          word={group.full_path}
          confirm="Delete the group"
          isBusy={remove.isPending}
          onClose={() => setAsked(false)}
          onConfirm={() => remove.mutate({ path: { id: group.id } })}
        />
      )}
    </Panel>
  )
}
