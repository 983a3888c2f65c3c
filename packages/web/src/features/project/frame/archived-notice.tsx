import { Button } from '../../../components/button.tsx'
import styles from '../../../components/page/notice.module.css'
import { useAction } from '../../../data/api.ts'
import { levels, mayWrite, useSession } from '../../../data/session.ts'
import { limitsOf } from '../../../nouns/mirror/limits.ts'
import { useProject } from '../../../nouns/project/project.ts'
import { texts } from './texts.ts'

/** States on each page of an archived project that it is read-only; owners can unarchive it here. */
export function ArchivedNotice() {
  const { project, level } = useProject()
  const session = useSession()
  const mayUnarchive = mayWrite(session) && limitsOf(project).mirror === undefined
  const unarchive = useAction('POST /projects/{id}/unarchive', { done: texts.projectUnarchived })
  return (
    <section className={styles.notice} aria-label={texts.archived}>
      <p>{texts.thisProjectIsArchived}</p>
      {level >= levels.owner && mayUnarchive && (
        <Button
          size="small"
          isBusy={unarchive.isPending}
          onClick={() => unarchive.mutate({ path: { id: project.id } })}
        >
          {texts.unarchive}
        </Button>
      )}
    </section>
  )
}
