import { Mail } from 'lucide-react'
import { SuggestManyField } from '../../components/form/suggest-field.tsx'
import { type Person, PersonSuggestion, useFoundPeople } from './people-field.tsx'
import { texts } from './texts.ts'

/** User of this server, or an e-mail address. */
export type Invitee = { person: Person; address?: undefined } | { person?: undefined; address: string }

export function nameOfInvitee({ person, address }: Invitee): string {
  return person ? person.name : address
}

const keyOf = ({ person, address }: Invitee) =>
  person ? texts.userId(person.id) : texts.address(address.toLowerCase())

/** The server validates addresses; this only tells them from names. */
const isAddress = (text: string) => /^[^\s@,;]+@[^\s@,;]+$/.test(text)

/**
 * Splits a text into complete e-mail addresses and the rest. An address is complete before a separator, or anywhere with
 * `isFinished`.
 */
export function splitAddresses(text: string, { isFinished = false } = {}): { addresses: string[]; rest: string } {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '')
  const last = isFinished || /[\s,;]$/.test(text) ? '' : (parts.pop() ?? '')
  // A part that is no address may belong to the name of a user.
  return parts.every(isAddress) ? { addresses: parts, rest: last } : { addresses: [], rest: text }
}

export function addAddresses(invitees: readonly Invitee[], addresses: readonly string[]): Invitee[] {
  const byKey = new Map([...invitees, ...addresses.map((address) => ({ address }))].map((one) => [keyOf(one), one]))
  return [...byKey.values()]
}

/** Combobox for users of this server and e-mail addresses. */
export function InviteesField({
  value,
  onChange,
  text,
  onText,
  hint,
}: {
  value: readonly Invitee[]
  onChange: (invitees: Invitee[]) => void
  text: string
  onText: (text: string) => void
  hint: string
}) {
  const { found, hasNoMatch, error } = useFoundPeople(text)
  const typed = text.trim()
  const items: Invitee[] = [...found.map((person) => ({ person })), ...(isAddress(typed) ? [{ address: typed }] : [])]
  return (
    <SuggestManyField<Invitee>
      label={texts.eMailAddressesOrUsers}
      placeholder={texts.nameExampleComOrUsername}
      hint={hint}
      items={items}
      keyOf={keyOf}
      nameOf={nameOfInvitee}
      removalOf={(invitee) => texts.removeNameOfInvitee(nameOfInvitee(invitee))}
      value={value}
      onChange={onChange}
      text={text}
      onText={(text) => {
        const { addresses, rest } = splitAddresses(text)
        if (addresses.length > 0) onChange(addAddresses(value, addresses))
        onText(rest)
      }}
      takesFirst
      status={error ? error.message : hasNoMatch && items.length === 0 ? noMatch : ''}
    >
      {(invitee) =>
        invitee.person ? (
          <PersonSuggestion person={invitee.person} />
        ) : (
          <>
            <Mail size={16} aria-hidden="true" />
            {texts.inviteAddress(invitee.address)}
          </>
        )
      }
    </SuggestManyField>
  )
}

const noMatch = texts.noMatchingUsersToInvite
