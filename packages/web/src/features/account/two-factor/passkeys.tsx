import type { ResponseOf } from '@alcove/client'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { ActionForm } from '../../../components/form/action-form.tsx'
import { TextField } from '../../../components/form/field.tsx'
import { ConfirmDialog, Dialog } from '../../../components/overlay/dialog.tsx'
import { Panel } from '../../../components/page/page.tsx'
import { Table } from '../../../components/table.tsx'
import { Time } from '../../../components/time.tsx'
import { api, useAction } from '../../../data/api.ts'
import { withConfirmation } from '../../../data/confirmation.ts'
import { createPasskey, hasPasskeys } from '../../../data/passkeys.ts'
import { browserFrom } from '../browser-name.ts'

type Passkey = ResponseOf<'GET /-/second_factors'>['passkeys'][number]
type OnCodes = (codes: readonly string[] | null) => void

/** Passkeys of the user. */
export function Passkeys({ passkeys, onCodes }: { passkeys: readonly Passkey[]; onCodes: OnCodes }) {
  const [credential, setCredential] = useState<Record<string, unknown>>()
  const [renamed, setRenamed] = useState<Passkey>()
  const [removed, setRemoved] = useState<Passkey>()
  return (
    <Panel title="Passkeys" actions={hasPasskeys() && <CreateButton onCreated={setCredential} />}>
      <p className="muted">
        {hasPasskeys()
          ? 'A passkey is kept by a phone, a computer or a security key. It also signs you in without a password.'
          : 'This browser offers no passkeys here. They need HTTPS and a host name.'}
      </p>
      {passkeys.length > 0 && (
        <Table label="Your passkeys" head={['Name', 'Created', 'Last used', '']}>
          {passkeys.map((passkey) => (
            <tr key={passkey.id}>
              <td>{passkey.name}</td>
              <td>
                <Time of={passkey.created_at} />
              </td>
              <td>
                {passkey.last_used_at ? <Time of={passkey.last_used_at} /> : <span className="muted">Never</span>}
              </td>
              <td>
                <span className="row">
                  <Button size="small" aria-label={`Rename ${passkey.name}`} onClick={() => setRenamed(passkey)}>
                    Rename
                  </Button>
                  <Button size="small" aria-label={`Remove ${passkey.name}`} onClick={() => setRemoved(passkey)}>
                    Remove
                  </Button>
                </span>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {credential && <NameNew credential={credential} onCodes={onCodes} onClose={() => setCredential(undefined)} />}
      {renamed && <Rename passkey={renamed} onClose={() => setRenamed(undefined)} />}
      {removed && <Remove passkey={removed} onClose={() => setRemoved(undefined)} />}
    </Panel>
  )
}

/** Button that creates a passkey on a device, before the user names it. */
function CreateButton({ onCreated }: { onCreated: (credential: Record<string, unknown>) => void }) {
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)

  async function create() {
    setBusy(true)
    setProblem('')
    try {
      const options = await withConfirmation(() => api.call('POST /-/passkeys/options', {}))
      const credential = await createPasskey(options)
      if (credential) onCreated(credential)
      else setProblem('No passkey was created.')
    } catch (error) {
      const { name, message } = error as Error // always an Error
      setProblem(name === 'InvalidStateError' ? 'This device already has a passkey of yours.' : message)
    }
    setBusy(false)
  }

  return (
    <>
      {problem && <p role="alert">{problem}</p>}
      <Button size="small" icon={Plus} isBusy={isBusy} onClick={() => void create()}>
        Add passkey
      </Button>
    </>
  )
}

function NameNew({
  credential,
  onCodes,
  onClose,
}: {
  credential: Record<string, unknown>
  onCodes: OnCodes
  onClose: () => void
}) {
  const add = useAction('POST /-/passkeys', {
    showsErrors: true,
    done: 'Passkey added.',
    onDone: ({ recovery_codes: codes }) => {
      onCodes(codes)
      onClose()
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title="Name your passkey" lead="The name helps you to recognize the device later.">
      <ActionForm
        action={add}
        fields={['name']}
        submit="Add passkey"
        onCancel={onClose}
        onSubmit={(text) => add.mutate({ body: { name: text('name'), credential } })}
      >
        <TextField label="Name" name="name" required maxLength={100} defaultValue={browserFrom(navigator.userAgent)} />
      </ActionForm>
    </Dialog>
  )
}

function Rename({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const rename = useAction('PUT /-/passkeys/{id}', { showsErrors: true, done: 'Passkey renamed.', onDone: onClose })
  return (
    <Dialog isOpen onClose={onClose} title="Rename passkey">
      <ActionForm
        action={rename}
        fields={['name']}
        submit="Rename"
        onCancel={onClose}
        onSubmit={(text) => rename.mutate({ path: { id: passkey.id }, body: { name: text('name') } })}
      >
        <TextField label="Name" name="name" required maxLength={100} defaultValue={passkey.name} />
      </ActionForm>
    </Dialog>
  )
}

function Remove({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const remove = useAction('DELETE /-/passkeys/{id}', { done: 'Passkey removed.', onDone: onClose })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Remove ${passkey.name}`}
      lead="You can no longer sign in with this passkey. Delete it on your device as well."
      confirm="Remove passkey"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate({ path: { id: passkey.id } })}
    />
  )
}
