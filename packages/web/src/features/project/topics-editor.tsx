import { RequestFailed } from '@alcove/client'
import { Pencil, Plus } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { useAction } from '../../data/api.ts'
import { useSession } from '../../data/session.ts'
import type { Project } from '../../nouns/project/project.ts'
import { ProposeTopic } from '../../nouns/topic/propose-topic.tsx'
import { unknownTopics } from '../../nouns/topic/refusal.ts'
import { TopicLinks } from '../../nouns/topic/topic-links.tsx'
import { TopicsField } from '../../nouns/topic/topics-field.tsx'
import { texts } from './texts.ts'
import styles from './topics-editor.module.css'

/** Inline editor for the topics of a project. */
export function TopicsEditor({ project }: { project: Project }) {
  const session = useSession()
  const mayCreate = session.topic_creation !== 'admins' || session.is_admin
  const [names, setNames] = useState<readonly string[]>()
  const wasOpen = useRef(false)
  const action = useAction('PUT /projects/{id}', {
    showsErrors: true,
    done: texts.topicsSaved,
    onDone: () => setNames(undefined),
  })
  if (!names) {
    return (
      <div className="row-wrap">
        {project.topics.length === 0 && <p className="muted">{texts.noTopics}</p>}
        <TopicLinks topics={project.topics} />
        <Button
          size="small"
          kind="quiet"
          icon={project.topics.length > 0 ? Pencil : Plus}
          // Closing the form returns the focus to the button that opened it.
          autoFocus={wasOpen.current}
          onClick={() => {
            wasOpen.current = true
            action.reset()
            setNames(project.topics)
          }}
        >
          {project.topics.length > 0 ? texts.editTopics : texts.addTopics}
        </Button>
        {!mayCreate && <ProposeTopic projectId={project.id} />}
      </div>
    )
  }
  const unknown = unknownTopics(action.error)
  const error = action.error instanceof RequestFailed && unknown.length === 0 ? action.error.message : undefined
  function submit(event: FormEvent) {
    event.preventDefault()
    if (names) action.mutate({ path: { id: project.id }, body: { topics: [...names] } })
  }
  return (
    <form className="form" onSubmit={submit}>
      <TopicsField
        label={texts.topics}
        isLabelHidden
        isFocused
        value={names}
        onChange={(names) => {
          action.reset()
          setNames(names)
        }}
        mayCreate={mayCreate}
        error={error}
        hint={mayCreate ? texts.preferExistingTopicsPress : texts.onlyAdministratorsCanCreate}
      />
      {unknown.length > 0 && (
        <div role="alert" className="stack-tight">
          {unknown.map(({ name, nearest }) => (
            <p key={name} className={styles.near}>
              <span className={styles.wrong}>{texts.topicDoesNotExistName(name)}</span>
              {nearest.length > 0 && <span className="small">{texts.useInstead}</span>}
              {nearest.map((near) => (
                <Button
                  key={near}
                  size="small"
                  onClick={() => {
                    action.reset()
                    setNames([...new Set(names.map((given) => (given === name ? near : given)))])
                  }}
                >
                  {near}
                </Button>
              ))}
            </p>
          ))}
        </div>
      )}
      <div className="row">
        <Button type="submit" kind="primary" size="small" isBusy={action.isPending}>
          {texts.saveTopics}
        </Button>
        <Button size="small" onClick={() => setNames(undefined)}>
          {texts.cancel}
        </Button>
      </div>
    </form>
  )
}
