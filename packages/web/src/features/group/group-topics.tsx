import { RequestFailed, type Schemas } from '@alcove/client'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { useSession } from '../../data/session.ts'
import { useGroup } from '../../nouns/group/group.ts'
import { TopicLinks } from '../../nouns/topic/topic-links.tsx'
import { TopicsField } from '../../nouns/topic/topics-field.tsx'
import { texts } from './texts.ts'

/** Topics of a group, which its projects inherit. A change is previewed before it is saved. */
export function GroupTopics() {
  const { group } = useGroup()
  const query = useApiQuery('GET /groups/{id}/topics', { path: { id: group.id } })
  return (
    <Panel title={texts.topics}>
      <p>{texts.allProjectsInThisGroup}</p>
      <QueryResult query={query}>
        {({ topics, inherited_topics: inherited }) => (
          <div className="stack">
            {inherited.length > 0 && (
              <div className="row-wrap">
                <span className="muted small">{texts.fromParentGroups}</span>
                <TopicLinks topics={inherited} label={texts.topicsOfParentGroups} />
              </div>
            )}
            <TopicsForm key={topics.join()} topics={topics} />
          </div>
        )}
      </QueryResult>
    </Panel>
  )
}

function TopicsForm({ topics }: { topics: readonly string[] }) {
  const { group } = useGroup()
  const session = useSession()
  const [names, setNames] = useState<readonly string[]>(topics)
  const preview = useAction('PUT /groups/{id}/topics', { showsErrors: true })
  const save = useAction('PUT /groups/{id}/topics', { showsErrors: true, done: texts.topicsSaved })
  const request = (dryRun: boolean) => ({ path: { id: group.id }, body: { topics: [...names], dry_run: dryRun } })
  const isChanged = names.join() !== topics.join()
  const error = save.error ?? preview.error
  function change(names: readonly string[]) {
    preview.reset()
    save.reset()
    setNames(names)
  }
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault()
        preview.mutate(request(true))
      }}
    >
      <TopicsField
        label={texts.topicsOfThisGroup}
        value={names}
        onChange={change}
        mayCreate={session.topic_creation !== 'admins' || session.is_admin}
        error={error instanceof RequestFailed ? error.message : undefined}
        hint={texts.pressEnterToAdd}
      />
      {preview.data && <Preview change={preview.data} />}
      <div className="row">
        <Button type="submit" isBusy={preview.isPending} disabled={!isChanged}>
          {texts.preview}
        </Button>
        {preview.data && (
          <Button kind="primary" isBusy={save.isPending} onClick={() => save.mutate(request(false))}>
            {texts.saveTopics}
          </Button>
        )}
        {isChanged && <Button onClick={() => change(topics)}>{texts.discard}</Button>}
      </div>
    </form>
  )
}

function Preview({ change }: { change: Schemas['GroupTopicChange'] }) {
  const { changed, unchanged, created_topics: created, changes } = change
  return (
    <div role="status" className="stack-tight">
      <p>
        {changed === 0 ? texts.theTopicsOfNo : texts.theTopicsOfProject(changed, unchanged)}
        {created.length > 0 && texts.newTopics(created.join(', '))}
      </p>
      {changes.length > 0 && (
        <Table label={texts.changedProjects} head={[texts.project, texts.added, texts.removed]}>
          {changes.map(({ project, added, removed }) => (
            <tr key={project.id}>
              <td>{project.path_with_namespace}</td>
              <td>{added.join(', ') || '–'}</td>
              <td>{removed.join(', ') || '–'}</td>
            </tr>
          ))}
        </Table>
      )}
    </div>
  )
}
