import { Link2, MailX, Pencil } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { fill } from '../../components/fill.tsx'
import { ActionMenu } from '../../components/overlay/menu.tsx'
import { PagedTable } from '../../components/page/paged-table.tsx'
import { usePageNumber } from '../../components/page/pager.tsx'
import { Day, Time } from '../../components/time.tsx'
import { usePage } from '../../data/api.ts'
import { levels, useMayChange } from '../../data/session.ts'
import styles from './invitation.module.css'
import type { Invitation } from './invitation.ts'
import { ChangeInvitation, RenewInvitation, RevokeInvitation } from './invitation-dialogs.tsx'
import { type MemberPlace, roleName } from './roles.ts'
import { texts } from './texts.ts'

const perPage = 20
const paging = { field: 'invitations', label: texts.paginationOfInvitations }

/** Invitations that are not accepted yet. Renders nothing when there are none. */
export function PendingInvitations({ place, search }: { place: MemberPlace; search: string | undefined }) {
  const isWriter = useMayChange('members')
  const [asked, setAsked] = useState<{ kind: 'renew' | 'change' | 'revoke'; invitation: Invitation }>()
  const page = usePageNumber(paging.field)
  const query = usePage(
    `GET /${place.noun}s/{id}/invitations`,
    { path: { id: place.id }, query: { query: search, page, per_page: perPage } },
    { pageField: paging.field },
  )
  const isEmpty = page === 1 && query.data?.rows.length === 0
  if (isEmpty || query.isPending) return null
  const dialog = asked && { place, invitation: asked.invitation, onClose: () => setAsked(undefined) }
  const mayManage = ({ access_level: level }: Invitation) =>
    isWriter && (level <= levels.maintainer || place.level >= levels.owner)
  const actions = (invitation: Invitation) => [
    { label: texts.createNewLink, icon: Link2, onChoose: () => setAsked({ kind: 'renew', invitation }) },
    { label: texts.edit, icon: Pencil, onChoose: () => setAsked({ kind: 'change', invitation }) },
    { label: texts.revoke, icon: MailX, isDangerous: true, onChoose: () => setAsked({ kind: 'revoke', invitation }) },
  ]
  return (
    <section className="stack" aria-label={texts.pendingInvitations}>
      <h2>{texts.pendingInvitations}</h2>
      <PagedTable
        label={texts.invitedAddresses}
        query={query}
        perPage={perPage}
        paging={paging}
        columns={[
          [texts.eMailAddress, ({ invite_email: email }) => email, styles.address],
          [texts.role, ({ access_level: level }) => roleName(level)],
          [texts.invitedBy, ({ created_by_name: name }) => name],
          [
            texts.expiration,
            ({ expires_at: end }) => (end ? <Day of={end} /> : <span className="muted">{texts.noExpiration}</span>),
          ],
          [texts.link, (invitation) => <LinkState invitation={invitation} />, styles.nowrap],
          [
            <span key="actions" className="visually-hidden">
              {texts.actions}
            </span>,
            (invitation) =>
              mayManage(invitation) && (
                <ActionMenu label={texts.actionsFor(invitation.invite_email)} items={actions(invitation)} />
              ),
          ],
        ]}
      />
      {dialog && asked.kind === 'renew' && <RenewInvitation {...dialog} />}
      {dialog && asked.kind === 'change' && <ChangeInvitation {...dialog} />}
      {dialog && asked.kind === 'revoke' && <RevokeInvitation {...dialog} />}
    </section>
  )
}

function LinkState({ invitation: { link_expires_at: end } }: { invitation: Invitation }) {
  if (Date.parse(end) <= Date.now()) return <Badge tone="warning">{texts.expired}</Badge>
  return <>{fill(texts.expires, { time: <Time of={end} /> })}</>
}
