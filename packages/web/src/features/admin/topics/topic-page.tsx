import type { Schemas } from '@alcove/client'
import { GitMerge, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Button } from '../../../components/button.tsx'
import { ActionForm } from '../../../components/form/action-form.tsx'
import type { AvatarChange } from '../../../components/form/avatar-field.tsx'
import { ForWriters } from '../../../components/form/for-writers.tsx'
import { counted } from '../../../components/format.ts'
import { ConfirmDialog } from '../../../components/overlay/dialog.tsx'
import { Page, Panel } from '../../../components/page/page.tsx'
import { QueryResult } from '../../../components/page/states.tsx'
import { useAction, useApiQuery } from '../../../data/api.ts'
import { mayWrite, useSession } from '../../../data/session.ts'
import { topicAddress } from '../../../nouns/topic/topic-links.tsx'
import { Aliases } from './aliases.tsx'
import { MergeDialog } from './merge-dialog.tsx'
import { readTopicFields, TopicFields, topicFieldNames } from './topic-fields.tsx'

type Topic = Schemas['Topic']

/** Admin page of a topic: details, aliases, merge and deletion. */
export function TopicPage({ id }: { id: string }) {
  const session = useSession()
  const query = useApiQuery('GET /topics/{id}', { path: { id: Number(id) } })
  return (
    <QueryResult query={query} isPage>
      {(topic) => (
        <Page
          title={topic.title}
          crumbs={[{ label: 'Topics', to: '/-/admin/topics' }]}
          lead={
            <p>
              Used by {counted(topic.total_projects_count, 'project')}.{' '}
              <Link to={topicAddress(topic.name)}>View public page</Link>
            </p>
          }
          actions={mayWrite(session) && <Actions topic={topic} />}
        >
          <ForWriters>
            <TopicForm
              // Resets the form when the edited fields change, but not when the project count changes.
              key={[topic.name, topic.title, topic.description, topic.avatar_url].join('\n')}
              topic={topic}
            />
          </ForWriters>
          <Aliases topic={topic} isReadOnly={!mayWrite(session)} />
        </Page>
      )}
    </QueryResult>
  )
}

function TopicForm({ topic }: { topic: Topic }) {
  const [avatar, setAvatar] = useState<AvatarChange>()
  const change = useAction('PUT /topics/{id}', {
    done: 'Topic updated.',
    showsErrors: true,
    onDone: () => setAvatar(undefined),
  })
  return (
    <Panel title="Details">
      <ActionForm
        action={change}
        fields={topicFieldNames}
        submit="Save"
        onSubmit={(_, form) => change.mutate({ path: { id: topic.id }, body: readTopicFields(form, avatar) })}
      >
        <TopicFields topic={topic} avatar={avatar} onAvatar={setAvatar} />
      </ActionForm>
    </Panel>
  )
}

function Actions({ topic }: { topic: Topic }) {
  const [, navigate] = useLocation()
  const [open, setOpen] = useState<'merge' | 'delete'>()
  const remove = useAction('DELETE /topics/{id}', {
    done: `Topic ${topic.title} deleted.`,
    isLeaving: true,
    onDone: () => navigate('/-/admin/topics', { replace: true }),
  })
  return (
    <>
      <Button icon={GitMerge} onClick={() => setOpen('merge')}>
        Merge into…
      </Button>
      <Button icon={Trash2} kind="danger" onClick={() => setOpen('delete')}>
        Delete
      </Button>
      <MergeDialog
        isOpen={open === 'merge'}
        source={topic}
        onClose={() => setOpen(undefined)}
        onMerged={(target) => navigate(`/-/admin/topics/${target.id}`, { replace: true })}
      />
      <ConfirmDialog
        isOpen={open === 'delete'}
        onClose={() => setOpen(undefined)}
        title={`Delete ${topic.title}?`}
        lead={`Removes the topic from ${counted(topic.total_projects_count, 'project')} and deletes its aliases and avatar. This cannot be undone, but a merge can.`}
        confirm="Delete"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate({ path: { id: topic.id } })}
      />
    </>
  )
}
