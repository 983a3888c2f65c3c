import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { lazyComponent, nothingYet } from '../../components/lazy-component.tsx'
import styles from '../../components/page/notice.module.css'
import { useAction } from '../../data/api.ts'
import { levels, mayWrite, useSession } from '../../data/session.ts'
import { texts } from './texts.ts'

// Every page of a project loads this file, and few need the dialog.
const ConfirmDialog = lazyComponent(
  async () => (await import('../../components/overlay/dialog.tsx')).ConfirmDialog,
  nothingYet,
)

interface Mirrored {
  id: number
  mirrored_from?: { url: string; local_changes: 'none' | 'triage' | 'all' } | undefined
}

const permitted = {
  none: texts.itCanOnlyBeChanged,
  triage: texts.vulnerabilitiesCanBeTriaged,
  all: texts.theNextCopyMay,
}

/** A topic has nothing to triage. */
const permittedInTopic = (changes: keyof typeof permitted) => permitted[changes === 'all' ? 'all' : 'none']

interface MirrorProps {
  kind: 'project' | 'group' | 'topic'
  place: Mirrored
  /** The user's access level. Topics belong to administrators. */
  level: number
}

/** States on each page of a mirror where its content comes from; owners can detach it here. */
export function MirrorNotice({ kind, place, level }: MirrorProps) {
  const session = useSession()
  const [isAsked, setIsAsked] = useState(false)
  const close = () => setIsAsked(false)
  const detach = useAction(`DELETE /${kind}s/{id}/mirror`, { done: texts.mirrorDetached, onDone: close })
  const source = place.mirrored_from
  if (!source) return null
  return (
    <section className={styles.notice} aria-label={texts.mirror}>
      <p>
        {texts.thisIsAMirror(
          kind,
          source.url,
          kind === 'topic' ? permittedInTopic(source.local_changes) : permitted[source.local_changes],
        )}
      </p>
      {level >= levels.owner && mayWrite(session) && (
        <Button size="small" onClick={() => setIsAsked(true)}>
          {texts.detachMirror}
        </Button>
      )}
      {isAsked && (
        <ConfirmDialog
          isOpen
          onClose={close}
          title={texts.detachTheMirror}
          lead={texts.theCanBeChanged(kind, kind === 'group' ? texts.andEverythingBelowIt : '', source.url)}
          confirm={texts.detachMirror}
          isDangerous={false}
          isBusy={detach.isPending}
          onConfirm={() => detach.mutate({ path: { id: place.id } })}
        />
      )}
    </section>
  )
}
