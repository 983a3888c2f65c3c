import type { RowOf } from '@alcove/client'
import { UserCheck } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { Avatar } from '../../../components/avatar.tsx'
import { Button } from '../../../components/button.tsx'
import { Problem } from '../../../components/form/problem.tsx'
import { SearchField } from '../../../components/form/search-field.tsx'
import { Dialog, DialogActions } from '../../../components/overlay/dialog.tsx'
import { Panel } from '../../../components/page/page.tsx'
import { QueryResult } from '../../../components/page/states.tsx'
import { useAction, usePage } from '../../../data/api.ts'
import { useToast } from '../../../data/toasts.ts'
import styles from '../admin.module.css'
import type { ShownUser } from '../user.ts'
import { texts } from './texts.ts'

type Person = RowOf<'GET /users'>

/** Domain of the addresses of accounts that an import has created for users whom it could not match. */
const placeholderDomain = '@placeholder.invalid'

/** Assigns a placeholder of an import to the person for whom it stands. Absent for other users. */
export function Placeholder({ user }: { user: ShownUser }) {
  const [isOpen, setOpen] = useState(false)
  if (!isPlaceholder(user)) return null
  const close = () => setOpen(false)
  return (
    <Panel title={texts.placeholder}>
      <div className={styles.line}>
        <p>{texts.thisAccountIsAPlaceholder(user.name)}</p>
        <Button icon={UserCheck} onClick={() => setOpen(true)}>
          {texts.assignToAUser}
        </Button>
      </div>
      <Dialog isOpen={isOpen} onClose={close} title={texts.assignThePlaceholder}>
        {isOpen && <Assign placeholder={user} onClose={close} />}
      </Dialog>
    </Panel>
  )
}

const isPlaceholder = ({ email }: { email?: string | undefined }) =>
  email?.toLowerCase().endsWith(placeholderDomain) === true

function Assign({ placeholder, onClose }: { placeholder: ShownUser; onClose: () => void }) {
  const [person, setPerson] = useState<Person>()
  if (!person) return <PersonSearch placeholder={placeholder} onChoose={setPerson} onClose={onClose} />
  return (
    <Confirmation placeholder={placeholder} person={person} onOther={() => setPerson(undefined)} onClose={onClose} />
  )
}

function PersonSearch({
  placeholder,
  onChoose,
  onClose,
}: {
  placeholder: ShownUser
  onChoose: (person: Person) => void
  onClose: () => void
}) {
  const [search, setSearch] = useState('')
  const query = usePage('GET /users', { query: { search: search || undefined, humans: true, per_page: 20 } })
  return (
    <>
      <p>{texts.chooseTheUser(placeholder.name)}</p>
      <SearchField label={texts.searchUsers} value={search} onSearch={setSearch} />
      <QueryResult query={query}>
        {({ rows }) => {
          const others = rows.filter((user) => !isPlaceholder(user))
          if (others.length === 0) return <p className="muted">{texts.noOtherUsersMatch}</p>
          return (
            <ul className={styles.results} aria-label={texts.matchingUsers}>
              {others.map((user) => (
                <li key={user.id}>
                  <button type="button" className={styles.result} onClick={() => onChoose(user)}>
                    <Avatar name={user.name} url={user.avatar_url} />
                    <span>
                      <strong>{user.name}</strong> <span className="muted small">@{user.username}</span>
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          )
        }}
      </QueryResult>
      <DialogActions>
        <Button onClick={onClose}>{texts.cancel}</Button>
      </DialogActions>
    </>
  )
}

function Confirmation({
  placeholder,
  person,
  onOther,
  onClose,
}: {
  placeholder: ShownUser
  person: Person
  onOther: () => void
  onClose: () => void
}) {
  const toast = useToast()
  const [, navigate] = useLocation()
  const claim = useAction('POST /users/{id}/claim', {
    isLeaving: true,
    showsErrors: true,
    onDone: () => {
      toast({ text: texts.placeholderAssigned(person.name) })
      navigate(`/-/admin/users/${person.id}`, { replace: true })
    },
  })
  return (
    <>
      <p>{texts.isAssignedTo(placeholder.name, person.name)}</p>
      <section aria-label={texts.whatMoves} className="stack-tight">
        <h3>{texts.whatMoves}</h3>
        <ul>
          <li>{texts.contributions}</li>
          <li>{texts.memberships}</li>
          <li>{texts.personalProjects}</li>
          <li>{texts.laterImports}</li>
        </ul>
        <p className="muted small">{texts.thePlaceholderIsDeleted}</p>
      </section>
      <Problem text={claim.error?.message ?? ''} />
      <DialogActions>
        <Button onClick={onOther}>{texts.chooseAnotherUser}</Button>
        <Button onClick={onClose}>{texts.cancel}</Button>
        <Button
          kind="primary"
          isBusy={claim.isPending}
          onClick={() => claim.mutate({ path: { id: placeholder.id }, body: { user_id: person.id } })}
        >
          {texts.assign}
        </Button>
      </DialogActions>
    </>
  )
}
