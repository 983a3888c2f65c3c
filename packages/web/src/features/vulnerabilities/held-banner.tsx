import { LinkButton } from '../../components/button.tsx'
import styles from '../../components/page/notice.module.css'
import { usePage } from '../../data/api.ts'
import { useMayChange } from '../../data/session.ts'
import { useProject } from '../../nouns/project/project.ts'
import { texts } from './texts.ts'

/** Banner on the vulnerability list that links to a report whose absences wait for a maintainer. */
export function HeldBanner() {
  const { project, to } = useProject()
  const isWriter = useMayChange()
  const { data } = usePage(
    'GET /projects/{id}/security_reports',
    { path: { id: project.id }, query: { absences: 'held', per_page: 1 } },
    { isEnabled: isWriter },
  )
  const report = data?.rows[0]
  if (!report) return null
  return (
    <section className={styles.notice} aria-label={texts.reportOnHold}>
      <p>{texts.findingOnHoldMissing(report.absences.count)}</p>
      <LinkButton size="small" to={to(`reports/${report.id}`)}>
        {texts.reviewReport}
      </LinkButton>
    </section>
  )
}
