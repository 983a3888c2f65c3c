import type { Schemas } from '@alcove/client'
import { GitMerge, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Button } from '../../../components/button.tsx'
import { ConfirmDialog } from '../../../components/dialog.tsx'
import { ForWriters } from '../../../components/for-writers.tsx'
import { counted } from '../../../components/format.ts'
import { Page, Panel } from '../../../components/page.tsx'
import { Problem, problemsOf } from '../../../components/problem.tsx'
import { Answered } from '../../../components/states.tsx'
import { useAction, useAnswer } from '../../../data/api.ts'
import { mayWrite, useSession } from '../../../data/session.ts'
import { topicAddress } from '../../../nouns/topic/topic-links.tsx'
import styles from '../admin.module.css'
import { Aliases } from './aliases.tsx'
import { MergeDialog } from './merge-dialog.tsx'
import { type AvatarChange, readTopicFields, TopicFields } from './topic-fields.tsx'

type Topic = Schemas['Topic']

/** A topic, its other names, and what can become of it. */
export function TopicPage({ id }: { id: number }) {
  const session = useSession()
  const query = useAnswer('GET /topics/{id}', { path: { id } })
  return (
    <Answered query={query} isPage>
      {(topic) => (
        <Page
          title={topic.title}
          crumbs={[{ label: 'Topics', to: '/-/admin/topics' }]}
          lead={
            <p>
              On {counted(topic.total_projects_count, 'project')}.{' '}
              <Link to={topicAddress(topic.name)}>See it as everybody does</Link>
            </p>
          }
          actions={mayWrite(session) && <Actions topic={topic} />}
        >
          <ForWriters>
            <TopicForm
              // Anew when what it edits has changed; not when a project has.
              key={[topic.name, topic.title, topic.description, topic.avatar_url].join('\n')}
              topic={topic}
            />
          </ForWriters>
          <Aliases topic={topic} isReadOnly={!mayWrite(session)} />
        </Page>
      )}
    </Answered>
  )
}

function TopicForm({ topic }: { topic: Topic }) {
  const [avatar, setAvatar] = useState<AvatarChange>()
  const change = useAction('PUT /topics/{id}', {
    done: 'The topic is changed.',
    showsErrors: true,
    onDone: () => setAvatar(undefined),
  })
  const { fields: problems, rest } = problemsOf(change.error, ['name', 'title', 'description', 'avatar'])
  return (
    <Panel title="What it says">
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate({ path: { id: topic.id }, body: readTopicFields(event.currentTarget, avatar) })
        }}
      >
        <TopicFields topic={topic} problems={problems} avatar={avatar} onAvatar={setAvatar} />
        <Problem text={rest} />
        <div>
          <Button type="submit" kind="primary" isBusy={change.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Panel>
  )
}

function Actions({ topic }: { topic: Topic }) {
  const [, navigate] = useLocation()
  const [open, setOpen] = useState<'merge' | 'delete'>()
  const remove = useAction('DELETE /topics/{id}', {
    done: `${topic.title} is deleted.`,
    isLeaving: true,
    onDone: () => navigate('/-/admin/topics', { replace: true }),
  })
  return (
    <>
      <Button icon={GitMerge} onClick={() => setOpen('merge')}>
        Merge into another
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
        lead={`It is taken off ${counted(topic.total_projects_count, 'project')}, with its other names and its picture. This cannot be taken back; a merge can.`}
        confirm="Delete"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate({ path: { id: topic.id } })}
      />
    </>
  )
}
