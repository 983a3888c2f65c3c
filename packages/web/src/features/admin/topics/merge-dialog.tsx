import type { Schemas } from '@alcove/client'
import { ArrowRightLeft } from 'lucide-react'
import { useState } from 'react'
import { Avatar } from '../../../components/avatar.tsx'
import { Button } from '../../../components/button.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { CheckField } from '../../../components/field.tsx'
import { counted } from '../../../components/format.ts'
import { SearchField } from '../../../components/search-field.tsx'
import { Answered } from '../../../components/states.tsx'
import { useAction, useAnswer, usePage } from '../../../data/api.ts'
import { useSession } from '../../../data/session.ts'
import { useToast } from '../../../data/toasts.ts'
import styles from '../admin.module.css'

type Topic = Schemas['Topic']

interface MergeProps {
  isOpen: boolean
  source: Topic
  /** Absent: to be chosen. */
  target?: Topic
  onClose: () => void
  onMerged?: (target: Topic) => void
}

/** Shows what a merge would do before it does it. */
export function MergeDialog(props: MergeProps) {
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title="Merge two topics" size="wide">
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
      <p>Everything of {source.title} goes to the topic that you choose here.</p>
      <SearchField label="Search topics" value={search} onSearch={setSearch} />
      <Answered query={query}>
        {({ rows }) => {
          const others = rows.filter(({ id }) => id !== source.id)
          if (others.length === 0) return <p className="muted">No other topic has these words.</p>
          return (
            <ul className={styles.results} aria-label="Topics found">
              {others.map((topic) => (
                <li key={topic.id}>
                  <button type="button" className={styles.result} onClick={() => onChoose(topic)}>
                    <Avatar name={topic.title} url={topic.avatar_url} />
                    <span>
                      <strong>{topic.title}</strong>{' '}
                      <span className="muted small">
                        {topic.name}, {counted(topic.total_projects_count, 'project')}
                      </span>
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          )
        }}
      </Answered>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
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
  const preview = useAnswer('POST /topics/merge', { body: { ...request, dry_run: true } })
  const merge = useAction('POST /topics/merge', {
    isLeaving: true,
    onDone: (merged) => {
      toast({ text: `${source.title} is now part of ${merged.title}.` })
      onClose()
      onMerged?.(merged)
    },
  })
  return (
    <>
      <div className={styles.pairing}>
        <Side label="Goes away" topic={source} />
        <Side label="Stays" topic={target} />
      </div>
      <div className="row-wrap">
        <Button size="small" icon={ArrowRightLeft} onClick={onSwap}>
          The other way round
        </Button>
        {onOther && (
          <Button size="small" onClick={onOther}>
            Choose another topic
          </Button>
        )}
      </div>
      <CheckField
        label={`Keep ${source.name} as another name of ${target.title}`}
        hint="So that old addresses, searches and projects that say it still lead somewhere."
        checked={keepsAlias}
        onChange={({ target: box }) => setKeepsAlias(box.checked)}
      />
      <Answered query={preview}>
        {({ preview: would }) =>
          would && (
            <section aria-label="What would happen" className="stack-tight" aria-live="polite">
              <h3>What would happen</h3>
              <ul>
                <li>{counted(would.moved_projects_count, 'project')} would move.</li>
                {would.shared_projects_count > 0 && (
                  <li>
                    {counted(would.shared_projects_count, 'project has', 'projects have')} both, and would keep one.
                  </li>
                )}
                <li>
                  {would.aliases.length > 0
                    ? `Other names that would lead to ${target.title}: ${would.aliases.join(', ')}.`
                    : `No other name would lead to ${target.title}.`}
                </li>
                {source.avatar_url && <li>The picture of {source.title} goes.</li>}
              </ul>
              <p className="muted small">
                {undoDays > 0
                  ? `For ${counted(undoDays, 'day')} it can be undone, in the list of merges.`
                  : 'It cannot be undone on this server.'}
              </p>
            </section>
          )
        }
      </Answered>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          disabled={!preview.data}
          isBusy={merge.isPending}
          onClick={() => merge.mutate({ body: request })}
        >
          Merge
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
      <p className="small">{counted(topic.total_projects_count, 'project')}</p>
    </section>
  )
}
