import { MailPlus, Pencil, UserMinus, UserPlus, Users } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Avatar } from '../../components/avatar.tsx'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { SearchFilter } from '../../components/form/filters.tsx'
import { ConfirmDialog } from '../../components/overlay/dialog.tsx'
import { ActionMenu } from '../../components/overlay/menu.tsx'
import { Page } from '../../components/page/page.tsx'
import { PagedList, usePageNumber } from '../../components/page/pager.tsx'
import { Empty } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { Day, Time } from '../../components/time.tsx'
import { useAction, usePage } from '../../data/api.ts'
import { useLiveUpdates } from '../../data/live-updates.ts'
import { useSearchState } from '../../data/search-state.ts'
import { levels, useMayChange, useSession } from '../../data/session.ts'
import { InviteMembers } from './invite-members.tsx'
import type { Member } from './member.ts'
import { AddMembers, ChangeMember } from './member-dialogs.tsx'
import { PendingInvitations } from './pending-invitations.tsx'
import { type MemberPlace, mayManageMembers, roleName } from './roles.ts'
import { texts } from './texts.ts'

const perPage = 50

type Asked = { kind: 'add' | 'invite' } | { kind: 'change' | 'remove'; member: Member } | undefined

/** Members and pending invitations of a project or group. */
export function Members({ place }: { place: MemberPlace }) {
  const isWriter = useMayChange('members')
  const [asked, setAsked] = useState<Asked>()
  const [{ search }, _set] = useSearchState(['search'])
  // Users who accept an invitation appear as members.
  useLiveUpdates()
  const isManager = mayManageMembers(place) && isWriter
  const close = () => setAsked(undefined)
  return (
    <Page
      title={texts.members}
      actions={
        isManager && (
          <>
            <Button icon={MailPlus} onClick={() => setAsked({ kind: 'invite' })}>
              {texts.invite}
            </Button>
            <Button icon={UserPlus} kind="primary" onClick={() => setAsked({ kind: 'add' })}>
              {texts.addMembers}
            </Button>
          </>
        )
      }
    >
      <search>
        <SearchFilter label={texts.searchMembers} />
      </search>
      <MemberTable place={place} search={search} ask={setAsked} />
      {mayManageMembers(place) && <PendingInvitations place={place} search={search} />}
      {asked?.kind === 'add' && <AddMembers place={place} onClose={close} />}
      {asked?.kind === 'invite' && <InviteMembers place={place} onClose={close} />}
      {asked?.kind === 'change' && <ChangeMember place={place} member={asked.member} onClose={close} />}
      {asked?.kind === 'remove' && <RemoveMember place={place} member={asked.member} onClose={close} />}
    </Page>
  )
}

/** Direct and inherited members. */
function MemberTable({
  place,
  search,
  ask,
}: {
  place: MemberPlace
  search: string | undefined
  ask: (asked: Asked) => void
}) {
  const page = usePageNumber()
  const path = { id: place.id }
  const all = usePage(`GET /${place.noun}s/{id}/members/all`, {
    path,
    query: { query: search, page, per_page: perPage },
  })
  const ids = all.data?.rows.map((row) => row.id ?? 0) ?? []
  const direct = usePage(
    `GET /${place.noun}s/{id}/members`,
    { path, query: { user_ids: ids, per_page: perPage } },
    { isEnabled: ids.length > 0 },
  )
  const whyNeeded = useWhyNeeded(place)
  return (
    <PagedList
      query={all}
      perPage={perPage}
      empty={
        <Empty icon={Users} title={texts.noMembers}>
          <p>{search ? texts.noMatchingUsers : texts.noMembersYet}</p>
        </Empty>
      }
    >
      {(rows) => (
        <Table
          label={texts.members}
          head={[texts.user, texts.role, texts.expiration, texts.added, <Hidden key="actions" />]}
        >
          {rows.map((row) => {
            const own = direct.data?.rows.find(({ id }) => id === row.id) as Member | undefined // see `Member`
            // Members count as inherited only after the direct members are loaded.
            const isFromAbove = direct.data !== undefined && !direct.isPlaceholderData && !own
            return (
              <Row
                key={row.id}
                member={row as Member}
                own={own}
                isFromAbove={isFromAbove}
                whyNeeded={whyNeeded(row as Member)}
                place={place}
                ask={ask}
              />
            )
          })}
        </Table>
      )}
    </PagedList>
  )
}

