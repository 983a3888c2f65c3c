import { Button } from '../../components/button.tsx'
import styles from '../../components/page/notice.module.css'
import { useAction } from '../../data/api.ts'
import { levels, mayWrite, useSession } from '../../data/session.ts'
import { useProject } from '../../nouns/project/project.ts'

/** States on each page of an archived project that it is read-only; owners can unarchive it here. */
export function ArchivedNotice() {
  const { project, level } = useProject()
  const session = useSession()
  const unarchive = useAction('POST /projects/{id}/unarchive', { done: 'Project unarchived.' })
  return (
    <section className={styles.notice} aria-label="Archived">
      <p>This project is archived and read-only.</p>
      {level >= levels.owner && mayWrite(session) && (
        <Button
          size="small"
          isBusy={unarchive.isPending}
          onClick={() => unarchive.mutate({ path: { id: project.id } })}
        >
          Unarchive
        </Button>
      )}
    </section>
  )
}
