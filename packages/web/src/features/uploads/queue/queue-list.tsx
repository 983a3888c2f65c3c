import { CircleAlert, CircleCheck, Clock, Pause, Play, RotateCw, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { Button, IconButton } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { formatBytes } from '../../../components/format.ts'
import type { UploadOwner } from '../owner.ts'
import { texts } from '../texts.ts'
import styles from './queue-list.module.css'
import { isResumable } from './send-resumable.ts'
import {
  cancelFile,
  isActive,
  isFinished,
  pauseFile,
  type QueuedFile,
  removeFinished,
  resumeFile,
  retryFile,
  useQueue,
} from './upload-queue.ts'

/** Upload queue with progress and Markdown. `previewOf` returns the address of a preview. */
export function QueueList({ owner, previewOf }: { owner: UploadOwner; previewOf?: (id: number) => string }) {
  const queue = useQueue(owner)
  const done = queue.flatMap(({ stored }) => stored ?? [])
  const active = queue.filter(isActive)
  return (
    <>
      <Announcer queue={queue} />
      {queue.length > 0 && (
        <section className={styles.panel} aria-label={texts.recentUploads}>
          <header className="row-wrap">
            <h2>{active.length > 0 ? texts.uploadingFile(active.length) : texts.recentUploads}</h2>
            <div className="row push">
              {done.length > 1 && (
                <CopyButton label={texts.copyAllMarkdown} text={done.map(({ markdown }) => markdown).join('\n')} />
              )}
              {active.length > 1 && (
                <Button size="small" onClick={() => active.forEach(({ key }) => void cancelFile(key))}>
                  {texts.cancelAll}
                </Button>
              )}
              {queue.some(isFinished) && (
                <Button size="small" kind="quiet" onClick={() => removeFinished(owner)}>
                  {texts.clearList}
                </Button>
              )}
            </div>
          </header>
          <ul className={styles.list}>
            {queue.map((item) => (
              <Row key={item.key} item={item} {...(previewOf && { previewOf })} />
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

const marks = { waiting: Clock, sending: Clock, paused: Pause, done: CircleCheck, failed: CircleAlert, cancelled: X }

function Row({ item, previewOf }: { item: QueuedFile; previewOf?: (id: number) => string }) {
  const { key, name, state, bytes, sentBytes, stored, isPermanent } = item
  const Mark = marks[state]
  return (
    <li className={styles.row}>
      <Mark size={18} aria-hidden="true" className={styles[state]} />
      <div className={styles.what}>
        {stored && previewOf ? (
          <Link to={previewOf(stored.id)} className={styles.name}>
            {stored.name}
          </Link>
        ) : (
          <span className={styles.name}>{name}</span>
        )}
        {(state === 'sending' || state === 'paused') && (
          <progress
            className={styles.progress}
            max={Math.max(1, bytes)}
            value={bytes === 0 ? 1 : sentBytes}
            aria-label={texts.uploadOf(name)}
          />
        )}
        <p className={`small ${state === 'failed' ? styles.problem : 'muted'} numbers`}>{stateOf(item)}</p>
      </div>
      <div className={styles.actions}>
        {stored && <CopyButton label={texts.copyMarkdown} text={stored.markdown} />}
        {(state === 'failed' || state === 'cancelled') && !isPermanent && (
          <Button size="small" icon={RotateCw} aria-label={texts.retryName(name)} onClick={() => retryFile(key)}>
            {' '}
            {texts.retry}{' '}
          </Button>
        )}
        {state === 'sending' && isResumable(item) && sentBytes < bytes && (
          <IconButton label={texts.pause(name)} icon={Pause} onClick={() => pauseFile(key)} />
        )}
        {state === 'paused' && <IconButton label={texts.resume(name)} icon={Play} onClick={() => resumeFile(key)} />}
        {!isFinished(item) && <IconButton label={texts.cancel(name)} icon={X} onClick={() => cancelFile(key)} />}
      </div>
    </li>
  )
}

function stateOf(item: QueuedFile): string {
  const { state, bytes, sentBytes, problem } = item
  switch (state) {
    case 'waiting':
      return texts.queued(formatBytes(bytes))
    case 'sending':
      return sentBytes >= bytes ? texts.processing(formatBytes(bytes)) : progressOf(item)
    case 'paused':
      return texts.paused(shareOf(item))
    case 'done':
      return formatBytes(bytes)
    case 'failed':
      return problem ?? texts.uploadFailed
    case 'cancelled':
      return texts.canceled
  }
}

/** Formats the progress: `3.2 MiB of 10 MiB, 1.1 MiB per second, 6 s left`. */
function progressOf(item: QueuedFile): string {
  const { sentBytes, bytes, startedAt, earlierBytes = 0, isReconnecting } = item
  if (isReconnecting) return texts.reconnecting(shareOf(item))
  const seconds = (performance.now() - startedAt) / 1000
  const sent = sentBytes - earlierBytes
  if (seconds < 1 || sent <= 0) return shareOf(item)
  const speed = sent / seconds
  return texts.perSecondLeft(shareOf(item), formatBytes(speed), durationOf((bytes - sentBytes) / speed))
}

const shareOf = ({ sentBytes, bytes }: QueuedFile) => texts.ofSentBytes(formatBytes(sentBytes), formatBytes(bytes))

function durationOf(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : texts.min(Math.ceil(seconds / 60))
}

/** Announces to screen readers when uploads start and when all have finished. */
function Announcer({ queue }: { queue: readonly QueuedFile[] }) {
  const [said, say] = useState('')
  const before = useRef(0)
  const active = queue.filter(isActive).length
  const failed = queue.filter(({ state }) => state === 'failed').length
  const done = queue.filter(({ state }) => state === 'done').length
  const paused = queue.filter(({ state }) => state === 'paused').length
  useEffect(() => {
    if (active > before.current) say(texts.uploadingFileActive(active))
    else if (active < before.current && paused > 0) say(texts.uploadPaused(paused))
    else if (active === 0 && before.current > 0) {
      say(texts.fileUploaded(done, failed > 0 ? texts.failed(failed) : ''))
    }
    before.current = active
  }, [active, failed, done, paused])
  return (
    <p role="status" className="visually-hidden">
      {said}
    </p>
  )
}
