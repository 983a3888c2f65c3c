import type { Schemas } from '@alcove/client'
import { GitMerge, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Button } from '../../../components/button.tsx'
import { fill } from '../../../components/fill.tsx'
import { ActionForm } from '../../../components/form/action-form.tsx'
import type { AvatarChange } from '../../../components/form/avatar-field.tsx'
import { ForWriters } from '../../../components/form/for-writers.tsx'
import { ConfirmDialog } from '../../../components/overlay/dialog.tsx'
import { Page, Panel } from '../../../components/page/page.tsx'
import { QueryResult } from '../../../components/page/states.tsx'
import { useAction, useApiQuery } from '../../../data/api.ts'
import { isWithin, LimitsContext, levels, mayWrite, useSession } from '../../../data/session.ts'
import { limitsOf } from '../../../nouns/mirror/limits.ts'
import { MirrorNotice } from '../../../nouns/mirror/mirror-notice.tsx'
import { topicAddress } from '../../../nouns/topic/topic-links.tsx'
import { Aliases } from './aliases.tsx'
import { MergeDialog } from './merge-dialog.tsx'
import { texts } from './texts.ts'
import { readTopicFields, TopicFields, topicFieldNames } from './topic-fields.tsx'

type Topic = Schemas['Topic']

/** Admin page of a topic: details, aliases, merge and deletion. */
export function TopicPage({ id }: { id: string }) {
  const session = useSession()
  const query = useApiQuery('GET /topics/{id}', { path: { id: Number(id) } })
  const mayChange = (topic: Topic) => mayWrite(session) && isWithin(limitsOf(topic), 'content')
  return (
    <QueryResult query={query} isPage>
      {(topic) => (
        <Page
          title={topic.title}
          crumbs={[{ label: texts.topics, to: '/-/admin/topics' }]}
          lead={
            <p>
              {fill(texts.usedBy, {
                totalProjectsCount: texts.project(topic.total_projects_count),
                link: <Link to={topicAddress(topic.name)}>{texts.viewPublicPage}</Link>,
              })}
            </p>
          }
          actions={mayChange(topic) && <Actions topic={topic} />}
        >
          <MirrorNotice kind="topic" place={topic} level={levels.owner} />
          <LimitsContext value={limitsOf(topic)}>
            <ForWriters>
              <TopicForm
                // Resets the form when the edited fields change, but not when the project count changes.
                key={[topic.name, topic.title, topic.description, topic.avatar_url].join('\n')}
                topic={topic}
              />
            </ForWriters>
          </LimitsContext>
          <Aliases topic={topic} isReadOnly={!mayChange(topic)} />
        </Page>
      )}
    </QueryResult>
  )
}

function TopicForm({ topic }: { topic: Topic }) {
  const [avatar, setAvatar] = useState<AvatarChange>()
  const change = useAction('PUT /topics/{id}', {
    done: texts.topicUpdated,
    showsErrors: true,
    onDone: () => setAvatar(undefined),
  })
  return (
    <Panel title={texts.details}>
      <ActionForm
        action={change}
        fields={topicFieldNames}
        submit={texts.save}
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
    done: texts.topicDeleted(topic.title),
    isLeaving: true,
    onDone: () => navigate('/-/admin/topics', { replace: true }),
  })
  return (
    <>
      <Button icon={GitMerge} onClick={() => setOpen('merge')}>
        {texts.mergeInto}
      </Button>
      <Button icon={Trash2} kind="danger" onClick={() => setOpen('delete')}>
        {texts.deleteLabel}
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
        title={texts.deleteLabelTitle(topic.title)}
        lead={texts.removesTheTopicFromProject(topic.total_projects_count)}
        confirm={texts.deleteLabel}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate({ path: { id: topic.id } })}
      />
    </>
  )
}
