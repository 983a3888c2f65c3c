import { RequestFailed, type Schemas } from '@alcove/client'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { counted } from '../../components/format.ts'
import { Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { useSession } from '../../data/session.ts'
import { useGroup } from '../../nouns/group/group.ts'
import { TopicLinks } from '../../nouns/topic/topic-links.tsx'
import { TopicsField } from '../../nouns/topic/topics-field.tsx'

/** Topics of a group, which its projects inherit. A change is previewed before it is saved. */
export function GroupTopics() {
  const { group } = useGroup()
  const query = useApiQuery('GET /groups/{id}/topics', { path: { id: group.id } })
  return (
    <Panel title="Topics">
      <p>All projects in this group and its subgroups inherit these topics, in addition to their own.</p>
      <QueryResult query={query}>
        {({ topics, inherited_topics: inherited }) => (
          <div className="stack">
            {inherited.length > 0 && (
              <div className="row-wrap">
                <span className="muted small">From parent groups:</span>
                <TopicLinks topics={inherited} label="Topics of parent groups" />
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
  const save = useAction('PUT /groups/{id}/topics', { showsErrors: true, done: 'Topics saved.' })
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
        label="Topics of this group"
        value={names}
        onChange={change}
        mayCreate={session.topic_creation !== 'admins' || session.is_admin}
        error={error instanceof RequestFailed ? error.message : undefined}
        hint="Press Enter to add a topic."
      />
      {preview.data && <Preview change={preview.data} />}
      <div className="row">
        <Button type="submit" isBusy={preview.isPending} disabled={!isChanged}>
          Preview
        </Button>
        {preview.data && (
          <Button kind="primary" isBusy={save.isPending} onClick={() => save.mutate(request(false))}>
            Save topics
          </Button>
        )}
        {isChanged && <Button onClick={() => change(topics)}>Discard</Button>}
      </div>
    </form>
  )
}

function Preview({ change }: { change: Schemas['GroupTopicChange'] }) {
  const { changed, unchanged, created_topics: created, changes } = change
  return (
    <div role="status" className="stack-tight">
      <p>
        {changed === 0
          ? 'The topics of no project change.'
          : `The topics of ${counted(changed, 'project')} change; ${counted(unchanged, 'project')} stay as they are.`}
        {created.length > 0 && ` New topics: ${created.join(', ')}.`}
      </p>
      {changes.length > 0 && (
        <Table label="Changed projects" head={['Project', 'Added', 'Removed']}>
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
