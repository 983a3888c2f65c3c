import { useState } from 'react'
import { useLocation } from 'wouter'
import { ActionForm } from '../../components/form/action-form.tsx'
import { CheckField, TextArea, TextField } from '../../components/form/field.tsx'
import { VisibilityField } from '../../components/form/visibility-field.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { type Visibility, visibilities } from '../../components/visibility.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { levels, useSession, useUser } from '../../data/session.ts'
import { NamespaceField, type Place, placeFrom } from '../../nouns/project/namespace-field.tsx'
import { pathFrom } from '../../nouns/project/path-from.ts'
import { unknownTopics } from '../../nouns/topic/refusal.ts'
import { TopicsField } from '../../nouns/topic/topics-field.tsx'
import { texts } from './texts.ts'

/** Form for a new project; `?namespace=` names its group. */
export function NewProject() {
  const user = useUser()
  const [{ namespace = '' }] = useSearchState(['namespace'])
  const group = useApiQuery(
    'GET /groups/{id}',
    { path: { id: namespace }, query: { with_projects: false } },
    { isEnabled: namespace !== '' },
  )
  const mine: Place = { id: undefined, kind: 'user', fullPath: user.username, visibility: 'public' }
  if (namespace === '') return <Form initial={user.can_create_project ? mine : undefined} />
  return (
    <QueryResult query={group} isPage>
      {(found) => <Form initial={placeFrom(found)} />}
    </QueryResult>
  )
}

function Form({ initial }: { initial: Place | undefined }) {
  const session = useSession()
  const [, navigate] = useLocation()
  const [place, setPlace] = useState(initial)
  const [name, setName] = useState('')
  const [path, setPath] = useState<string>()
  const [visibility, setVisibility] = useState<Visibility>('private')
  const [topics, setTopics] = useState<readonly string[]>([])
  const action = useAction('POST /projects', {
    showsErrors: true,
    done: texts.projectCreated,
    onDone: ({ path_with_namespace: made }) => navigate(`/${made}`),
  })
  const mayCreate = session.topic_creation !== 'admins' || session.is_admin
  const max = place?.kind === 'group' ? place.visibility : 'public'
  const allowed = visibilities.indexOf(visibility) <= visibilities.indexOf(max) ? visibility : max
  const unknown = unknownTopics(action.error)
  const create = (description: string, promotes: boolean) =>
    action.mutate({
      body: {
        name: name.trim(),
        path: path ?? pathFrom(name),
        ...(description && { description }),
        ...(place?.id !== undefined && { namespace_id: place.id }),
        visibility: allowed,
        promote_vulnerabilities_on_ingestion: promotes,
        ...(topics.length > 0 && { topics: [...topics] }),
      },
    })
  return (
    <Page
      title={texts.newProject}
      crumbs={[{ label: texts.projects, to: '/explore/projects' }]}
      lead={texts.projectsHoldUploadsTopics}
    >
      <Panel>
        <ActionForm
          action={action}
          fields={['name', 'path', 'description', 'namespace', 'topics', 'visibility_level']}
          submit={texts.createProject}
          isDisabled={!place}
          onSubmit={(text) => create(text('description'), text('promotes') !== '')}
        >
          <TextField
            label={texts.name}
            required
            value={name}
            onChange={({ target }) => setName(target.value)}
            name="name"
          />
          <NamespaceField
            label={texts.namespace}
            least={levels.developer}
            value={place}
            onChange={setPlace}
            name="namespace"
          />
          <TextField
            label={texts.path}
            required
            value={path ?? pathFrom(name)}
            onChange={({ target }) => setPath(target.value)}
            hint={`URL: /${place?.fullPath ?? '…'}/${(path ?? pathFrom(name)) || '…'}`}
            name="path"
          />
          <TextArea label={texts.description} name="description" hint={texts.optionalSupportsMarkdown} />
          <VisibilityField
            value={allowed}
            max={max}
            within={place && texts.theGroup(place.fullPath)}
            onChange={setVisibility}
          />
          <TopicsField
            label={texts.topics}
            value={topics}
            onChange={setTopics}
            mayCreate={mayCreate}
            name="topics"
            error={
              unknown.length > 0
                ? unknown.map(({ name, nearest }) => texts.topicDoesNotExist(name, didYouMean(nearest))).join(' ')
                : undefined
            }
            hint={mayCreate ? texts.pressEnterToAdd : texts.chooseExistingTopics}
          />
          <CheckField
            label={texts.createVulnerabilitiesAutomatically}
            hint={texts.findingsOfReportsBecome}
            name="promotes"
            defaultChecked
          />
        </ActionForm>
      </Panel>
    </Page>
  )
}

function didYouMean(nearest: readonly string[]): string {
  return nearest.length > 0 ? texts.similarTopics(nearest.join(', ')) : ''
}
