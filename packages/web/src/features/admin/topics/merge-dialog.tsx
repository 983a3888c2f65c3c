import type { Schemas } from '@alcove/client'
import { ArrowRightLeft } from 'lucide-react'
import { useState } from 'react'
import { Avatar } from '../../../components/avatar.tsx'
import { Button } from '../../../components/button.tsx'
import { CheckField } from '../../../components/form/field.tsx'
import { SearchField } from '../../../components/form/search-field.tsx'
import { Dialog, DialogActions } from '../../../components/overlay/dialog.tsx'
import { QueryResult } from '../../../components/page/states.tsx'
import { useAction, useApiQuery, usePage } from '../../../data/api.ts'
import { useSession } from '../../../data/session.ts'
import { useToast } from '../../../data/toasts.ts'
import styles from '../admin.module.css'
import { texts } from './texts.ts'

type Topic = Schemas['Topic']

interface MergeProps {
  isOpen: boolean
  source: Topic
  /** Absent: the user chooses it in the dialog. */
  target?: Topic
  onClose: () => void
  onMerged?: (target: Topic) => void
}

/** Dialog that previews a merge and performs it. */
export function MergeDialog(props: MergeProps) {
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={texts.mergeTopics} size="wide">
      {props.isOpen && <Merge key={`${props.source.id} ${props.target?.id}`} {...props} />}
    </Dialog>
  )
}

function Merge({ source: givenSource, target: givenTarget, onClose, onMerged }: MergeProps) {
  const [source, setSource] = useState(givenSource)
  const [target, setTarget] = useState(givenTarget)
  if (!target) return <TargetSearch source={source} onChoose={setTarget} onClose={onClose} />
  const swap = () => {
    setSource(target)
    setTarget(source)
  }
  return (
    <MergePreview
      source={source}
      target={target}
      onSwap={swap}
      onClose={onClose}
      {...(onMerged && { onMerged })}
      {...(!givenTarget && { onOther: () => setTarget(undefined) })}
    />
  )
}

function TargetSearch({
  source,
  onChoose,
  onClose,
}: {
  source: Topic
  onChoose: (topic: Topic) => void
  onClose: () => void
}) {
  const [search, setSearch] = useState('')
  const query = usePage('GET /topics', {
    query: { search: search || undefined, organization_id: source.organization_id, per_page: 20 },
  })
  return (
    <>
      <p>{texts.chooseTheTopicToMerge(source.title)}</p>
      <SearchField label={texts.searchTopics} value={search} onSearch={setSearch} />
      <QueryResult query={query}>
        {({ rows }) => {
          const others = rows.filter(({ id }) => id !== source.id)
          if (others.length === 0) return <p className="muted">{texts.noOtherTopicsMatch}</p>
          return (
            <ul className={styles.results} aria-label={texts.matchingTopics}>
              {others.map((topic) => (
                <li key={topic.id}>
                  <button type="button" className={styles.result} onClick={() => onChoose(topic)}>
                    <Avatar name={topic.title} url={topic.avatar_url} />
                    <span>
                      <strong>{topic.title}</strong>{' '}
                      <span className="muted small">
                        {topic.name}, {texts.project(topic.total_projects_count)}
                      </span>
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          )
        }}
      </QueryResult>
      <DialogActions>
        <Button onClick={onClose}>{texts.cancel}</Button>
      </DialogActions>
    </>
  )
}

function MergePreview({
  source,
  target,
  onSwap,
  onOther,
  onClose,
  onMerged,
}: {
  source: Topic
  target: Topic
  onSwap: () => void
  onOther?: () => void
  onClose: () => void
  onMerged?: (target: Topic) => void
}) {
  const { topic_undo_days: undoDays } = useSession()
  const toast = useToast()
  const [keepsAlias, setKeepsAlias] = useState(true)
  const request = { source_topic_id: source.id, target_topic_id: target.id, keep_alias: keepsAlias }
  const preview = useApiQuery('POST /topics/merge', { body: { ...request, dry_run: true } })
  const merge = useAction('POST /topics/merge', {
    isLeaving: true,
    onDone: (merged) => {
      toast({ text: texts.wasMergedInto(source.title, merged.title) })
      onClose()
      onMerged?.(merged)
    },
  })
  return (
    <>
      <div className={styles.pairing}>
        <Side label={texts.sourceWillBeRemoved} topic={source} />
        <Side label={texts.targetWillBeKept} topic={target} />
      </div>
      <div className="row-wrap">
        <Button size="small" icon={ArrowRightLeft} onClick={onSwap}>
          {texts.swap}
        </Button>
        {onOther && (
          <Button size="small" onClick={onOther}>
            {texts.chooseAnotherTopic}
          </Button>
        )}
      </div>
      <CheckField
        label={texts.keepAsAnAlias(source.name, target.title)}
        hint={texts.existingUrlsSearchesAndProjects}
        checked={keepsAlias}
        onChange={({ target: box }) => setKeepsAlias(box.checked)}
      />
      <QueryResult query={preview}>
        {({ preview: would }) =>
          would && (
            <section aria-label={texts.preview} className="stack-tight" aria-live="polite">
              <h3>{texts.preview}</h3>
              <ul>
                <li>{texts.projectWillBeMoved(would.moved_projects_count)}</li>
                {would.shared_projects_count > 0 && (
                  <li>{texts.projectsHaveBothTopics(would.shared_projects_count)}</li>
                )}
                <li>
                  {would.aliases.length > 0
                    ? texts.newAliasesOf(target.title, would.aliases.join(', '))
                    : texts.noNewAliasesOf(target.title)}
                </li>
                {source.avatar_url && <li>{texts.theAvatarOfWill(source.title)}</li>}
              </ul>
              <p className="muted small">
                {undoDays > 0 ? texts.youCanUndoThisForDay(undoDays) : texts.thisCannotBeUndone}
              </p>
            </section>
          )
        }
      </QueryResult>
      <DialogActions>
        <Button onClick={onClose}>{texts.cancel}</Button>
        <Button
          kind="primary"
          disabled={!preview.data}
          isBusy={merge.isPending}
          onClick={() => merge.mutate({ body: request })}
        >
          {texts.merge}
        </Button>
      </DialogActions>
    </>
  )
}

function Side({ label, topic }: { label: string; topic: Topic }) {
  return (
    <section aria-label={label} className={styles.side}>
      <p className="muted small">{label}</p>
      <div className="row">
        <Avatar name={topic.title} url={topic.avatar_url} />
        <div>
          <strong>{topic.title}</strong>
          <p className="muted small mono">{topic.name}</p>
        </div>
      </div>
      <p className="small">{texts.project(topic.total_projects_count)}</p>
    </section>
  )
}
