import { useState } from 'react'
import { useLocation } from 'wouter'
import { ActionForm } from '../../components/form/action-form.tsx'
import { TextArea, TextField } from '../../components/form/field.tsx'
import { VisibilityField } from '../../components/form/visibility-field.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { Empty, QueryResult } from '../../components/page/states.tsx'
import { type Visibility, visibilities, visibilityOf } from '../../components/visibility.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { useUser } from '../../data/session.ts'
import { type Group, groupAddress } from '../../nouns/group/group.ts'
import { pathFrom } from '../../nouns/project/path-from.ts'
import { texts } from './texts.ts'

/** Form for a new group; `?parent=` names the parent group. */
export function NewGroup() {
  const user = useUser()
  const [{ parent = '' }] = useSearchState(['parent'])
  const query = useApiQuery(
    'GET /groups/{id}',
    { path: { id: parent }, query: { with_projects: false } },
    { isEnabled: parent !== '' },
  )
  if (parent !== '') {
    return (
      <QueryResult query={query} isPage>
        {(found) => <Form parent={found} />}
      </QueryResult>
    )
  }
  if (user.can_create_group) return <Form />
  return (
    <Empty title={texts.newGroup} isPage>
      <p>{texts.youDoNotHave}</p>
    </Empty>
  )
}

function Form({ parent }: { parent?: Group }) {
  const [, navigate] = useLocation()
  const [name, setName] = useState('')
  const [path, setPath] = useState<string>()
  const [visibility, setVisibility] = useState<Visibility>('private')
  const max = parent ? visibilityOf(parent.visibility) : 'public'
  const allowed = visibilities.indexOf(visibility) <= visibilities.indexOf(max) ? visibility : max
  const action = useAction('POST /groups', {
    showsErrors: true,
    done: texts.groupCreated,
    onDone: ({ full_path: made }) => navigate(groupAddress(made)),
  })
  const create = (description: string) => {
    const place = parent && { parent_id: parent.id }
    const body = { name: name.trim(), path: path ?? pathFrom(name), description, visibility: allowed, ...place }
    action.mutate({ body })
  }
  return (
    <Page
      title={parent ? texts.newGroupIn(parent.name) : texts.newGroup}
      lead={texts.groupsHoldRelatedProjects}
      crumbs={
        parent
          ? [{ label: parent.full_name, to: groupAddress(parent.full_path) }]
          : [{ label: texts.groups, to: '/explore/groups' }]
      }
    >
      <Panel>
        <ActionForm
          action={action}
          fields={['name', 'path', 'description', 'visibility_level']}
          submit={texts.createGroup}
          onSubmit={(text) => create(text('description'))}
        >
          <TextField
            label={texts.name}
            required
            value={name}
            onChange={({ target }) => setName(target.value)}
            name="name"
          />
          <TextField
            label={texts.path}
            required
            value={path ?? pathFrom(name)}
            onChange={({ target }) => setPath(target.value)}
            hint={`URL: /groups/${parent ? `${parent.full_path}/` : ''}${(path ?? pathFrom(name)) || '…'}`}
            name="path"
          />
          <TextArea label={texts.description} name="description" hint={texts.optionalSupportsMarkdown} />
          <VisibilityField
            value={allowed}
            max={max}
            within={parent && texts.theGroup(parent.name)}
            onChange={setVisibility}
          />
        </ActionForm>
      </Panel>
    </Page>
  )
}
