import { useState } from 'react'
import { ActionForm } from '../../components/form/action-form.tsx'
import { Problem } from '../../components/form/problem.tsx'
import { Dialog } from '../../components/overlay/dialog.tsx'
import { useAction } from '../../data/api.ts'
import { levels, useSession } from '../../data/session.ts'
import { useToast } from '../../data/toasts.ts'
import { type InvitationLinks, NewInvitationLinks } from './invitation-links.tsx'
import { addAddresses, type Invitee, InviteesField, nameOfInvitee, splitAddresses } from './invitees-field.tsx'
import type { MemberPlace } from './roles.ts'
import { bodyOf, type Terms, TermsFields, termsFieldNames } from './terms.tsx'
import { texts } from './texts.ts'

/** What happened to the invitees: links of new invitations, new members, and problems. */
interface Sent {
  links: InvitationLinks
  added: readonly Invitee[]
  failed: readonly Failure[]
}

interface Failure {
  invitee: Invitee
  problem: string
}

/** Dialog that invites e-mail addresses and users, and shows the links of new invitations. */
export function InviteMembers({ place, onClose }: { place: MemberPlace; onClose: () => void }) {
  const [sent, setSent] = useState<Sent>()
  const created = Object.keys(sent?.links ?? {}).length === 1 ? texts.invitationCreated : texts.invitationsCreated
  return (
    <Dialog isOpen onClose={onClose} title={sent ? created : texts.inviteTo(place.name)}>
      {sent ? (
        <NewInvitationLinks links={sent.links} onClose={onClose}>
          {sent.added.length > 0 && <p>{texts.addedAsMembers(sent.added.map(nameOfInvitee).join(', '))}</p>}
          <Problem text={textOf(sent.failed)} />
        </NewInvitationLinks>
      ) : (
        <InviteForm place={place} onClose={onClose} onSent={setSent} />
      )}
    </Dialog>
  )
}

function InviteForm({
  place,
  onClose,
  onSent,
}: {
  place: MemberPlace
  onClose: () => void
  onSent: (sent: Sent) => void
}) {
  const toast = useToast()
  const { is_admin: isAdmin, sends_mail: isMailed } = useSession()
  const [invitees, setInvitees] = useState<readonly Invitee[]>([])
  const [text, setText] = useState('')
  const [terms, setTerms] = useState<Terms>({ level: levels.developer, until: '' })
  const [problem, setProblem] = useState('')
  const action = useAction(`POST /${place.noun}s/{id}/invitations`, {
    showsErrors: true,
    onDone(response) {
      if (typeof response.message === 'string') return setProblem(`${response.message}.`)
      const failed = failuresOf(response, invitees)
      const links = response.links ?? {}
      const added = invitees.filter((one) => !failed.some(({ invitee }) => invitee === one) && !linkOf(links, one))
      if (Object.keys(links).length > 0) return onSent({ links, added, failed })
      if (added.length > 0) toast({ text: texts.memberAdded(added.length) })
      if (failed.length === 0) return onClose()
      setInvitees(failed.map(({ invitee }) => invitee))
      setProblem(textOf(failed))
    },
  })
  function submit() {
    const { addresses, rest } = splitAddresses(text, { isFinished: true })
    const all = addAddresses(invitees, addresses)
    setInvitees(all)
    setText(rest)
    if (rest !== '') return setProblem(texts.enterACompleteE)
    if (all.length === 0) return setProblem(texts.enterAtLeastOne)
    setProblem('')
    const email = all.flatMap(({ address }) => address ?? []).join(',')
    const user_id = all.flatMap(({ person }) => person?.id ?? []).join(',')
    const invited = { ...(email && { email }), ...(user_id && { user_id }) }
    action.mutate({ path: { id: place.id }, body: { ...invited, ...bodyOf(terms), show_links: true } })
  }
  return (
    <ActionForm
      action={action}
      fields={termsFieldNames}
      submit={texts.invite}
      problem={problem}
      onCancel={onClose}
      onSubmit={submit}
    >
      <InviteesField
        value={invitees}
        onChange={setInvitees}
        text={text}
        onText={setText}
        hint={texts.usersBecomeMembersAtOnce(
          isMailed ? texts.otherAddressesReceiveAnE : texts.forOtherAddressesYou,
          isAdmin ? forAdmins : forOthers,
        )}
      />
      <TermsFields place={place} terms={terms} onChange={setTerms} />
    </ActionForm>
  )
}

const forAdmins = texts.itsRecipientCanCreate
const forOthers = texts.itsRecipientNeedsAnAccount

function linkOf(links: InvitationLinks, { address }: Invitee) {
  return address === undefined ? undefined : links[address]
}

/** The server reports problems by address, username or id. */
function failuresOf({ message }: { message?: unknown }, invitees: readonly Invitee[]): Failure[] {
  const problems = (message ?? {}) as Readonly<Record<string, string>> // as the OpenAPI document describes it
  return invitees.flatMap((invitee) => {
    const { person, address } = invitee
    const names = person ? [person.username, String(person.id)] : [address]
    const problem = names.map((name) => problems[name]).find((found) => found !== undefined)
    return problem === undefined ? [] : [{ invitee, problem }]
  })
}

const sentences: Readonly<Record<string, string>> = {
  'User already exists in source': texts.isAlreadyAMember,
  'Invite email has already been taken': texts.isAlreadyInvitedCreate,
  'Expires at cannot be a date in the past': texts.theExpirationDateIsInThePast,
  'Access level is higher than your own': texts.youCannotGrantARole,
}

function textOf(failed: readonly Failure[]): string {
  return failed.map(({ invitee, problem }) => `${nameOfInvitee(invitee)}: ${sentences[problem] ?? problem}.`).join(' ')
}
