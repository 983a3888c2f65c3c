import { LinkButton } from '../../components/button.tsx'
import { counted } from '../../components/format.ts'
import styles from '../../components/page/notice.module.css'
import { usePage } from '../../data/api.ts'
import { useMayChange } from '../../data/session.ts'
import { useProject } from '../../nouns/project/project.ts'

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
    <section className={styles.notice} aria-label="Report on hold">
      <p>{counted(report.absences.count, 'finding')} on hold: missing in the latest report, which may be broken</p>
      <LinkButton size="small" to={to(`reports/${report.id}`)}>
        Review report
      </LinkButton>
    </section>
  )
}
