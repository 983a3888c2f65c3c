import type { RowOf } from '@alcove/client'
import { Link } from 'wouter'
import { Avatar } from '../../components/avatar.tsx'
import { VisibilityMark } from '../../components/visibility.tsx'
import styles from '../place-list.module.css'
import { groupAddress } from './group.ts'

export type ListedGroup = RowOf<'GET /groups'>

export function GroupList({ groups, label }: { groups: readonly ListedGroup[]; label: string }) {
  return (
    <ul className={styles.list} aria-label={label}>
      {groups.map((group) => (
        <li key={group.id} className={styles.item}>
          <Avatar name={group.name} url={group.avatar_url} />
          <div className="stack-tight">
            <div className="row-wrap">
              <Link to={groupAddress(group.full_path)} className={styles.name}>
                {group.parent_id !== null && (
                  <span className="muted">{group.full_path.split('/').slice(0, -1).join(' / ')} / </span>
                )}
                {group.name}
              </Link>
              <VisibilityMark visibility={group.visibility} />
            </div>
            {group.description && <p className={`muted ${styles.description}`}>{group.description}</p>}
          </div>
        </li>
      ))}
    </ul>
  )
}
