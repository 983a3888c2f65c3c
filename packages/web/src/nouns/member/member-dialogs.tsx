import { useState } from 'react'
import { ActionForm } from '../../components/form/action-form.tsx'
import { Dialog } from '../../components/overlay/dialog.tsx'
import { useAction } from '../../data/api.ts'
import { levels } from '../../data/session.ts'
import { useToast } from '../../data/toasts.ts'
import type { Member } from './member.ts'
import { PeopleField, type Person } from './people-field.tsx'
import type { MemberPlace } from './roles.ts'
import { bodyOf, type Terms, TermsFields, termsFieldNames } from './terms.tsx'
import { texts } from './texts.ts'

export function AddMembers({ place, onClose }: { place: MemberPlace; onClose: () => void }) {
  const toast = useToast()
  const [people, setPeople] = useState<readonly Person[]>([])
  const [terms, setTerms] = useState<Terms>({ level: levels.developer, until: '' })
  const [problem, setProblem] = useState('')
  const action = useAction(`POST /${place.noun}s/{id}/members`, {
    showsErrors: true,
    onDone(response) {
      // The server may have added only some of the users.
      const failed = Object.entries(response.message ?? {})
      const left = people.filter(({ id }) => failed.some(([name]) => name === String(id)))
      if (left.length === 0) {
        toast({ text: texts.memberAdded(people.length) })
        return onClose()
      }
      setPeople(left)
      setProblem(left.map(({ id, name }) => `${name}: ${response.message?.[id]}`).join('. '))
    },
  })
  function submit() {
    if (people.length === 0) return setProblem(texts.chooseAtLeastOne)
    setProblem('')
    const user_id = people.map(({ id }) => id).join(',')
    action.mutate({ path: { id: place.id }, body: { user_id, ...bodyOf(terms) } })
  }
  return (
    <Dialog isOpen onClose={onClose} title={texts.addMembersTo(place.name)}>
      <ActionForm
        action={action}
        fields={termsFieldNames}
        submit={texts.add}
        problem={problem}
        onCancel={onClose}
        onSubmit={submit}
      >
        <PeopleField label={texts.users} value={people} onChange={setPeople} />
        <TermsFields place={place} terms={terms} onChange={setTerms} />
      </ActionForm>
    </Dialog>
  )
}

export function ChangeMember({ place, member, onClose }: { place: MemberPlace; member: Member; onClose: () => void }) {
  const [terms, setTerms] = useState<Terms>({ level: member.access_level, until: member.expires_at ?? '' })
  const action = useAction(`PUT /${place.noun}s/{id}/members/{user_id}`, {
    showsErrors: true,
    done: texts.membershipOfUpdated(member.name),
    onDone: onClose,
  })
  return (
    <Dialog isOpen onClose={onClose} title={texts.editName(member.name)}>
      <ActionForm
        action={action}
        fields={termsFieldNames}
        submit={texts.save}
        onCancel={onClose}
        onSubmit={() => action.mutate({ path: { id: place.id, user_id: member.id }, body: bodyOf(terms) })}
      >
        <TermsFields place={place} terms={terms} onChange={setTerms} />
      </ActionForm>
    </Dialog>
  )
}
