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
import { texts } from '../texts.ts'

type Passkey = ResponseOf<'GET /-/second_factors'>['passkeys'][number]
type OnCodes = (codes: readonly string[] | null) => void

/** Passkeys of the user. */
export function Passkeys({ passkeys, onCodes }: { passkeys: readonly Passkey[]; onCodes: OnCodes }) {
  const [credential, setCredential] = useState<Record<string, unknown>>()
  const [renamed, setRenamed] = useState<Passkey>()
  const [removed, setRemoved] = useState<Passkey>()
  return (
    <Panel title={texts.passkeys} actions={hasPasskeys() && <CreateButton onCreated={setCredential} />}>
      <p className="muted">{hasPasskeys() ? texts.aPasskeyIsKept : texts.thisBrowserOffersNo}</p>
      {passkeys.length > 0 && (
        <Table label={texts.yourPasskeys} head={[texts.name, texts.created, texts.lastUsed, '']}>
          {passkeys.map((passkey) => (
            <tr key={passkey.id}>
              <td>{passkey.name}</td>
              <td>
                <Time of={passkey.created_at} />
              </td>
              <td>
                {passkey.last_used_at ? (
                  <Time of={passkey.last_used_at} />
                ) : (
                  <span className="muted">{texts.never}</span>
                )}
              </td>
              <td>
                <span className="row">
                  <Button size="small" aria-label={texts.renameName(passkey.name)} onClick={() => setRenamed(passkey)}>
                    {texts.rename}
                  </Button>
                  <Button size="small" aria-label={texts.removeName(passkey.name)} onClick={() => setRemoved(passkey)}>
                    {texts.remove}
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
      else setProblem(texts.noPasskeyWasCreated)
    } catch (error) {
      const { name, message } = error as Error // always an Error
      setProblem(name === 'InvalidStateError' ? texts.thisDeviceAlreadyHas : message)
    }
    setBusy(false)
  }

  return (
    <>
      {problem && <p role="alert">{problem}</p>}
      <Button size="small" icon={Plus} isBusy={isBusy} onClick={() => void create()}>
        {texts.addPasskey}
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
    done: texts.passkeyAdded,
    onDone: ({ recovery_codes: codes }) => {
      onCodes(codes)
      onClose()
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={texts.nameYourPasskey} lead={texts.theNameHelpsYou}>
      <ActionForm
        action={add}
        fields={['name']}
        submit={texts.addPasskey}
        onCancel={onClose}
        onSubmit={(text) => add.mutate({ body: { name: text('name'), credential } })}
      >
        <TextField
          label={texts.name}
          name="name"
          required
          maxLength={100}
          defaultValue={browserFrom(navigator.userAgent)}
        />
      </ActionForm>
    </Dialog>
  )
}

function Rename({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const rename = useAction('PUT /-/passkeys/{id}', { showsErrors: true, done: texts.passkeyRenamed, onDone: onClose })
  return (
    <Dialog isOpen onClose={onClose} title={texts.renamePasskey}>
      <ActionForm
        action={rename}
        fields={['name']}
        submit={texts.rename}
        onCancel={onClose}
        onSubmit={(text) => rename.mutate({ path: { id: passkey.id }, body: { name: text('name') } })}
      >
        <TextField label={texts.name} name="name" required maxLength={100} defaultValue={passkey.name} />
      </ActionForm>
    </Dialog>
  )
}

function Remove({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const remove = useAction('DELETE /-/passkeys/{id}', { done: texts.passkeyRemoved, onDone: onClose })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={texts.removeName(passkey.name)}
      lead={texts.youCanNoLonger}
      confirm={texts.removePasskey}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate({ path: { id: passkey.id } })}
    />
  )
}
