import { LinkButton } from '../../components/button.tsx'
import { counted } from '../../components/format.ts'
import styles from '../../components/page/notice.module.css'
import { usePage } from '../../data/api.ts'
import { useMayChange } from '../../data/session.ts'

/** Notice on the home page with the number of dismissals that the user may decide. */
export function ApprovalNotice() {
  const isWriter = useMayChange()
  const { data } = usePage(
    'GET /dismissal_requests',
    { query: { state: 'pending', side: 'to_decide', per_page: 1 } },
    { isEnabled: isWriter },
  )
  if (!data || data.rows.length === 0) return null
  const many =
    data.total === undefined ? 'Many dismissals await' : counted(data.total, 'dismissal awaits', 'dismissals await')
  return (
    <section className={styles.notice} aria-label="Approvals">
      <p>{many} your approval</p>
      <LinkButton size="small" to="/-/approvals?side=to_decide">
        Review approvals
      </LinkButton>
    </section>
  )
}