/** Returns why a membership cannot be changed, '' while that is loading, and undefined if it can be changed. */
function useWhyNeeded(place: MemberPlace): (member: Member) => string | undefined {
  const query = { min_access_level: levels.owner, per_page: 2 }
  const isGroup = place.noun === 'group'
  const owners = usePage('GET /groups/{id}/members/all', { path: { id: place.id }, query }, { isEnabled: isGroup })
  return (member) => {
    if (!isGroup) return place.ownerPath === member.username ? texts.ownerOfThisPersonal : undefined
    if (member.access_level < levels.owner) return undefined
    if (!owners.data) return ''
    return owners.data.rows.length > 1 ? undefined : texts.theLastOwnerCannot
  }
}

function Hidden() {
  return <span className="visually-hidden">{texts.actions}</span>
}

/** Row of a member. `own` is the direct membership; inherited ones are changed in the parent group. */
function Row({
  member,
  own,
  isFromAbove,
  whyNeeded,
  place,
  ask,
}: {
  member: Member
  own: Member | undefined
  isFromAbove: boolean
  whyNeeded: string | undefined
  place: MemberPlace
  ask: (asked: Asked) => void
}) {
  const session = useSession()
  const mayChange = useMayChange('members')
  const isSelf = member.id === session.user?.id
  const mayManage =
    own &&
    whyNeeded === undefined &&
    mayManageMembers(place) &&
    (own.access_level <= levels.maintainer || place.level >= levels.owner)
  const mayRemove = own && whyNeeded === undefined && (mayManage || isSelf)
  const items = [
    ...(mayManage ? [{ label: texts.edit, icon: Pencil, onChoose: () => ask({ kind: 'change', member: own }) }] : []),
    ...(mayRemove
      ? [
          {
            label: isSelf ? texts.leave : texts.remove,
            icon: UserMinus,
            isDangerous: true,
            onChoose: () => ask({ kind: 'remove', member: own }),
          },
        ]
      : []),
  ]
  return (
    <tr>
      <td>
        <div className="row">
          <Avatar name={member.name} url={member.avatar_url ?? null} />
          <div>
            <Link to={`/${member.username}`}>{member.name}</Link>
            {isSelf && <span className="muted"> {texts.you}</span>}
            <p className="muted small">@{member.username}</p>
          </div>
        </div>
      </td>
      <td>
        <span className="row-wrap">
          {roleName(member.access_level)}
          {isFromAbove && <Badge>{texts.inherited}</Badge>}
          {member.state === 'blocked' && <Badge tone="warning">{texts.blocked}</Badge>}
        </span>
        {whyNeeded && <p className="muted small">{whyNeeded}</p>}
      </td>
      <td>
        {member.expires_at ? <Day of={member.expires_at} /> : <span className="muted">{texts.noExpiration}</span>}
      </td>
      <td className="muted">{member.created_at && <Time of={member.created_at} />}</td>
      <td>{items.length > 0 && mayChange && <ActionMenu label={texts.actionsForName(member.name)} items={items} />}</td>
    </tr>
  )
}

function RemoveMember({ place, member, onClose }: { place: MemberPlace; member: Member; onClose: () => void }) {
  const { user } = useSession()
  const [, navigate] = useLocation()
  const isSelf = member.id === user?.id
  const action = useAction(`DELETE /${place.noun}s/{id}/members/{user_id}`, {
    done: isSelf ? `You left ${place.name}.` : `${member.name} removed.`,
    // The user may no longer be able to see the project or group.
    isLeaving: isSelf,
    onDone: () => (isSelf ? navigate('/') : onClose()),
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={isSelf ? texts.leaveName(place.name) : texts.removeName2(member.name)}
      lead={isSelf ? texts.youLoseYourMember : texts.losesTheirMemberPermissions(member.name)}
      confirm={isSelf ? texts.leave : texts.remove}
      isBusy={action.isPending}
      onConfirm={() => action.mutate({ path: { id: place.id, user_id: member.id } })}
    />
  )
}
