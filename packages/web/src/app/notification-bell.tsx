import type { ResponseOf } from '@alcove/client'
import { Bell } from 'lucide-react'
import { Link } from 'wouter'
import { Button } from '../components/button.tsx'
import { Day, Time } from '../components/time.tsx'
import { useAction, useApiQuery } from '../data/api.ts'
import { mayWrite, useSession } from '../data/session.ts'
import styles from './notification-bell.module.css'
import { texts } from './texts.ts'
import { useDropDown } from './use-drop-down.ts'

type Item = ResponseOf<'GET /user/notifications'>['items'][number]

/** Polling stops while the tab is hidden. Unchanged notifications cost a response without a body. */
const pollMs = 60_000

const labels: Readonly<Record<Item['kind'], string>> = {
  assigned: texts.assignedToYou,
  due_soon: texts.dueSoon,
  overdue: texts.overdue,
  approval: texts.awaitsYourApproval,
  failed_import: texts.importFailed,
}

/** Button of the header with the number of unread notifications, and their list. */
export function NotificationBell() {
  const { isOpen, close, place, button, id } = useDropDown()
  const session = useSession()
  const { data, error } = useApiQuery('GET /user/notifications', {}, { refetchMs: pollMs })
  const markRead = useAction('POST /user/notifications/read')
  const unread = data?.unread ?? 0
  return (
    <div {...place} className={styles.place}>
      <button
        {...button}
        className={styles.button}
        aria-label={unread > 0 ? texts.notificationsUnread(unread) : texts.notifications}
      >
        <Bell size={18} aria-hidden="true" />
        {unread > 0 && (
          <span className={styles.count} aria-hidden="true">
            {unread}
          </span>
        )}
      </button>
      <section id={id} hidden={!isOpen} aria-label={texts.notifications} className={styles.menu}>
        {data && data.items.length > 0 ? (
          <ul className={styles.items}>
            {data.items.map((item) => (
              <li key={`${item.kind} ${item.vulnerability_id ?? item.report_id}`}>
                <Link to={addressOf(item)} className={styles.item} onClick={close}>
                  <span className={item.is_unread ? styles.unread : undefined}>
                    {item.is_unread && <span className="visually-hidden">{texts.unread} </span>}
                    {item.kind === 'failed_import' ? texts.reportFor(item.title) : item.title}
                  </span>
                  <span className="muted small">
                    {labels[item.kind]} · {item.project.name_with_namespace} ·{' '}
                    {item.due_on ? <Day of={item.due_on} /> : <Time of={item.created_at} />}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        ) : (
          <p className={`muted ${styles.empty}`}>
            {data ? texts.noNotifications : error ? texts.notificationsNotLoaded : texts.loading}
          </p>
        )}
        <p className={styles.actions}>
          {unread > 0 && mayWrite(session) && (
            <Button size="small" isBusy={markRead.isPending} onClick={() => markRead.mutate({})}>
              {texts.markAllAsRead}
            </Button>
          )}
          <Link to="/-/profile/notifications" className="push small" onClick={close}>
            {texts.eMailSettings}
          </Link>
        </p>
      </section>
    </div>
  )
}

function addressOf({ kind, project, vulnerability_id: vulnerability, report_id: report }: Item): string {
  const base = `/${project.path_with_namespace}/-`
  return kind === 'failed_import' ? `${base}/reports/${report}` : `${base}/vulnerabilities/${vulnerability}`
}
